"""`stressweb view`: every run of a folder in a browser on this machine, read and never written to."""
