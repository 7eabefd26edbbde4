"""What can be wrong with a report: each fault provoked, with its place."""
