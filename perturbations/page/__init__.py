"""The scripts that run in the page, and the Python code that configures them."""
