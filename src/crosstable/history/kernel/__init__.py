"""The compiled replay: the formulas of the engine, compiled by Numba from outside. The only room that knows Numba.

``compiling`` registers every formula and keeps the cache; ``section`` rates one section over arrays; ``replaying``
takes many sections in the order of the replay, on several threads; ``indexing`` lays a history out as arrays. No rule
is written here: whatever the document says stands in ``formulas``.
"""
