"""Recorded documents of both kinds: annotated copies, and plain pages such as evidence pages."""

from lxml.html import HtmlElement

from stressweb.html import annotated, annotated_form, canonical


def site_tree(recorded: str) -> HtmlElement:
    """Return the tree of a recorded document as the site made it."""
    if not annotated.is_annotated(recorded):
        return canonical.site_tree(recorded)
    root = annotated.site_tree(recorded)
    canonical.drop_silent(root)
    return root


def digest(recorded: str) -> str:
    """Return the canonical form of a recorded document as 32 hexadecimal digits."""
    return annotated_form.digest(recorded) if annotated.is_annotated(recorded) else canonical.digest(recorded)
