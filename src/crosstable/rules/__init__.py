"""What is in force and since when: constants, the amendments of §8 folded into editions, systems, time controls.

Key types: ``Constants`` (numbers that formulas read), ``Amendment`` (one dated change), ``Edition`` (all
rules on a day). ``statements`` says an edition in sentences. Formulas see only ``rules.constants``; formats see only
``rules.editions`` and ``rules.time_controls``; everyone above sees all of it. No clock is read here.
"""
