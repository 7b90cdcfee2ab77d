"""What two recorded runs of the same plan differ in, episode by episode, all but the times.

`python -P -m scripts.same_runs BEFORE AFTER` takes the folders of two runs and prints it; exit status 0: every episode
is the same, 1: some are not, 2: a folder is no run, or the runs have other episodes. Use it after a change that must
leave recordings as they are, with a run of each version. `stressweb compare` asks whether an agent has become worse;
this asks whether anything that was recorded is another.
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
"""What `Store.content` returns of an episode."""
_MOST = 3
"""Differences of one episode that are shown."""
_LONGEST = 160
"""Characters of a value that are shown."""
_COPIES = ("copy", "html")
"""Fields of a page that hold the same document."""


@dataclass(frozen=True)
class Difference:
    """One way in which two episodes of a cell differ."""

    part: str
    """What differs: `status`, `grade`, `ledger`, `action`, `page html` …"""
    words: str
    """Where, and both values."""


def differences(before: Content, after: Content) -> Iterator[Difference]:
    """Yield what differs between two episodes of one cell, in the order in which it came to be."""
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
    # The agent's copy is made from the recorder's, and would only say the same again.
    for name in names if "copy" not in names else [name for name in names if name != "html"]:
        old, new = getattr(before, name), getattr(after, name)
        words = _boxes(old, new) if name == "boxes" else _texts(str(old), str(new))
        yield Difference("page html" if name in _COPIES else f"page {name}", words)


def _boxes(before: Sequence[Box | None], after: Sequence[Box | None]) -> str:
    """Say how many boxes differ, and by how much at most."""
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
    """Return both texts from a little before the place where they part."""
    place = next((index for index, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    begin = max(0, place - 40)
    return _both(before[begin:], after[begin:])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def comparison(before: Mapping[str, Content], after: Mapping[str, Content]) -> Iterator[str]:
    """Yield each episode that is another, with its first differences, then the sums; raises UserError."""
    if others := sorted(before.keys() ^ after.keys()):
        raise UserError(f"{counted(len(others), 'episode')} in one run alone, the first: {others[0]}")
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
    """Return what a run has recorded, by key of the cell; raises UserError."""
    with Store.read(folder / FILE) as store:
        store.check_whole()
        return dict(store.content())


def main(arguments: Sequence[str]) -> int:
    """Print what two runs differ in; return the exit status."""
    if len(arguments) != 2:
        print("python -P -m scripts.same_runs BEFORE AFTER: the folders of two runs", file=sys.stderr)
        return 2
    try:
        lines = [*comparison(*(content(Path(folder)) for folder in arguments))]
    except UserError as error:
        print(f"same_runs: {error}", file=sys.stderr)
        return 2
    print(*lines, sep="\n")
    # Without a difference there is the sum alone.
    return min(1, len(lines) - 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
