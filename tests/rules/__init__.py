"""Time controls and the systems they belong to."""
