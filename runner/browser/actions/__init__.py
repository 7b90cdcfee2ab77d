"""Performs an agent's actions in the browser."""
