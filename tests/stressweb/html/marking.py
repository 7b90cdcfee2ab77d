"""Marks as the engines of earlier versions made them: what the reader of old recordings is compared with."""

import hashlib

from stressweb.html.marks import Kind

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
DOCUMENTS = 1024


def tokens(key: bytes, document: int, kind: Kind, count: int) -> list[str]:
    """Return the first tokens of a kind of an episode's document."""
    cut = _spelled(hashlib.shake_256(key + b"prefixes").digest(12 * DOCUMENTS))
    prefixes = [cut[at : at + 3] for at in range(0, len(cut), 3)]
    kept = list(dict.fromkeys(one for one in prefixes if not one[0].isdigit()))[:DOCUMENTS]
    # Prefixes come again after so many documents.
    document %= DOCUMENTS
    stream = _spelled(hashlib.shake_256(key + b"%d:%d" % (document, kind)).digest(7 * count))
    return [kept[document] + stream[at : at + 7] for at in range(0, 7 * count, 7)]


def _spelled(data: bytes) -> str:
    return "".join(LETTERS[byte % 32] for byte in data)
