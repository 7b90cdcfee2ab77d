"""Two states of a small page, as a tester sees them: a list before and after a filter is set."""

from lxml.html import document_fromstring

from stressweb.cases.rendering import States
from stressweb.cases.sight import Sight, read
from stressweb.plugins.steps import Step

PAGE = """<!DOCTYPE html><html><body>
<header><a href="/">Home</a><a href="/basket">Basket</a></header>
<div role="status">{message}</div>
<main><h1>{heading}</h1><p>{count} lamps</p>
<form><label for="w">Words</label><input id="w" value="{words}">
<label for="s">Sort by</label><select id="s"><option>Newest</option><option{cheap}>Cheapest</option></select>
<label for="p">Secret</label><input id="p" type="password" value="hush">
<label><input type="checkbox"{ticked}> In stock</label><label><input type="checkbox"> On sale</label>
<label for="x">Twice</label><input id="x" value="1"><label for="y">Twice</label><input id="y" value="2">
<button type="submit">Apply</button></form>
{entries}<p hidden>Nobody sees this</p></main></body></html>"""
ENTRY = '<article itemscope itemtype="https://schema.org/Product"><a href="/p"><span itemprop="name">{}</span></a></article>'
ALL, CHEAP = ("Oslo lamp", "Bergen lamp", "Alta lamp"), ("Alta lamp", "Bergen lamp")


def sight(heading: str = "Lamps", message: str = "", words: str = "", *, entries: tuple[str, ...] = ALL,
          cheap: bool = False, ticked: bool = False) -> Sight:  # fmt: skip
    """Return the page in a state."""
    html = PAGE.format(
        message=message, heading=heading, count=len(entries), words=words, cheap=" selected" if cheap else "",
        ticked=" checked" if ticked else "", entries="".join(map(ENTRY.format, entries)),
    )  # fmt: skip
    return read("http://toy.test/lamps?page=1", document_fromstring(html))


FILLS = (
    Step(verb="enter", target="Words", value="alta 40"),
    Step(verb="choose", target="Sort by", value="Cheapest"),
    Step(verb="tick", target="In stock"),
)
FILLED: States = (
    sight(),
    sight(words="alta 40"),
    sight(words="alta 40", cheap=True),
    sight(words="alta 40", cheap=True, ticked=True),
)
PRESS = (Step(verb="press", target="Apply"),)
PRESSED: States = (
    FILLED[-1],
    sight("Cheap lamps", "1 filter is set.", "alta 40", entries=CHEAP, cheap=True, ticked=True),
)
