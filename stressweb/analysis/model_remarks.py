"""Remarks about language models and their endpoints, below the table of a run."""

from collections import Counter
from collections.abc import Iterator, Sequence

from stressweb.analysis.pairing import grouped
from stressweb.analysis.result_row import ResultRow
from stressweb.core.words import counted

LENGTH = "page length"
"""The entry of `refused` for a truncated page."""
_LONGEST = 160
"""Longest answer that a remark repeats, in characters."""


def model_remarks(rows: Sequence[ResultRow]) -> list[str]:
    """Return the remarks about each agent that uses a language model."""
    return [
        f"{agent}: {remark}." for agent, own in grouped(rows, lambda row: row.agent).items() for remark in _remarks(own)
    ]


def _remarks(rows: Sequence[ResultRow]) -> Iterator[str]:
    episodes = sum(row.episodes + row.errors for row in rows)
    if ended := sum(row.unanswered for row in rows):
        first = next(row.first_unanswered for row in rows if row.first_unanswered)
        yield (
            f"{ended} of {counted(episodes, 'episode')} ended because three answers in a row were no action; "
            f"first: {_line(first)}"
        )
    refusal_counts = sum((Counter(row.refused) for row in rows), Counter[str]())
    if cut := refusal_counts.pop(LENGTH, 0):
        yield f"the page was cut to fit the model in {cut} of {counted(episodes, 'episode')}"
    if refusal_counts:
        parts = [
            f"{_line(part)} in {count} of {counted(episodes, 'episode') if not n else episodes}"
            for n, (part, count) in enumerate(refusal_counts.items())
        ]
        yield f"the endpoint refused {', '.join(parts)}"
    if unwrapped_count := sum(row.unwrapped for row in rows):
        where = sum(row.unwrapped_in for row in rows)
        of = f"{where} of {counted(episodes, 'episode')}"
        yield f"{counted(unwrapped_count, 'answer')} in {of} had to be taken out of other text"


def _line(text: str) -> str:
    """Return an untrusted text as one printable line, truncated."""
    line = "".join(sign if sign.isprintable() else " " for sign in text)
    line = " ".join(line.split()).rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()} …"
