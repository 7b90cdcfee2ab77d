"""Hooks of the docs site (`mkdocs.yml`). They import none of our packages, which its environment does not have."""
