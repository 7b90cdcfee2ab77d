"""What every episode has alike, whoever plays it: its window, and how long its pages may take."""

VIEWPORT = {"width": 1280, "height": 800}
"""Size of the window, in CSS pixels."""
FIRST_PAGE_TIMEOUT_MS = 20_000
"""Milliseconds that the first page and each evidence page have; they are no actions of the agent."""
SETTLE_TIMEOUT_S = 2.0
"""Seconds that a page has at most to settle after an action."""
