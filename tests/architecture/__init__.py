"""Tests of the house itself: layers, dialect, sizes, words and pages."""
