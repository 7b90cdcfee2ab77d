"""What an agent decided, done in the browser."""
