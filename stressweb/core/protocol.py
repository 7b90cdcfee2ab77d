"""Properties of every episode, whatever its agent: window size and time limits of pages."""

VIEWPORT = {"width": 1280, "height": 800}
"""Size of the window, in CSS pixels."""
FIRST_PAGE_TIMEOUT_MS = 20_000
"""Time limit of the first page and of each evidence page, which the agent does not open itself; in milliseconds."""
SETTLE_TIMEOUT_S = 2.0
"""Longest time for a page to settle after an action, in seconds."""
