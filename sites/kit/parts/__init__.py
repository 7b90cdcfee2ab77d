"""Kinds of parts, a folder each."""
