"""Tests of the formats: what each reader takes, what it reports, and what it refuses."""
