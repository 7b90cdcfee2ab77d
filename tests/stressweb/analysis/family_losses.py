"""Differences of tasks, and the families of these tasks."""

LOSSES = [0, -1, -1, 0, -0.5, -1, 0, 0, -1, 1, -1, -0.5, 0, -1.0]


FAMILIES = "aaabbcddddeffg"
