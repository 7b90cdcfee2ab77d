"""A restaurant booking site: find restaurants, read menus, book tables."""
