"""The mail site: conversations in folders, with labels, contacts, templates and scheduled mail."""
