"""Whole offices at once: archives out of an office and into one, and long rating runs through the compiled replay.

Everything in here works on columns (Polars, NumPy), never on single rows, and is imported only when it is needed.
"""
