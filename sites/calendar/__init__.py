"""The calendar: views, events, conflicts, categories."""
