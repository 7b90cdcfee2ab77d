"""A run: its plan, the pool of worker processes that carry it out, and the results on disk."""
