"""The wording of a world: labels, days, sizes, markup, host names."""
