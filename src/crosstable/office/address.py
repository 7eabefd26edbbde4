"""Where an office is when nobody says: an environment variable, else a file in this folder. Costs nothing to import."""

ENVIRONMENT = "CROSSTABLE_OFFICE"
DEFAULT = "office.db"
# The key of backups, where no file has it.
KEY_VARIABLE = "CROSSTABLE_BACKUP_KEY"
