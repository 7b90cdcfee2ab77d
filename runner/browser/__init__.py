"""Starts the browser, performs actions in it, and reads its pages once they have settled."""
