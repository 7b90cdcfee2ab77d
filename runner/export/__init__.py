"""Exports a run to the formats of other programs: tables, logs of Inspect and JUnit XML."""
