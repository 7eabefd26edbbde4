"""The calculator for players: an estimate from one row, what-if, performance, badges, classes, norm chances.

``reading`` and ``links`` make a request of texts, with every fault; ``answers.answer`` answers it; ``documents`` turns
answers into JSON. All numbers come from the engine and its formulas. Imports engine, explain and below, and the
catalogue of faults; both doors import it.
"""
