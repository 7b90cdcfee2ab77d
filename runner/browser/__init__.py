"""The browser: found and started, its tabs and dialogs, and what it shows, read once it is settled."""
