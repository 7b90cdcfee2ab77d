"""Email: conversations in folders, with labels, contacts, templates and mail that is sent later."""
