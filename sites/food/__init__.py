"""The food delivery site: restaurants and their menus, basket, orders, addresses."""
