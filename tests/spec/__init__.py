"""One module per section of the rating document."""
