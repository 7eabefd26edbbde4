"""A second rating engine: slow, literal and independent, an oracle for the tests.

It follows the rating texts of 2015, 2020 and 2025, docs/rules-history.md and docs/readings.md, and shares no
line with the engine it checks. Plain dictionaries in the shape of the event file go in, and come out.
"""

from .controls import systems_of
from .errors import NotKnown, NotRatable
from .section import rate_section
from .special import special_rating_exact

__all__ = ["NotKnown", "NotRatable", "rate_section", "special_rating_exact", "systems_of"]
