"""Hooks of the docs site (`mkdocs.yml`). They import nothing of ours: it is built in an environment of its own."""
