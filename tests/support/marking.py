"""Marks as earlier engines made them, to test the reader of old recordings."""

import hashlib

from stressweb.html.marks import ElementKind

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
DOCUMENTS = 1024


def tokens(key: bytes, document: int, kind: ElementKind, count: int) -> list[str]:
    """Return the first tokens of a kind in an episode's document."""
    cut = _spelled(hashlib.shake_256(key + b"prefixes").digest(12 * DOCUMENTS))
    prefixes = [cut[start : start + 3] for start in range(0, len(cut), 3)]
    usable = list(dict.fromkeys(prefix for prefix in prefixes if not prefix[0].isdigit()))[:DOCUMENTS]
    # Prefixes repeat after this many documents.
    document %= DOCUMENTS
    stream = _spelled(hashlib.shake_256(key + b"%d:%d" % (document, kind)).digest(7 * count))
    return [usable[document] + stream[start : start + 7] for start in range(0, 7 * count, 7)]


def _spelled(content: bytes) -> str:
    return "".join(LETTERS[byte % 32] for byte in content)
