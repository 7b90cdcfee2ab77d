"""Reads the spec of a site from its files: layers, shorthand, checks, JSON Schema."""
