"""The interface to runs for commands, proofs, nights and `import stressweb`: start, read and share runs."""
