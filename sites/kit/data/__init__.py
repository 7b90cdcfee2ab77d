"""The rows of a world: how they are drawn, stored, read and written."""
