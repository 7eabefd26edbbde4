"""Where an office is when nobody says: an environment variable, else a file in this folder. Costs nothing to import."""

ENVIRONMENT = "CROSSTABLE_OFFICE"
DEFAULT = "office.db"
