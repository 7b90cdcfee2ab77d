"""Draws, stores, reads and writes the rows of a world."""
