"""The rating office: a record that is never overwritten, and ratings that follow from it.

``database`` opens an office (SQLite or PostgreSQL); ``members``, ``submissions``, ``corrections`` and ``decisions``
write facts, each by an act with who, when and why; ``ledger`` derives ratings from the facts and posts them;
``supplements`` freezes monthly lists; ``audit`` recomputes everything. May see everything but the doors and the lab.
"""
