"""Handling of requests: world, session, visit, forms, pages and files."""
