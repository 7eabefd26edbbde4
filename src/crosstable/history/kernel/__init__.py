"""The compiled replay: the formulas of the engine, compiled by Numba from outside. The only package that knows Numba.

``compiling`` registers every formula and keeps the cache; ``indexing`` lays a history out as ``arrays``; ``section``
rates one section over them; ``replaying`` takes many in the order of the replay, on several threads. No rule
is written here: whatever the document says stands in ``formulas``.
"""
