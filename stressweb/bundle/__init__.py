"""A run as one archive that others can check and grade again, with a card that says what it is."""
