"""The shop site: catalogue, cart, checkout, account."""
