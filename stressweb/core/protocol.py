"""Properties of every episode, whichever agent runs: its window, and time limits of its pages."""

VIEWPORT = {"width": 1280, "height": 800}
"""Size of the window, in CSS pixels."""
FIRST_PAGE_TIMEOUT_MS = 20_000
"""Time limit, in milliseconds, of the first page and of each evidence page; they are not actions of the agent."""
SETTLE_TIMEOUT_S = 2.0
"""Longest time, in seconds, for a page to settle after an action."""
