"""The doors: what a user types and sees."""
