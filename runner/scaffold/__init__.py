"""Writes the site of `stressweb new`: a small site that runs and verifies unchanged."""
