"""The style sheets that a recorded page links."""

import html
import re
from urllib.parse import urljoin

# No parser: recorded pages were written by the browser, which puts every value in double quotes and escapes them. Spelt
# out and not by IGNORECASE, with which Python's engine does not jump from one `<` to the next.
_LINK = re.compile(r"<[lL][iI][nN][kK]\b[^>]*>")
_BASE = re.compile(r"<[bB][aA][sS][eE]\b")
_ATTRIBUTE = re.compile(r'\b(rel|href)="([^"]*)"', re.IGNORECASE)


def linked(page: str, url: str) -> dict[str, str]:
    """Return the style sheets that a recorded page links: each `href` as written, and its absolute URL.

    None for a page with a `base` element, whose links are relative to another address.
    """
    if _BASE.search(page):
        return {}
    urls = {}
    for link in _LINK.findall(page):
        attributes = {name.lower(): html.unescape(value) for name, value in _ATTRIBUTE.findall(link)}
        kinds = attributes.get("rel", "").lower().split()
        # Browsers do not apply alternate sheets unless the user chooses one.
        if "stylesheet" in kinds and "alternate" not in kinds and attributes.get("href"):
            try:
                urls[attributes["href"]] = urljoin(url, attributes["href"])
            # The page may have any text as an address; urljoin rejects some, such as an unclosed bracket.
            except ValueError:
                continue
    return urls
