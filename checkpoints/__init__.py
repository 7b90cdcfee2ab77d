"""What counts as done, one module per site."""
