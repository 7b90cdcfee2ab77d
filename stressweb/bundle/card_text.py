"""The card of a run as a page of Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_UNKNOWN = "not recorded"


def markdown(card: Mapping[str, Any]) -> str:
    """Return a card as Markdown; longer lists are only in `run-card.json`."""
    versions, dates, cost = card["made_with"], card["dates"], card["cost"]
    facts = [
        ("suite", f"{_word(card['suite'])}; {_pairs(card['revisions'])}"),
        (
            "made with",
            f"stressweb {_word(versions['stressweb'])}, {_word(versions['browser'])}, {_pairs(versions['packages'])}",
        ),
        ("started, finished", f"{_word(dates['started'])}, {_word(dates['finished'])}"),
        ("world seeds", _list(card["seeds"]["world"])),
        ("stress seeds", _list(card["seeds"]["stress"]) or "none"),
        ("epochs", _list(card["seeds"]["epochs"])),
        ("episodes", _pairs(card["episodes"])),
        ("cost", _pairs(cost)),
        ("pictures", card["pictures"]),
        ("hash of the cells", f"`{card['hashes']['cells']}`"),
        ("hash of the engine's code", f"`{_word(versions['engine'])}`"),
        ("hash of the prompt", f"`{_word(card['hashes']['prompt'])}`"),
    ]
    parts = [
        f"# Run {_safe(card['run'])}",
        _table(("", ""), facts),
        "## Figures\n\nCounts; `stressweb grade` computes rates, differences and intervals from the recording.",
        _table(_FIGURES, ([row[name] for name in _FIGURES] for row in card["figures"])),
        "## Models",
        _table(_MODELS, ([row[name] or "-" for name in _MODELS] for row in card["models"])) or "No model was asked.",
        "## Errors",
        _table(_ERRORS, ([row[name] for name in _ERRORS] for row in card["errors"])) or "No episode ended in an error.",
        "## Hashes of the checkpoints",
        _table(("task", "hash"), ((task, f"`{value}`") for task, value in card["hashes"]["checks"].items())),
        "## How to check this run",
        HOW,
    ]
    return "\n\n".join(parts) + "\n"


_FIGURES = (
    "agent", "condition", "episodes", "successes", "false_claims", "checkpoints_passed", "checkpoints", "errors",
)  # fmt: skip
_MODELS = "agent", "model", "fingerprint"
_ERRORS = "episode", "message"
HOW = (
    "Install stressweb, and give the archive to `stressweb grade`: it checks every hash and seal, grades each episode\n"
    "again from the recorded pages, and names every task whose checks have changed since. `stressweb report` shows\n"
    "every step. `run-card.json` has the plan and the identity of each cell; cells of equal identity can be compared."
)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, or "" without rows."""
    body = list(rows)
    lines = [head, ["---"] * len(head), *body] if body else []
    return "\n".join(f"| {' | '.join(_safe(cell) for cell in line)} |" for line in lines)


def _safe(value: object) -> str:
    """Return a value on one line with markup escaped: names and messages are untrusted."""
    text = " ".join(str(value).split())
    # The backslash first, because the other escapes add backslashes.
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")


def _word(value: object) -> str:
    return str(value) if value else _UNKNOWN


def _pairs(values: object) -> str:
    # The recording is untrusted and may hold any value here.
    if not isinstance(values, Mapping) or not values:
        return _UNKNOWN
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _list(values: Sequence[int]) -> str:
    """Return numbers as text, four or more consecutive ones as a range: `0 to 9`."""
    if len(values) > 3 and list(values) == list(range(values[0], values[-1] + 1)):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(str, values))
