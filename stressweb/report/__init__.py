"""The report of a run: one HTML file that needs nothing else, for a person who asks what an agent did, and why.

Pure functions from recorded episodes and their measures to text. Recorded pages are treated as untrusted: they are
stored as data, and shown in frames that run and fetch nothing.
"""
