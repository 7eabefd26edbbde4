"""Tests of the published schemas."""
