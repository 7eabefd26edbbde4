"""How it is computed, by the sections of the document: scalars and sequences in, small records out.

``initial`` is §2, ``special`` §4.1, ``standard`` §3 and §4.2, ``steps`` §1, ``outcome`` §5 and §7, ``foreign`` §6;
``section`` is what a section does to a rating record, ``norms`` what it earns beside the rating.

Written in a dialect that both the interpreter and a compiler outside can run: floats, integers, named tuples and
sequences of floats; bounded loops; no strings, dates, dictionaries, exceptions or defaults. May import ``math``,
``typing``, ``collections.abc``, ``crosstable.terms`` and ``crosstable.rules.constants`` only.
"""
