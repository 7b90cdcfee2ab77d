"""Names of agents: the user's title, as in `big=model(model=x)`, or the label as typed."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

LONGEST_SHOWN = 24
"""Longest label with options that a table shows as typed, in characters."""
_TITLE = re.compile(r"\s*([A-Za-z][\w.-]{0,39})\s*=\s*(?=[^\s=(])")


def split_title(text: str) -> tuple[str, str]:
    """Return the user's title of an agent ("" for none), and the rest of the label."""
    match = _TITLE.match(text)
    return (match[1], text[match.end() :].strip()) if match else ("", text)


def by_name(labels: Iterable[str]) -> dict[str, str]:
    """Return labels by every name that a user may type: the label itself, and its title."""
    every = list(labels)
    return {
        **{title: label for label in every if (title := split_title(label)[0])},
        **{label: label for label in every},
    }


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Return by label the names of agents in a table: unique, and as short as possible."""
    every = list(dict.fromkeys(labels))
    titles = Counter(split_title(label)[0] or label for label in every)
    # In a merged run, two agents may have the same title; then both keep their labels.
    names = {label: title if (title := split_title(label)[0]) and titles[title] == 1 else label for label in every}
    # Titles and short labels are kept, and the other agents get numbers.
    long = [
        label
        for label in every
        if names[label] == label and len(label) > LONGEST_SHOWN and "(" in label and not split_title(label)[0]
    ]
    used_names = {name for label, name in names.items() if label not in long}
    for label in long:
        base = label.partition("(")[0].strip()
        is_unique = sum(rival.partition("(")[0].strip() == base for rival in long) == 1
        names[label] = next(name for name in _candidates(base, is_unique) if name not in used_names)
        used_names.add(names[label])
    return names


def spelled_out(names: Mapping[str, str]) -> list[str]:
    """Return a line with the full label for each short name; `names` is the result of `short_names`."""
    return [f"{name}: {split_title(label)[1]}" for label, name in names.items() if name != label]


def _candidates(base: str, is_unique: bool) -> Iterable[str]:
    if is_unique:
        yield base
    number = 1
    while True:
        yield f"{base}-{number}"
        number += 1
