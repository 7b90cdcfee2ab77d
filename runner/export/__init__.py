"""Exports a run to formats of other programs: tables, logs of Inspect AI, and JUnit XML."""
