"""Conditions: the parser of `clean`, `remap@3`, `remap@1..5`, `noise@2+failure@4`, `failure(rate=0.2)`.

Imports only the standard library, so that a wrong condition is reported before anything is installed.
"""

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stressweb.core import choices
from stressweb.core.errors import UserError

DEFAULT_SEVERITY = 3
SEVERITIES = range(6)
LONGEST = 1000
"""Longest condition, in characters."""
MOST = 1000
"""Largest number of conditions in a combination of ranges."""
UNTESTED = ("clean", "sham")
"""Conditions that disturb nothing; nothing is drawn for them, and hypothesis tests are not adjusted for them."""

# Includes dots and a colon, because `check` also gets modes that are not loaded yet: `my_package.my_module:MyMode`.
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
# Includes the minus, so that `remap@-1` is reported as out of range, not as malformed.
_ITEM = re.compile(
    rf"(?P<mode>{_NAME.pattern})(?:@(?P<severity>-?[0-9]+)(?:\.\.(?P<last>[0-9]+))?)?(?:\((?P<parameters>[^()]*)\))?"
)
_FORMS = " or all, with @0 to @5 or @1..5, joined by + or ,"
_ALONE = {
    "clean": "that nothing is disturbed",
    "sham": "that everything is set up and nothing is disturbed",
    "all": "every mode by itself",
}
"""Words that are not modes, and their meanings."""


@dataclass(frozen=True)
class Applied:
    """One mode of a condition: its name, its severity, and the parameters that differ from the table."""

    mode: str
    severity: int = DEFAULT_SEVERITY
    parameters: tuple[tuple[str, float | bool], ...] = ()

    def __str__(self) -> str:
        """Return the mode as a user types it."""
        options = ",".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.mode}@{self.severity}" + (f"({options})" if options else "")


@dataclass(frozen=True)
class Condition:
    """A set of modes that act together. `clean` has neither modes nor our script; `sham` has the script and no mode.

    A condition is parsed once, from the user's text, and recorded with the plan of a run, so that the run can be read
    even if its modes are not installed.
    """

    applied: tuple[Applied, ...] = ()
    sham: bool = False

    @property
    def label(self) -> str:
        """The condition's name in tables, keys and files."""
        return "+".join(map(str, self.applied)) or ("sham" if self.sham else "clean")

    @property
    def modes(self) -> tuple[str, ...]:
        """The names of its modes."""
        return tuple(mode.mode for mode in self.applied)

    @property
    def drawn(self) -> bool:
        """Whether it has draws, so that it runs once per stress seed.

        `sham` has no mode and so no draws; each stress seed would repeat the same episode.
        """
        return bool(self.applied)

    @property
    def active(self) -> bool:
        """Whether pages are rewritten at all."""
        return self.sham or bool(self.applied)

    def __str__(self) -> str:
        """Return the condition as a user types it."""
        return self.label


CLEAN = Condition()


def parse(text: str, modes: Sequence[str]) -> list[Condition]:
    """Return the conditions in `text`, each once; `all` and `all@5` have one for each mode alone.

    `remap@1..5` is one condition per severity, and `remap@1..2+noise@1..2` one per pair of them. `modes` are the valid
    names. Raises UserError with the wrong part and the choices.
    """
    conditions: dict[Condition, None] = {}
    for part in split(text, ","):
        if len(part) > LONGEST:
            raise UserError(f"mode {part[:40]!r}... has {len(part)} characters; a condition has at most {LONGEST}")
        every = re.fullmatch(r"all(@-?[0-9]+(?:\.\.[0-9]+)?)?", part)
        if every:
            # `all@1..5` uses the parser of `remap@1..5`, so that both accept and reject the same texts.
            applied_modes = (applied for mode in modes for applied in _applied_modes(mode + (every[1] or ""), modes))
            conditions.update(dict.fromkeys(Condition((applied,)) for applied in applied_modes))
        elif part in ("clean", "sham"):
            conditions[Condition(sham=part == "sham")] = None
        else:
            # In the order of the modes: `noise+remap` and `remap+noise` are the same condition and need the same label.
            items = sorted(_items(part, modes), key=lambda severities: modes.index(severities[0].mode))
            # Counted before they are created, because five ranges of six severities are already 7,776 conditions.
            if math.prod(map(len, items)) > MOST:
                raise UserError(f"mode {part!r} stands for more than {MOST} conditions")
            conditions.update(dict.fromkeys(map(Condition, itertools.product(*items))))
    if not conditions:
        raise UserError(f"mode is empty; there are {', '.join(_names(modes))}{_FORMS}")
    return list(conditions)


def check(text: str) -> None:
    """Raise UserError if a list of conditions is malformed; its modes need not exist."""
    names = dict.fromkeys(_name(item) for part in split(text) for item in split(part, "+"))
    # `all` needs at least one mode.
    parse(text, ["any", *(name for name in names if name not in _ALONE and _NAME.fullmatch(name))])


def _name(text: str) -> str:
    """Return the part before severity and parameters."""
    return re.split(r"[@(]", text, maxsplit=1)[0].strip()


def _items(text: str, modes: Sequence[str]) -> list[list[Applied]]:
    """Return each mode of a condition, at each of its severities."""
    parts = split(text, "+")
    single = next((name for name in map(_name, parts) if name in _ALONE), "")
    # Checked in all parts first, so that the message repeats the whole condition.
    if single:
        raise _unknown(text, single, modes)
    items = [_applied_modes(item, modes) for item in parts]
    names = [severities[0].mode for severities in items]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UserError(f"mode {text!r} names {twice!r} twice; name each mode of a condition once")
    return items


def _applied_modes(text: str, modes: Sequence[str]) -> list[Applied]:
    """Return a mode at its severity, or at each severity of a range."""
    match = _ITEM.fullmatch(text)
    if not match or match["mode"] not in modes:
        raise _unknown(text, _name(text), modes)
    first = int(match["severity"] or DEFAULT_SEVERITY)
    last = int(match["last"] or first)
    for severity in (first, last):
        if severity not in SEVERITIES:
            raise UserError(f"severity {severity} of mode {match['mode']!r} is outside 0 to 5")
    if last < first:
        raise UserError(f"severities {first}..{last} of mode {match['mode']!r} end before they begin")
    # Parameters that the user sets apply to all severities of a range.
    parameters = tuple(_parameters(text, match["parameters"] or ""))
    return [Applied(match["mode"], severity, parameters) for severity in range(first, last + 1)]


def _parameters(text: str, parameters: str) -> Iterable[tuple[str, float | bool]]:
    for parameter in filter(None, (part.strip() for part in parameters.split(","))):
        name, equals, value = (part.strip() for part in parameter.partition("="))
        if not equals or not name.isidentifier():
            raise UserError(f"parameter {parameter!r} of mode {text!r} is not of the form name=value")
        # As in Python and YAML. Labels have `True`, and must parse again.
        if value.lower() in ("true", "false"):
            yield name, value.lower() == "true"
            continue
        try:
            yield name, float(value)
        except ValueError:
            raise UserError(
                f"parameter {name!r} of mode {text!r} is {value!r}; it takes a number, true or false"
            ) from None


def split(text: str, separator: str = ",") -> list[str]:
    """Split at separators outside of parentheses, in linear time."""
    # From right to left: a separator is inside parentheses if the last parenthesis seen was a closing one.
    in_parentheses, end, parts = False, len(text), list[str]()
    for match in reversed([*re.finditer(rf"[(){re.escape(separator)}]", text)]):
        if match[0] in "()":
            in_parentheses = match[0] == ")"
        elif not in_parentheses:
            parts.append(text[match.end() : end])
            end = match.start()
    return [part.strip() for part in (text[:end], *reversed(parts)) if part.strip()]


def _unknown(text: str, name: str, modes: Sequence[str]) -> UserError:
    """Return the error for a part of a condition that is not a mode, or is malformed."""
    if name in _ALONE:
        explanation = "so it is not joined with + and takes no severity and no parameters"
        return UserError(f"mode {text!r}: {name} means {_ALONE[name]}, {explanation}; list it on its own: {name},remap")
    if name in modes:
        return UserError(f"mode {text!r} is not of the form {name}, {name}@3 or {name}@3(parameter=value)")
    # Compares the name alone, because the rest may be right.
    offer = choices.offered(name or text, _names(modes), command="stressweb list modes", more=_FORMS)
    return UserError(f"unknown mode {text!r}; {offer}")


def _names(modes: Sequence[str]) -> list[str]:
    return ["clean", "sham", *modes]
