"""Detours that reach the same page, or move the same card, through another part of the site."""

from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.runner.verify.crawling import addresses, kind_of
from stressweb.runner.verify.detour import Detour
from stressweb.runner.verify.found_forms import FoundForm, address_of, data_of, found_forms
from stressweb.runner.verify.further import rows
from stressweb.runner.verify.walks import described
from stressweb.walking.walker import BrokenError, LostError, Walker
from stressweb.walking.xpath import elements

PAGES = 40
"""Maximum number of pages to open in the search for a route by links."""

_CARD_BOARDS = "//*[@data-board]"

type Way = tuple[Step, ...]


def other_routes(goal: Goal, walkers: Sequence[Walker]) -> Iterator[Detour]:
    """Yield every detour; `walkers` has the walker before each step, and after the last."""
    way = goal.ways[0]
    yield from _by_search(goal, walkers)
    yield from _by_links(goal, walkers)
    yield from _by_dragging(way, walkers)


def _by_search(goal: Goal, walkers: Sequence[Walker]) -> Iterator[Detour]:
    """Find a row by the site's search, instead of following the links to its page."""
    way = goal.ways[0]
    for chain, last in _chains(way):
        target, step = _path(walkers[last + 1].url), way[last]
        # A search does not find pages that are not about a row, such as the settings.
        if target.count("/") < 2:
            continue
        for text in dict.fromkeys(text for text in (step.on, step.target) if text):
            # A text that is not in the goal must first be read on the pages of the previous links.
            first = chain if text in goal.text else last
            with walkers[first].trial() as walker:
                try:
                    _search(walker, text, target)
                except (LostError, BrokenError):
                    # The page has no search field, or the search does not find such rows.
                    continue
            search = partial(_walk_with_search, way=way, first=first, last=last, text=text, target=target)
            yield Detour("search in place of links", f"{text!r} in place of {described(step)}", search)


def _chains(way: Way) -> Iterator[tuple[int, int]]:
    """Yield the first and the last step of each run of links."""
    first: int | None = None
    for number, step in enumerate(way):
        if step.verb == "open":
            first = number if first is None else first
            if number + 1 == len(way) or way[number + 1].verb != "open":
                yield first, number
                first = None


def _walk_with_search(walker: Walker, way: Way, first: int, last: int, text: str, target: str) -> None:
    walker.walk(way[:first])
    _search(walker, text, target)
    walker.walk(way[last + 1 :])


def _search(walker: Walker, text: str, target: str) -> None:
    form = _search_form(walker)
    walker.get(address_of(form, data_of(form, {form.fields[0].name: (text,)})))
    _follow(walker, target)


def _search_form(walker: Walker) -> FoundForm:
    for form in found_forms(walker, {}):
        if form.get and len(form.fields) == 1 and form.fields[0].kind == "text":
            return form
    raise LostError(f"{walker.url} has no field for a search")


def _follow(walker: Walker, target: str) -> None:
    """Open the first link of the page that leads to a path; raises LostError if none does."""
    hit = next((address for address in addresses(walker) if _path(address) == target), None)
    if hit is None:
        raise LostError(f"{walker.url} has no link to {target}")
    walker.get(hit)


def _by_links(goal: Goal, walkers: Sequence[Walker]) -> Iterator[Detour]:
    """Follow links to the page of a row in the goal, instead of a search or a filter."""
    way = goal.ways[0]
    for number, step in enumerate(way[:-1]):
        if step.verb != "press" or way[number + 1].verb != "open" or not _asks_for_a_page(walkers[number], step):
            continue
        # If the goal does not name the row, the filter may be needed to find it, or the list may be the goal.
        if not any(text and text in goal.text for text in (way[number + 1].target, way[number + 1].on)):
            continue
        first = number
        while first and way[first - 1].verb in ("enter", "choose", "tick", "untick"):
            first -= 1
        target = _path(walkers[number + 2].url)
        route = partial(_walk_links, way=way, first=first, resume_at=number + 2, target=target)
        yield Detour("links in place of search", f"to {target} in place of {described(step)}", route)


def _asks_for_a_page(walker: Walker, step: Step) -> bool:
    form = next(walker.find(step).iterancestors("form"), None)
    return form is not None and (form.get("method") or "get") == "get"


def _walk_links(walker: Walker, way: Way, first: int, resume_at: int, target: str) -> None:
    walker.walk(way[:first])
    for address in _links_to(walker.fork(), target):
        walker.get(address)
    walker.walk(way[resume_at:])


def _links_to(walker: Walker, target: str) -> list[str]:
    """Return the pages of a route by links from the walker's page to a path."""
    previous: dict[str, str] = {walker.url: ""}
    queue = [walker.url]
    for _ in range(PAGES):
        if not queue:
            break
        page = queue.pop(0)
        walker.get(page)
        for address in addresses(walker):
            if address in previous:
                continue
            previous[address] = page
            if _path(address) == target:
                route = [address]
                while previous[route[0]]:
                    route.insert(0, previous[route[0]])
                return route[1:]
            queue.append(address)
    raise LostError(f"no links lead to {target}")


def _by_dragging(way: Way, walkers: Sequence[Walker]) -> Iterator[Detour]:
    """Drag a card to the column into which a form of the trajectory moves it."""
    if not _has_board_within_one_link(walkers):
        return
    for number, step in enumerate(way):
        if step.verb != "press":
            continue
        rows_before, rows_after = rows(walkers[number]), rows(walkers[number + 1])
        for table, change in rows_after.items():
            known = {row.id: row for _, row in rows_before[table].altered} if table in rows_before else {}
            for before, after in change.altered:
                start = known.get(after.id, before)
                values = {new_value for column, new_value in after.items() if new_value != start[column]}
                if values:
                    drag = partial(_drag, way=way, number=number, card=str(after.id), columns=values, walkers=walkers)
                    yield Detour("dragged in place of a form", f"{after.id} in place of {described(step)}", drag)


def _has_board_within_one_link(walkers: Sequence[Walker]) -> bool:
    """Return whether a page of the way, or a page that one of them links to, has a board."""
    if any(elements(step_walker.page, _CARD_BOARDS) for step_walker in walkers):
        return True
    with walkers[0].trial() as walker:
        for address in _one_linked_page_of_each_kind(walkers):
            walker.get(address)
            if elements(walker.page, _CARD_BOARDS):
                return True
    return False


def _one_linked_page_of_each_kind(walkers: Sequence[Walker]) -> list[str]:
    linked = [address for walker in walkers for address in addresses(walker)]
    # /b/7 and /b/7/settings are of different kinds.
    return [*{(kind_of(address), address.count("/")): address for address in linked}.values()]


def _drag(walker: Walker, way: Way, number: int, card: str, columns: set[object], walkers: Sequence[Walker]) -> None:
    walker.walk(way[:number])
    board, column = _board(walker, card, columns, [step_walker.url for step_walker in walkers])
    form_data = {
        walker.world.form_token: board.get("data-token") or "",
        "back": board.get("data-back") or "",
        board.get("data-field") or "": card,
        "to": column,
    }
    walker.post(urljoin(walker.url, board.get("data-board") or ""), form_data)
    walker.get(walkers[number + 1].url)
    walker.walk(way[number + 1 :])


def _board(walker: Walker, card: str, columns: set[object], pages: Sequence[str]) -> tuple[HtmlElement, str]:
    """Go to the board of a card; return the board, and its first column that is in `columns`."""
    candidates = [*pages, *(address for address in addresses(walker))]
    for address in dict.fromkeys(candidates):
        with walker.trial():
            if walker.get(address).status_code != 200:
                continue
            has_board = bool(elements(walker.page, _CARD_BOARDS))
        if not has_board:
            continue
        walker.get(address)
        for board in elements(walker.page, _CARD_BOARDS):
            cards = {card_element.get("data-card") for card_element in elements(board, ".//*[@data-card]")}
            board_columns = [
                column_element.get("data-column") for column_element in elements(board, ".//*[@data-column]")
            ]
            column = next((column_name for column_name in board_columns if column_name in columns), None)
            if card in cards and column is not None:
                return board, column
    raise LostError(f"no board has card {card} and one of the columns")


def _path(address: str) -> str:
    return urlsplit(address).path
