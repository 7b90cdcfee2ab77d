"""The shop: catalogue, cart, checkout, account."""
