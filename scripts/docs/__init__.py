"""Generates all figures, tables and pictures of the documents from the program, between markers.

A part is between `<!-- begin: NAME -->` and `<!-- end: NAME -->`; the text around it is written by hand.
"""
