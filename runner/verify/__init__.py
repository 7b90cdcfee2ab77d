"""The proof of a site: its tasks can be done, nothing else passes, and its pages work."""
