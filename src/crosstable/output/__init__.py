"""A rated event as others want it: JSON for programs, a crosstable for people.

Sees the engine and what is below it; both doors use it. Heavy libraries are imported inside functions only.
"""
