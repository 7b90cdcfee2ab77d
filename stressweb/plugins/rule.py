"""Settings of a mode's script, and the decisions that follow from them: the same in the page and in Python."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, SkipValidation

from stressweb.core.injections import Allowed
from stressweb.core.page_draws import Pair, draw, key_words

PRESSED = frozenset(("link", "button", "checkbox", "radio", "switch", "menuitem", "tab"))
"""Roles of controls that a click or a key acts on; the others are filled in."""


class Control(NamedTuple):
    """Something to press or to fill in, as the page had it when it was seen first."""

    key: str
    """What its draws depend on: site, path template, role, name, target, ordinal among equals."""
    role: str
    name: str

    @classmethod
    def of(cls, key: str) -> Self:
        """Return a control from its recorded key; its name is the whole rest of the key."""
        # Neither a site's id nor a path contains a space, so the third word is the role.
        _, _, role, name = [*key.split(" ", 3), ""][:4]
        return cls(key, role, name)

    @property
    def pressed(self) -> bool:
        """Whether a click or a key acts on it; otherwise it is filled in."""
        return self.role in PRESSED

    def __str__(self) -> str:
        """Name the control in the ledger."""
        return f"{self.role} {self.name!r}"


def subject(control: Control | None, page: str) -> str:
    """Return the name under which attempts at a control, or loads of a page (no control), are counted and reported.

    `page` is site and path template.
    """
    return f"page {page.partition(' ')[2]}" if control is None else control.key


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Narrowing(_Told):
    """Which attempts a mode may disturb during a search for a cause."""

    others: bool
    """Whether controls that are not named may be disturbed."""
    # Not validated: pydantic rejects lone surrogates, which may occur in a page and so in a key.
    controls: Annotated[dict[str, tuple[bool, list[int]]], SkipValidation]
    """By key: only these attempts with True, all but these with False. A mode with one draw for all attempts at a
    control asks about attempt 0."""

    @classmethod
    def of(cls, allowed: Allowed, mode: str, step: int, *, by_attempt: bool) -> Self:
        """Return the narrowing for a page that loads during an action; `by_attempt` is that of the mode."""
        attempts = {}
        for key in allowed.controls(mode):
            if by_attempt:
                attempts[key] = allowed.attempts((mode, key), step) or (False, [])
            else:
                attempts[key] = (not allowed.lets((mode, key), step), [])
        # No control has an empty key, so its answer is that for all controls that are not named.
        return cls(others=allowed.lets_any((mode, ""), step), controls=attempts)

    @classmethod
    def of_places(cls, allowed: Allowed, mode: str, template: str, step: int) -> Self:
        """Return where a mode may change a page of a template that comes during an action.

        A place is identified by the operator and the key of the element, separated by a space.
        """
        attempts: dict[str, tuple[bool, list[int]]] = {}
        for operator, key in allowed.places(mode, template):
            attempts[f"{operator} {key}"] = not allowed.lets((mode, operator, template, key), step), []
        # No operator has an empty name, so its answer is that for all places that are not named.
        return cls(others=allowed.lets((mode, "", template, ""), step), controls=attempts)

    def lets(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control may be disturbed."""
        if key not in self.controls:
            return self.others
        listed, attempts = self.controls[key]
        return (attempt in attempts) == listed


class Rule(_Told):
    """What the script of a mode reads, as JSON. Each mode has a subclass with the fields that its script reads."""

    script: ClassVar[Path]
    """The `.js` file: a function of the runtime and of the rule, called once before any script of the page runs."""
    parts: ClassVar[tuple[Path, ...]] = ()
    """Further `.js` files, each a function that the script is handed after the rule."""
    by_attempt: ClassVar[bool] = True
    """Whether each attempt at a control has a draw of its own; if not, one draw decides about all of them."""
    by_page: ClassVar[bool] = False
    """Whether all places of a page that the script reports as moved are one injection, asked for by
    `runtime.lets(settings.allowed, runtime.page, 0)`; the default is for scripts that have none or ask for each."""

    mode: str
    """Name of the mode: the script reports under it."""
    rule: Pair
    """What its draws start from: `stressweb.core.page_draws.rule_words`."""
    allowed: Narrowing | None = None
    """Which attempts may be disturbed while the cause of a failure is looked for; None: every one."""

    def drawn(self, key: str, attempt: int = 0, lane: int = 0) -> float:
        """Return the draw of an attempt at what has a key, as the page makes it."""
        return draw(self.rule, key_words(key), attempt, lane)

    def narrowed(self, allowed: Allowed, template: str, step: int) -> Self:
        """Return the rule for a document that comes during an action of a search; `template` is that of its path."""
        narrowing = Narrowing.of(allowed, self.mode, step, by_attempt=self.by_attempt)
        return self.model_copy(update={"allowed": narrowing})

    def places(self, fitted: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return what was done to which element, by its key, of all that a page tells of in a search for a cause.

        The default is for a mode that disturbs gestures alone, or a page as a whole.
        """
        return []

    def lets(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control may be disturbed."""
        return self.allowed is None or self.allowed.lets(key, attempt)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw that decides about an attempt at a control, or about the load of a page (no control).

        It is disturbed if the draw is below the rate of the mode, the one parameter in its severity table. None if the
        mode never disturbs it; the default is for modes that do not disturb by a rate. `page` is site and path template
        and `attempt` counts the attempts, or the loads of such pages, from 0.
        """
        return None

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether an action on a control, or the load of a page (no control), meets the mode; as `decides`.

        A mode that changes whole pages answers for every action; the default is for such a mode.
        """
        return control is not None
