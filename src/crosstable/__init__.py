"""Crosstable rates chess events exactly as US Chess does, under the rules of the day they were played.

The way of a tournament file is four calls: read (``formats``), check (``checks``), rate (``engine``) and,
in an office, post. ``rules`` says what is in force when, ``formulas`` how it is computed.
"""

__version__ = "0.1.0"
