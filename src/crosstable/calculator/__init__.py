"""The calculator for players: an estimate from one row, what-if, performance, badges, classes, norm chances.

``reading`` makes a request of texts, with every fault; ``answers.answer`` answers it, ``answers.answer_object`` turns
the answer into JSON. All numbers come from the engine and its formulas.
"""
