"""A document of a size to measure with."""

import copy
from collections import Counter

import lxml.html


def page_of(size: int, html: str) -> str:
    """Return a document brought to about `size` bytes by copies of the items it lists, or by leaving some out."""
    root = lxml.html.document_fromstring(html)
    items = [element for element in root.iter() if element.get("itemscope") is not None]
    # The kind that there is most of is what the page lists; the rest is its frame, which a larger page has only once,
    # too.
    kinds = Counter(element.get("itemtype") for element in items)
    listed = [element for element in items if element.get("itemtype") == kinds.most_common(1)[0][0]]
    each = sum(len(lxml.html.tostring(item)) for item in listed) / len(listed)
    missing = round((size - len(lxml.html.tostring(root))) / each)
    patterns = [copy.deepcopy(item) for item in listed]
    for at in range(missing):
        listed[-1].addnext(copy.deepcopy(patterns[at % len(patterns)]))
    # Empty where items were missing: then nothing is removed. The first item stays in any case.
    for item in listed[1 : 1 - min(missing, 0)]:
        if (shelf := item.getparent()) is not None:
            shelf.remove(item)
    return str(lxml.html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>"))
