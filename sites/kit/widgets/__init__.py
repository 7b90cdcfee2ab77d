"""The kinds of widgets, each in its own folder."""
