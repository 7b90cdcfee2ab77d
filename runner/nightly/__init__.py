"""Nightly runs against a pinned baseline: rotation of tasks, history, verdicts and output."""
