"""A run as a single archive that others can verify and grade again, with a card that describes it."""
