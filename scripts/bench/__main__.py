"""Runs the bench: `python -m scripts.bench`."""

from scripts.bench.bench import main

main()
