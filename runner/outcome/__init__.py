"""Recorded runs: results, reports, regrading, merging and comparing. Nothing here runs an episode."""
