"""The calendar site: views, events, conflicts, categories."""
