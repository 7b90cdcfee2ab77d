"""Runs episodes: agents, browser, worlds, sweeps, command line."""

if __name__ == "runner":  # by its folder, which is on the import path in a checkout
    raise ModuleNotFoundError("No module named 'runner'; import stressweb.runner", name="runner")
