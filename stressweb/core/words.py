"""How names are written that become parts of paths."""

import re

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""A plain name of a folder."""
NOT_PLAIN = "is not a plain folder name; use letters, digits, '.', '_' and '-', at most 100"
