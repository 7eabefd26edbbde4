"""Pages: each is one function from the record to a view, and a template that shows it."""
