"""Shows the differences between two recorded runs of the same plan, episode by episode, except for times.

`python -P -m scripts.same_runs BEFORE AFTER` takes the folders of two runs. Exit status 0: all episodes are the same,
1: some differ, 2: a folder is not a run, or the runs have different episodes. Use it after a change that must not
affect recordings, with a run of each version. `stressweb compare` checks whether an agent has become worse; this checks
whether anything in the recordings differs.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.recording import Shown
from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Box

type Content = Mapping[str, Any]
"""An episode, as `Store.content` returns it."""
_MOST = 3
"""Maximum number of differences shown per episode."""
_LONGEST = 160
"""Maximum number of characters shown per value."""
_COPIES = ("copy", "html")
"""Fields of a page with the same document."""


@dataclass(frozen=True)
class Difference:
    """One difference between two episodes of a cell."""

    part: str
    """The part that differs: `status`, `grade`, `ledger`, `action`, `page html` …"""
    words: str
    """The place of the difference, and both values."""


def differences(before: Content, after: Content) -> Iterator[Difference]:
    """Yield the differences between two episodes of one cell, in chronological order."""
    yield from _of_steps(before["steps"], after["steps"])
    yield from _of_ledgers(before["ledger"], after["ledger"])
    for name in ("status", "claim", "final", "grade"):
        if before[name] != after[name]:
            yield Difference(name, _both(before[name], after[name]))
    pages = (before["closings"], after["closings"])
    for path in sorted(pages[0].keys() | pages[1].keys()):
        first, second = (page.get(path, ("", "")) for page in pages)
        if first != second:
            yield Difference("evidence page", f"{path}: {_texts(first[1], second[1])}")


def _of_steps(before: Sequence[Any], after: Sequence[Any]) -> Iterator[Difference]:
    if len(before) != len(after):
        yield Difference("number of steps", f"{len(before)} | {len(after)}")
    for number, (first, second) in enumerate(zip(before, after, strict=False)):
        for name, old, new in zip(("action", "outcome"), first, second, strict=False):
            if old != new:
                yield Difference(name, f"step {number}: {_both(old, new)}")
        for difference in _of_pages(first[2], second[2]):
            yield Difference(difference.part, f"step {number}: {difference.words}")


def _of_pages(before: Shown, after: Shown) -> Iterator[Difference]:
    names = [field.name for field in fields(before) if getattr(before, field.name) != getattr(after, field.name)]
    # The agent's copy is made from the recorder's, and would only repeat its differences.
    for name in names if "copy" not in names else [name for name in names if name != "html"]:
        old, new = getattr(before, name), getattr(after, name)
        words = _boxes(old, new) if name == "boxes" else _texts(str(old), str(new))
        yield Difference("page html" if name in _COPIES else f"page {name}", words)


def _boxes(before: Sequence[Box | None], after: Sequence[Box | None]) -> str:
    """Return the number of boxes that differ, and the largest difference, as text."""
    if len(before) != len(after):
        return f"of {len(before)} | {len(after)} elements"
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    moved = [max(abs(a - b) for a, b in zip(old, new, strict=True)) for old, new in pairs if old and new]
    by = f", by at most {max(moved):g} px" if moved else ""
    return f"{len(pairs)} of {len(before)} elements{by}"


def _of_ledgers(before: Sequence[Content], after: Sequence[Content]) -> Iterator[Difference]:
    lines = [
        Counter(" ".join(str(value) for value in entry.values()) for entry in ledger) for ledger in (before, after)
    ]
    gone, new = lines[0] - lines[1], lines[1] - lines[0]
    if gone or new:
        yield Difference("ledger", _both("; ".join(gone), "; ".join(new)))
    elif before != after:
        yield Difference("ledger", "the same lines in another order")


def _both(before: object, after: object) -> str:
    return f"{_short(str(before))} | {_short(str(after))}"


def _texts(before: str, after: str) -> str:
    """Return both texts from shortly before their first difference."""
    place = next((index for index, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    begin = max(0, place - 40)
    return _both(before[begin:], after[begin:])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def comparison(before: Mapping[str, Content], after: Mapping[str, Content]) -> Iterator[str]:
    """Yield each episode that differs, with its first differences, then totals; raises UserError if cells differ."""
    if others := sorted(before.keys() ^ after.keys()):
        raise UserError(f"{counted(len(others), 'episode')} in only one of the runs, such as {others[0]}")
    sums = Counter[str]()
    unlike = 0
    for key, episode in before.items():
        changes = [*differences(episode, after[key])]
        if not changes:
            continue
        unlike += 1
        sums.update({difference.part for difference in changes})
        yield key
        yield from _lines(changes)
    yield f"{counted(len(before), 'episode')}, {len(before) - unlike} the same, {unlike} not"
    yield from (f"  {part}: {counted(count, 'episode')}" for part, count in sums.most_common())


def _lines(changes: Sequence[Difference]) -> Iterable[str]:
    yield from (f"  {difference.part}: {difference.words}" for difference in changes[:_MOST])
    if len(changes) > _MOST:
        yield f"  and {len(changes) - _MOST} more"


def content(folder: Path) -> dict[str, Content]:
    """Return the recorded episodes of a run, by key of the cell; raises UserError if it cannot be read."""
    with Store.read(folder / FILE) as store:
        store.check_whole()
        return dict(store.content())


def main(arguments: Sequence[str]) -> int:
    """Print the differences between two runs; return the exit status."""
    if len(arguments) != 2:
        print("python -P -m scripts.same_runs BEFORE AFTER: the folders of two runs", file=sys.stderr)
        return 2
    try:
        lines = [*comparison(*(content(Path(folder)) for folder in arguments))]
    except UserError as error:
        print(f"same_runs: {error}", file=sys.stderr)
        return 2
    print(*lines, sep="\n")
    # Without differences, there is only one line with the total.
    return min(1, len(lines) - 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
