"""Nightly runs against a pinned baseline: rotation of tasks, history, chart, and each night from plan to page."""
