"""Writes every figure, table and picture of the documents from the program itself, between markers.

A part stands between `<!-- begin: NAME -->` and `<!-- end: NAME -->`; what is around it is written by hand.
"""
