"""The law by date: every amendment, both calendars."""
