"""Agents that drive the browser by themselves: what an episode offers them, and how it is recorded."""
