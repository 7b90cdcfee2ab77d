"""Uses a site as a browser would, without a browser."""
