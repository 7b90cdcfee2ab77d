"""What came of runs: their results and reports, graded again, merged and compared; nothing here runs an episode."""
