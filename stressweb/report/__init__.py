"""The report of a run: one HTML file that needs nothing else, for a person who asks what an agent did, and why.

Pure: recorded episodes and their measures go in, text comes out. Pages that were recorded are hostile input; they are
carried as data and shown in frames that run nothing and fetch nothing.
"""
