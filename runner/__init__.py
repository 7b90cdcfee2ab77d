"""Runs episodes: agents, browser, worlds, sweeps, command line."""
