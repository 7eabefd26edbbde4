"""The ledger: acts in a chain of hashes, the fold that derives ratings, runs and their postings.

``acts`` appends; ``facts`` reads the record as known at an act; ``fold`` derives every rating from facts; ``rerate``
does the part of it that changed and posts it in one transaction. Every branch in here is run by a test.
"""
