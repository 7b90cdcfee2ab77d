"""Documents of pages read without a browser: as served, and as a recorder would write them."""

import json

import lxml.html
from lxml.html import HtmlElement
from werkzeug.test import TestResponse

from stressweb.html.inner import FRAME
from stressweb.html.page_tree import PAGE_TYPE, markup
from stressweb.walking.xpath import elements

ACCEPT = f"{PAGE_TYPE}, text/html;q=0.9, */*;q=0.8"
"""The Accept header: JSON for sites that draw their pages in the browser."""
_STANDING = ("html", "head", "body")


def document(answer: TestResponse) -> str:
    """Return the document that a browser would show for an answer; "" if it is not a page."""
    if answer.mimetype == PAGE_TYPE:
        return markup(json.loads(answer.get_data(as_text=True)))
    return answer.get_data(as_text=True) if answer.mimetype == "text/html" else ""


def parsed(html: str) -> HtmlElement:
    """Return a document in its recorded form: documents of frames follow their frames."""
    page = lxml.html.document_fromstring(html)
    for frame in elements(page, "//iframe[@srcdoc]"):
        frame_document = lxml.html.document_fromstring(frame.get("srcdoc") or "")
        for root in frame_document.iter(*_STANDING):
            root.tag = f"frame-{root.tag}"
        template = lxml.html.Element("template", {FRAME: "about:srcdoc"})
        template.append(frame_document)
        template.tail, frame.tail = frame.tail, None
        frame.addnext(template)
    return page


def recorded(html: str) -> str:
    """Return the recorded form as text."""
    return lxml.html.tostring(parsed(html), encoding="unicode") if "srcdoc" in html else html


def served(html: str) -> str:
    """Return a document as a site serves it: without the documents of its frames."""
    if FRAME not in html:
        return html
    page = lxml.html.document_fromstring(html)
    for template in elements(page, f"//template[@{FRAME}]"):
        template.drop_tree()
    text: str = lxml.html.tostring(page, encoding="unicode", doctype="<!DOCTYPE html>")
    return text
