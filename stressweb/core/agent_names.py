"""What an agent is called: by the name that its user gives, as in `big=model(model=x)`, else by what was typed."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

LONGEST_SHOWN = 24
"""Characters of an agent with options that a table shows as it was typed."""
_GIVEN = re.compile(r"\s*([A-Za-z][\w.-]{0,39})\s*=\s*(?=[^\s=(])")


def given_name(text: str) -> tuple[str, str]:
    """Return the name that a user gives an agent, empty if there is none, and the agent that is called so."""
    match = _GIVEN.match(text)
    return (match[1], text[match.end() :].strip()) if match else ("", text)


def by_name(labels: Iterable[str]) -> dict[str, str]:
    """Return labels by what a user may call the agents: by the label itself, and by the name that was given."""
    every = list(labels)
    return {**{title: label for label in every if (title := given_name(label)[0])}, **{label: label for label in every}}


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Return by label how agents are called in a table: all differ, and none is longer than it has to be."""
    every = list(dict.fromkeys(labels))
    titles = Counter(given_name(label)[0] or label for label in every)
    # In a merged run two agents may have been given one name: then each stays as it was typed.
    names = {label: title if (title := given_name(label)[0]) and titles[title] == 1 else label for label in every}
    # What a user typed, or is short as it is, keeps its name. The others are counted, around these names.
    long = [
        label
        for label in every
        if names[label] == label and len(label) > LONGEST_SHOWN and "(" in label and not given_name(label)[0]
    ]
    taken = {name for label, name in names.items() if label not in long}
    for label in long:
        base = label.partition("(")[0].strip()
        alone = sum(rival.partition("(")[0].strip() == base for rival in long) == 1
        names[label] = next(name for name in _candidates(base, alone) if name not in taken)
        taken.add(names[label])
    return names


def spelled_out(names: Mapping[str, str]) -> list[str]:
    """Say in a line each which agent a short name stands for; `names` are those of `short_names`."""
    return [f"{name}: {given_name(label)[1]}" for label, name in names.items() if name != label]


def _candidates(base: str, alone: bool) -> Iterable[str]:
    if alone:
        yield base
    number = 1
    while True:
        yield f"{base}-{number}"
        number += 1
