"""The calculator: every number from the engine, every worked example of the old page corrected."""
