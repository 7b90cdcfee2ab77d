"""Curves and comparisons over a whole run: severities, steps, pairs of modes, costs, tasks, repeats."""
