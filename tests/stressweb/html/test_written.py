"""Documents that a browser parses unchanged, and its serialization of them."""

import pytest
from playwright.sync_api import Page

from stressweb.html import canonical
from stressweb.html.written import as_drawn


def page_of(body: str, head: str = "") -> str:
    return f'<!DOCTYPE html>\n<html lang="en"><head><title>A &amp; B</title>{head}</head><body>{body}</body></html>\n'


KNOWN = {
    "text": "<p>One<br>two &lt; three&nbsp;four <b>&copy; five</b></p>\n<hr>",
    "table": "<table><caption>T</caption><thead><tr><th>a</th></tr></thead>\n<tbody><tr><td>b</td></tr></tbody></table>",
    "lists": "<ul>\n<li>a<ul><li>b</li></ul></li></ul><dl><div><dt>c</dt><dd>d</dd></div></dl>",
    "select without a choice": "<select><option disabled>a</option><optgroup label=g><option>b</option></optgroup></select>",
    "select with a choice": "<select><option>a</option><option selected>b</option></select>",
    "several": "<select multiple><option>a</option></select><select size=3><option>a</option></select>",
    "radio": "<form><input type=radio name=a checked></form><form><input type=radio name=a checked></form>",
    "fields": '<input value="x &quot;y&quot;"><input type=checkbox checked><textarea>\n\n a &lt;b&gt;</textarea>',
    "numbers": "<input type=number value=3.5><input type=date value=2026-05-04><input type=time value=09:30>",
    "addresses": "<input type=email value=a.b@c.test><input type=url><input type=email>",
    "button": "<form action=/a method=post><button name=a value=b>Go</button></form>",
    "drawing": '<svg viewBox="0 0 1 1"><g><path d="M0 0"/><text>a</text></g></svg>',
    "without scripts": "<noscript><p>Switch them on</p></noscript>",
    "picture": '<img src="/a.svg" alt="A"><a href="/a?b=1&amp;c=2">a</a>',
    "parts": "<details open><summary>a</summary><p>b</p></details><dialog open>c</dialog>",
}
"""Bodies of documents that every parser reads the same."""
UNKNOWN = {
    "script": "<script>document.title = 'c'</script>",
    "handler": '<img src="/a" onerror="this.remove()">',
    "frame": "<iframe srcdoc='a'></iframe>",
    "shadow root": "<div><template shadowrootmode=open>a</template></div>",
    "comment": "<!-- a -->",
    "a paragraph that ends early": "<p>a<div>b</div></p>",
    "a paragraph in a paragraph": "<p>a<span><p>b</p></span></p>",
    "a row without a body": "<table><tr><td>a</td></tr></table>",
    "a text in a table": "<table>a<tbody><tr><td>b</td></tr></tbody></table>",
    "a link in a link": "<a href=/a>a<b><a href=/b>b</a></b></a>",
    "a form in a form": "<form><form></form></form>",
    "a button in a button": "<button>a<button>b</button></button>",
    "not closed": "<ul><li>a<li>b</ul>",
    "closed at once": "<div/>a",
    "crossed": "<b><i>a</b></i>",
    "an attribute twice": "<p title=a title=b>c</p>",
    "a reference without its end": "<a href='/a?b=1&copy=2'>a</a>",
    "two radio buttons": "<input type=radio name=a checked><input type=radio name=a checked>",
    "two options": "<select><option selected>a</option><option selected>b</option></select>",
    "a number that is none": "<input type=number value=many>",
    "a date that is none": "<input type=date value=2026-02-31>",
    "a slider": "<input type=range>",
    "a colour": "<input type=color>",
    "lines in a field": '<input value="a\nb">',
    "one of several parts": "<details name=a open></details><details name=a open></details>",
    "drawn text": "<svg><p>a</p></svg>",
    "a heading in a heading": "<h1>a<h2>b</h2></h1>",
    "text behind": "</body></html>a<html><body>",
}
"""Bodies of documents that a browser may change."""


@pytest.mark.sample(6)
@pytest.mark.parametrize("body", KNOWN.values(), ids=KNOWN)
def test_a_document_is_written_as_a_browser_has_it(page: Page, body: str) -> None:
    drawn = as_drawn(page_of(body))
    assert drawn is not None
    page.set_content(page_of(body))
    page.evaluate("""() => {
      for (const option of document.querySelectorAll("option")) option.toggleAttribute("selected", option.selected);
    }""")
    form = canonical.digest(drawn)
    assert form == canonical.digest(page.content())
    values = "() => [...document.querySelectorAll('input, select, textarea')].map((one) => [one.value, one.checked])"
    before = page.evaluate(values)
    # The written document is known, too, and stays the same.
    assert as_drawn(drawn) == drawn
    page.set_content(drawn)
    assert page.evaluate(values) == before


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN)
def test_other_documents_are_unknown(body: str) -> None:
    assert as_drawn(page_of(body)) is None


@pytest.mark.parametrize(
    "html",
    [
        "",
        "text",
        "<html><head></head><body></body></html>",
        "<!DOCTYPE html><html><body></body></html>",
        "<!DOCTYPE html><p>a</p>",
        '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"><html><head></head><body></body></html>',
        page_of("a", head="<meta http-equiv=Refresh content='0; url=/b'>"),
        page_of("a", head="<base href=/b>"),
        page_of("a\r\nb"),
        page_of("a\0"),
    ],
)
def test_incomplete_documents_are_unknown(html: str) -> None:
    assert as_drawn(html) is None
