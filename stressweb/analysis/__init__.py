"""From graded episodes to figures: measures, intervals, tests, and the table."""
