"""What answers a request: world, session, visit, forms, pages and files."""
