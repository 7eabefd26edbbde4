"""The rating office on both databases."""
