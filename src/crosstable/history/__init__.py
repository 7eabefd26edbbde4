"""A whole history at once: archives in Parquet, the plain replay of them, the compiled kernel and its replay.

``archive`` writes and reads the folder that ``docs/archive.md`` describes; ``plain`` rates a small one with the plain
engine and is what every faster way must equal; ``kernel`` is the only package that knows Numba. Sees the engine and
below.
"""
