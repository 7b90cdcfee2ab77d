"""Test cases for agents that test: steps with expected results, their truth, the verdict of a tester, and its score."""
