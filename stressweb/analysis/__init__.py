"""Computes figures from graded episodes: measures, intervals, tests, and the table."""
