"""What an episode is, and how it is recorded, counted and shown."""
