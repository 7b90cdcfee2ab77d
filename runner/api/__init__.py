"""The internal interface to runs, for commands, `verify`, nights and `import stressweb`."""
