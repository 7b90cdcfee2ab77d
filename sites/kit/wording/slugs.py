"""Texts as parts of paths and keys."""

import re
import unicodedata
from functools import lru_cache


@lru_cache(maxsize=50_000)
def slug(text: str) -> str:
    """Return `text` as lower-case words with hyphens."""
    # NFKD separates accents from letters, so that é becomes e instead of a gap in the word.
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
