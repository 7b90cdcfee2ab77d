"""A run in formats of other programs: tables, and a log of Inspect."""
