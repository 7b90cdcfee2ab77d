"""Code that the `logic.py` of several sites share: folders, trash, ticked rows."""
