"""Measures the costs of the harness, mostly as ratios."""
