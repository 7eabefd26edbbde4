"""Alembic loads this; the environment is configured by ``founding.migrate``, which also runs it."""
