"""How a world words things: labels, days, sizes, markup, host names."""
