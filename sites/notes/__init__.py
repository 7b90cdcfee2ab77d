"""The notes site: an online notebook with workspaces, folders and documents."""
