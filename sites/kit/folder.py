"""The folder of the kit."""

from pathlib import Path

KIT = Path(__file__).parent
"""Folder of the kit's own widgets, parts, fields, mixins and texts."""
