"""Settings of every test run."""

from hypothesis import settings

# The same examples on every machine, and no stopwatch: two busy cores say nothing about a formula.
settings.register_profile("crosstable", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("crosstable")
