"""Kinds of fields, a folder each."""
