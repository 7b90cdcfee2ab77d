// The page of the nights has charts and nothing else that moves.
loadCharts();
