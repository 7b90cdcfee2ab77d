"""The reservation site: find restaurants, read menus, book tables."""
