"""Checks pages without a browser: links resolve, pages are valid, and only forms with their token change anything."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import lxml.html
from werkzeug.datastructures import MultiDict

from stressweb.html.accessible_name import Names
from stressweb.plugins.task import Goal
from stressweb.runner.verify.crawling import addresses, crawl, kind_of
from stressweb.runner.verify.further import rows
from stressweb.walking.submission import submission
from stressweb.walking.walker import BrokenError, Walker
from stressweb.walking.xpath import elements, strings

PAGES, OF_A_KIND = 120, 25
"""Maximum number of pages that each visitor reads, in total and per kind of page."""
NOWHERE = "/no/such/page"
_ELSEWHERE = re.compile(r"""(?:src|href|action)=["']((?:https?:)?//[^"']*)""")
_CONTROLS = "//a|//button|//input[not(@type='hidden')]|//select|//textarea"


def visitors(goals: Iterable[Goal]) -> list[str]:
    """Return the people as whom to visit a site: "" for a visitor, and every user of a goal."""
    return ["", *sorted({goal.user for goal in goals} - {""})]


def wrong_pages(walker: Walker) -> Iterator[tuple[str, str]]:
    """Crawl a site; yield address and problem of each wrong page.

    A problem that several pages of the same kind have is reported once.
    """
    reported: set[tuple[str, str]] = set()
    before = rows(walker)
    led: dict[str, str] = {}
    for place in crawl(walker, limit=PAGES, most=OF_A_KIND):
        problems = [*_answers(place, led), *broken(place)]
        if rows(place) != before:
            problems.append("opening the page changes the database, which only a form may do")
            before = rows(place)
        for problem in problems:
            if (kind_of(place.url), problem) not in reported:
                reported.add((kind_of(place.url), problem))
                yield place.url, problem
        for address in addresses(place):
            led.setdefault(address, place.url)
    if walker.get(NOWHERE).status_code != 404:
        yield NOWHERE, f"the page does not exist, but its status is {walker.status}"
    if walker.world.form_token:
        yield from _forged_forms(walker)


def broken(walker: Walker) -> Iterator[str]:
    """Yield the problems of a page's document."""
    for path, tag in (("//title[normalize-space()]", "title"), ("//h1", "h1"), ("//main", "main")):
        if (count := len(elements(walker.page, path))) != 1:
            yield f"has {count} {tag} elements; a page has one"
    if elements(walker.page, "//form//form|//p//div|//a//a|//span//div"):
        yield "has invalid nesting, which a browser changes, such as a form in a form"
    for address in _ELSEWHERE.findall(walker.html):
        yield f"has a foreign address: {address}"
    yield from _ids(walker)
    names = Names(walker.page)
    for element in elements(walker.page, _CONTROLS):
        if not names.name(element):
            yield f"has a control without a name: {lxml.html.tostring(element, encoding='unicode').strip()[:100]}"
    for form in elements(walker.page, "//form[@method='post']"):
        token = walker.world.form_token
        if token and not elements(form, f".//input[@name={token!r}]"):
            yield f"has a form without a token: {form.get('action')}"
        if not elements(form, ".//button[not(@type) or @type='submit'] | .//input[@type='submit' or @type='image']"):
            yield f"has a form without a button: {form.get('action')}"


def _ids(walker: Walker) -> Iterator[str]:
    counts = Counter(strings(walker.page, "//@id"))
    yield from (f"has the id {element_id!r} twice" for element_id, count in sorted(counts.items()) if count > 1)
    yield from (
        f"has a label for {element_id!r}, which does not exist"
        for element_id in strings(walker.page, "//label/@for")
        if element_id not in counts
    )


def _answers(walker: Walker, led: dict[str, str]) -> Iterator[str]:
    if walker.status >= 400:
        yield f"has status {walker.status}" + (f"; {led[walker.url]} links to it" if walker.url in led else "")


def _forged_forms(walker: Walker) -> Iterator[tuple[str, str]]:
    """Send every form with a wrong token; this must not change anything."""
    before, tried = rows(walker), set()
    for place in crawl(walker.fork(), limit=PAGES, most=3):
        for form in elements(place.page, "//form[@method='post']"):
            for action in [form.get("action"), *strings(form, ".//button/@formaction")]:
                if action is None or action in tried:
                    continue
                tried.add(action)
                form_data = MultiDict(submission(form))
                form_data.setlist(walker.world.form_token, ["0" * 32])
                forger = walker.fork()
                try:
                    forger.post(action, form_data)
                except BrokenError:
                    # Refused with an error.
                    continue
                if rows(forger) != before:
                    yield place.url, f"the form of {action} changes the database without its token"
