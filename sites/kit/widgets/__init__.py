"""Kinds of widgets, a folder each."""
