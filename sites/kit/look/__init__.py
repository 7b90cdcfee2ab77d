"""How a world looks: theme, contrast, icons, pictures."""
