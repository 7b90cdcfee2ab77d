"""Foundations: draws from seeds, conditions, errors, and files that users write."""
