"""Explanations: every line cites the document, and the parts add up to the rating that stands."""
