"""What the harness costs, as ratios."""
