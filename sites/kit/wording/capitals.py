"""Capital letters."""


def capitalized(text: str) -> str:
    """Return a text with a capital first letter; all other letters stay as they are."""
    return text[:1].upper() + text[1:]
