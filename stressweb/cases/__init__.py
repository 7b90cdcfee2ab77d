"""Test cases for testing agents: steps with expected results, truths, verdicts and grades."""
