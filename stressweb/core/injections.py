"""Injections: single disturbances of an episode, their names, and a filter that allows some of them."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

type Injection = tuple[str, ...]
"""The name of a disturbance: the mode, then its target, from coarse to fine. `("failure", "shop /cart button ...",
"0")` is the first attempt at a control, `("remap", "shop / link ...")` a control, `("popup", "page /cart", "1")` the
second load of a page, `("noise", "wrap", "/cart", "p Your cart 1")` an operator on an element of a page."""

type Strengths = Mapping[tuple[str, ...], float]
"""0 to 1, by page template and element key."""


class Fired(NamedTuple):
    """An injection that fired."""

    injection: Injection
    step: int
    """Number of the current action, from 1; 0 is the first page."""
    element: str
    """The disturbed element as in the ledger: role and name, or the path template."""


class AllowedInjections:
    """Determines which injections of an episode may fire, and records which did.

    Without arguments every injection may fire, and the episode is the same as without an `AllowedInjections`.
    """

    def __init__(
        self,
        only: Collection[Injection] | None = None,
        without: Mapping[Injection, int] | None = None,
        strengths: Strengths | None = None,
    ) -> None:
        """Allow only some injections, or all but some.

        `without` maps an injection to the number of the action from which on it is blocked. `strengths` replaces the
        measurements of modes that measure the page.
        """
        self.given_strengths = strengths
        """Strengths to use instead of measurements; None: measure."""
        self.restart()
        self._only = None if only is None else frozenset(only)
        # All prefixes of the names, so that `lets_any` needs no search.
        self._parts = {injection[:size] for injection in only or () for size in range(1, len(injection) + 1)}
        self._without = dict(without or {})

    def restart(self) -> None:
        """Clear the records before an episode begins."""
        self._fired: dict[tuple[Injection, int], Fired] = {}
        self.met: set[float] = set()
        """Every draw of the episode's gestures and loads, whether it fired or not."""
        self.strengths: dict[tuple[str, ...], float] = {}
        """Strengths of modes that measure."""

    @property
    def fired(self) -> list[Fired]:
        """Every injection that fired, the first time, in order."""
        first: dict[Injection, Fired] = {}
        for fired in self._fired.values():
            if self._had_effect(fired):
                first.setdefault(fired.injection, fired)
        return list(first.values())

    def _had_effect(self, fired: Fired) -> bool:
        """Return whether an injection had any effect: a mode that measures may have reduced its strength to 0."""
        # In names of such modes, template and element are the third and fourth part. Shorter names have no strength,
        # and their injections always have an effect.
        return bool(self.strengths.get(fired.injection[2:4], 1))

    def fired_at(self, step: int) -> list[Fired]:
        """Return the injections that fired during an action."""
        return [fired for fired in self._fired.values() if fired.step == step]

    @property
    def fired_though_blocked(self) -> list[Injection]:
        """Injections that fired although they were blocked, because their mode does not check."""
        # All firings, not only the first: an injection may have fired before the action from which on it is blocked.
        blocked = (fired for fired in self._fired.values() if not self.lets(fired.injection, fired.step))
        return list(dict.fromkeys(fired.injection for fired in blocked if self._had_effect(fired)))

    def lets(self, injection: Injection, step: int) -> bool:
        """Return whether an injection may fire during an action."""
        if self._only is not None and injection not in self._only:
            return False
        # For injections that are never blocked, the default is beyond the current action.
        return step < self._without.get(injection, step + 1)

    def lets_any(self, part: Injection, step: int) -> bool:
        """Return whether any injection with this prefix may fire, such as any attempt at a control."""
        if self._only is not None and part not in self._parts:
            return False
        return step < self._without.get(part, step + 1)

    def attempts(self, part: Injection, step: int) -> tuple[bool, list[int]] | None:
        """Return the attempts at a target that may fire (True) or may not (False); None if all may."""
        if self._only is not None:
            return True, self._numbers(part, self._only)
        blocked = self._numbers(part, [injection for injection, since in self._without.items() if step >= since])
        return (False, blocked) if blocked else None

    def controls(self, mode: str) -> set[str]:
        """Return the keys of all controls in the allowed and blocked injections of a mode."""
        named = [*(self._only or ()), *self._without]
        return {injection[1] for injection in named if len(injection) > 1 and injection[0] == mode}

    def places(self, mode: str, template: str) -> set[tuple[str, str]]:
        """Return operator and element key of all places on a page in the allowed and blocked injections of a mode."""
        named = [*(self._only or ()), *self._without]
        return {
            (injection[1], injection[3])
            for injection in named
            if len(injection) > 3 and injection[0] == mode and injection[2] == template
        }

    def record(self, injection: Injection, step: int, element: str) -> None:
        """Record that an injection fired."""
        # Keyed by action, too, because `fork` needs the injections of an action.
        self._fired.setdefault((injection, step), Fired(injection, step, element))

    @staticmethod
    def _numbers(part: Injection, among: Collection[Injection]) -> list[int]:
        return sorted(int(injection[-1]) for injection in among if injection[:-1] == part and injection[-1].isdecimal())
