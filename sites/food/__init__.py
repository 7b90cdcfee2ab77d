"""Food delivery: restaurants and their menus, basket, orders, addresses."""
