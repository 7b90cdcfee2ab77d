"""`stressweb view`: a read-only local web page of all runs in a folder."""
