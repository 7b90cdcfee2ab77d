"""Documents of pages read without a browser: as the site wrote them, or as its script would draw them."""

import json

from werkzeug.test import TestResponse

from stressweb.html.page_tree import PAGE_TYPE, markup

ACCEPT = f"{PAGE_TYPE}, text/html;q=0.9, */*;q=0.8"
"""What pages are asked for as: as JSON where a site has them drawn in the browser."""


def document(answer: TestResponse) -> str:
    """Return the document that a browser would show for an answer; "" for what is no page."""
    if answer.mimetype == PAGE_TYPE:
        return markup(json.loads(answer.get_data(as_text=True)))
    return answer.get_data(as_text=True) if answer.mimetype == "text/html" else ""
