"""The tests of crosstable: each one a claim, each expected number with its source."""
