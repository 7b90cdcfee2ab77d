"""Settings of a mode's script, and the decisions that follow from them, which page and program compute alike."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, SkipValidation

from stressweb.core.injections import AllowedInjections
from stressweb.core.page_draws import Pair, draw, key_words

PRESSED = frozenset(("link", "button", "checkbox", "radio", "switch", "menuitem", "tab"))
"""Roles of controls that you press; others are filled in."""


class Control(NamedTuple):
    """An element to press or to fill in, as it was when it was first seen."""

    key: str
    """Site, path template, role, name, target, and a number to distinguish equals; its draws depend on this."""
    role: str
    name: str

    @classmethod
    def of(cls, key: str) -> Self:
        """Return a control from its recorded key; its name is the rest of the key after the role."""
        # A site's id and a path contain no space, so the third word is the role.
        _, _, role, name = [*key.split(" ", 3), ""][:4]
        return cls(key, role, name)

    @property
    def pressed(self) -> bool:
        """Whether you press it; otherwise you fill it in."""
        return self.role in PRESSED

    def __str__(self) -> str:
        """Return the control as the ledger names it."""
        return f"{self.role} {self.name!r}"


def subject(control: Control | None, page: str) -> str:
    """Return the name for counts and reports: the key of a control, or the name of a page if `control` is None.

    `page` is its site and path template.
    """
    return f"page {page.partition(' ')[2]}" if control is None else control.key


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Narrowing(_Settings):
    """The attempts that a mode may disturb during a search for a cause."""

    others: bool
    """Whether controls that are not in `controls` may be disturbed."""
    # Not validated, because pydantic rejects lone surrogates, which a key may contain.
    controls: Annotated[dict[str, tuple[bool, list[int]]], SkipValidation]
    """By key, attempts that may be disturbed: with True these only, with False all others. A mode with one draw for all
    attempts at a control uses attempt 0."""

    @classmethod
    def of(cls, allowed: AllowedInjections, mode: str, step: int, *, by_attempt: bool) -> Self:
        """Return the narrowing for a page that loads in a step; `by_attempt` is that of the mode's rule."""
        attempts = {}
        for key in allowed.controls(mode):
            if by_attempt:
                attempts[key] = allowed.attempts((mode, key), step) or (False, [])
            else:
                attempts[key] = (not allowed.lets((mode, key), step), [])
        # No control has an empty key, so its answer is that for all other controls.
        return cls(others=allowed.lets_any((mode, ""), step), controls=attempts)

    @classmethod
    def of_places(cls, allowed: AllowedInjections, mode: str, template: str, step: int) -> Self:
        """Return the narrowing for the places of a page that loads in a step.

        The key of a place is the operator and the key of the element, separated by a space.
        """
        attempts: dict[str, tuple[bool, list[int]]] = {}
        for operator, key in allowed.places(mode, template):
            attempts[f"{operator} {key}"] = not allowed.lets((mode, operator, template, key), step), []
        # No operator has an empty name, so its answer is that for all other places.
        return cls(others=allowed.lets((mode, "", template, ""), step), controls=attempts)

    def lets(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control may be disturbed."""
        if key not in self.controls:
            return self.others
        are_allowed, attempts = self.controls[key]
        return (attempt in attempts) == are_allowed


class Rule(_Settings):
    """The settings of a mode's script, which gets them as JSON. Each mode has a subclass with its own fields."""

    script: ClassVar[Path]
    """The `.js` file: a function of runtime and rule, called once before any script of the page runs."""
    parts: ClassVar[tuple[Path, ...]] = ()
    """Further `.js` files; each is a function that the script gets as another argument after the rule."""
    by_attempt: ClassVar[bool] = True
    """Whether each attempt at a control has its own draw; otherwise one draw decides for all attempts."""
    by_page: ClassVar[bool] = False
    """Whether all places that the script reports as moved are one injection, which it checks by
    `runtime.lets(settings.allowed, runtime.page, 0)`; False for scripts that report none or check each place."""

    mode: str
    """Name of the mode in the script's reports."""
    rule: Pair
    """Words of its draws, from `stressweb.core.page_draws.rule_words`."""
    allowed: Narrowing | None = None
    """The attempts that may be disturbed in a search for a cause; None: all."""

    def drawn(self, key: str, attempt: int = 0, lane: int = 0) -> float:
        """Return the page's draw for an attempt at a key."""
        return draw(self.rule, key_words(key), attempt, lane)

    def narrowed(self, allowed: AllowedInjections, template: str, step: int) -> Self:
        """Return the rule for a document loaded in a step of a search for a cause; `template`: that of its path."""
        narrowing = Narrowing.of(allowed, self.mode, step, by_attempt=self.by_attempt)
        return self.model_copy(update={"allowed": narrowing})

    def places(self, strengths: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return parameter or operator, and element key, of each place that a page reports in a search for a cause.

        The default is for a mode that disturbs only gestures, or the whole page.
        """
        return []

    def lets(self, key: str, attempt: int) -> bool:
        """Return whether an attempt at a control may be disturbed."""
        return self.allowed is None or self.allowed.lets(key, attempt)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw for an attempt at a control, or for the load of a page (no control).

        The mode disturbs it if the draw is below its rate, the only parameter in its severity table. None if the mode
        never disturbs it; the default is for modes without a rate. `page` is its site and path template; `attempt` is
        the number of the attempt, or of the load of such pages, from 0.
        """
        return None

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether an action on a control, or the load of a page (no control), meets the mode.

        The arguments are those of `decides`. The default is for a mode that changes whole pages: every action meets it.
        """
        return control is not None
