"""Alembic revisions of the office's schema; ``founding.migrate`` runs them."""
