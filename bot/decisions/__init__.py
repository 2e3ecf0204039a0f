"""Who decides, and what is kept of it: the desk, the rule book, the record, the reminders."""
