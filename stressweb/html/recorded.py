"""Recorded documents of all engines: annotated copies, and those of earlier engines, whose elements bear marks."""

from lxml.html import HtmlElement

from stressweb.html import annotated, annotated_form, canonical


def site_tree(recorded: str, key: bytes) -> HtmlElement:
    """Return the tree of a recorded document as the site made it; `key` is that of the marks of its episode."""
    if not annotated.is_annotated(recorded):
        return canonical.site_tree(recorded, key)
    root = annotated.site_tree(recorded)
    canonical.drop_silent(root)
    return root


def digest(recorded: str, key: bytes) -> str:
    """Return the canonical form of a recorded document as 32 hexadecimal digits; `key` as in `site_tree`."""
    return annotated_form.digest(recorded) if annotated.is_annotated(recorded) else canonical.digest(recorded, key)
