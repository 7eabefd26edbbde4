"""How it is computed: one module per section of the document, scalars and sequences in, small records out.

Written in a dialect that both the interpreter and a compiler outside can run: floats, integers, named tuples and
sequences of floats; bounded loops; no strings, dates, dictionaries, exceptions or defaults. May import ``math``,
``typing``, ``collections.abc``, ``crosstable.terms`` and ``crosstable.rules.constants`` only.
"""
