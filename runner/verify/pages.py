"""Pages read without a browser: every link resolves, every page is whole, and only a form with its token writes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import lxml.html
from werkzeug.datastructures import MultiDict

from runner.verify.crawling import addresses, crawl, kind_of
from runner.verify.further import rows
from stressweb.html.accessible_name import Names
from stressweb.plugins.task import Goal
from stressweb.walking.walker import BrokenError, Walker
from stressweb.walking.xpath import elements, strings

PAGES, OF_A_KIND = 120, 25
"""Pages that are read as each visitor, and those of them that are made alike."""
NOWHERE = "/no/such/page"
_ELSEWHERE = re.compile(r"""(?:src|href|action)=["']((?:https?:)?//[^"']*)""")
_CONTROLS = "//a|//button|//input[not(@type='hidden')]|//select|//textarea"


def visitors(goals: Iterable[Goal]) -> list[str]:
    """Return as whom a site is looked at: as a visitor, "", and as every person whom a goal is about."""
    return ["", *sorted({goal.user for goal in goals} - {""})]


def wrong_pages(walker: Walker) -> Iterator[tuple[str, str]]:
    """Crawl a site; yield the address of each page that something is wrong with, and what.

    What stands on every page of a kind is said of one of them.
    """
    told: set[tuple[str, str]] = set()
    before = rows(walker)
    led: dict[str, str] = {}
    for at in crawl(walker, limit=PAGES, most=OF_A_KIND):
        problems = [*_answers(at, led), *broken(at)]
        if rows(at) != before:
            problems.append("a look at the page changes the database, and only a form may")
            before = rows(at)
        for problem in problems:
            if (kind_of(at.url), problem) not in told:
                told.add((kind_of(at.url), problem))
                yield at.url, problem
        for address in addresses(at):
            led.setdefault(address, at.url)
    if walker.get(NOWHERE).status_code != 404:
        yield NOWHERE, f"there is no such page, and it is answered with status {walker.status}"
    yield from _forged(walker)


def broken(at: Walker) -> Iterator[str]:
    """Yield what is wrong with the document of a page."""
    for path, said in (("//title[normalize-space()]", "title"), ("//h1", "h1"), ("//main", "main")):
        if (count := len(elements(at.page, path))) != 1:
            yield f"has {count} elements {said}, and a page has one"
    if elements(at.page, "//form//form|//p//div|//a//a|//span//div"):
        yield "nests elements that a browser takes apart, such as a form in a form"
    for found in _ELSEWHERE.findall(at.html):
        yield f"leads away from the machine: {found}"
    yield from _ids(at)
    names = Names(at.page)
    for element in elements(at.page, _CONTROLS):
        if not names.name(element):
            yield f"has a control without a name: {lxml.html.tostring(element, encoding='unicode').strip()[:100]}"
    for form in elements(at.page, "//form[@method='post']"):
        if not elements(form, ".//input[@name='csrf_token']"):
            yield f"has a form without a token: {form.get('action')}"
        if not elements(form, ".//button[@type='submit']"):
            yield f"has a form without a button: {form.get('action')}"


def _ids(at: Walker) -> Iterator[str]:
    counts = Counter(strings(at.page, "//@id"))
    yield from (f"has the id {one!r} twice" for one, count in sorted(counts.items()) if count > 1)
    yield from (
        f"has a label for {one!r}, which is not there" for one in strings(at.page, "//label/@for") if one not in counts
    )


def _answers(at: Walker, led: dict[str, str]) -> Iterator[str]:
    if at.status >= 400:
        yield f"is answered with status {at.status}" + (f"; {led[at.url]} has the link" if at.url in led else "")


def _forged(walker: Walker) -> Iterator[tuple[str, str]]:
    """Send every form with a token that is not the session's: nothing may come of it."""
    before, tried = rows(walker), set()
    for at in crawl(walker.fork(), limit=PAGES, most=3):
        for form in elements(at.page, "//form[@method='post']"):
            for action in [form.get("action"), *strings(form, ".//button/@formaction")]:
                if action is None or action in tried:
                    continue
                tried.add(action)
                data = MultiDict([(name, value or "") for name, value in form.form_values()])
                data.setlist("csrf_token", ["0" * 32])
                forger = walker.fork()
                try:
                    forger.post(action, data)
                except BrokenError:
                    # Refused outright, as a site that is no kit's may do.
                    continue
                if rows(forger) != before:
                    yield at.url, f"the form of {action} changes the database without its token"
