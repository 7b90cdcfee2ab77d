"""The look of a world: theme, contrast, icons, pictures."""
