"""Settings of noise.js, and the draws that a page makes with them."""

from collections.abc import Mapping
from typing import Self

from stressweb.core.injections import AllowedInjections
from stressweb.perturbations.page.bundles import bundle
from stressweb.plugins.perturbation import Rate
from stressweb.plugins.rule import Control, Narrowing, Rule

OPERATORS = (
    "wrap", "split", "widen", "comment", "hide_decoy", "show_decoy", "duplicate", "dress", "rename_ids",
)  # fmt: skip
"""The operators on elements and ids; each draws in the lane of its index in this list."""
WIDTHLESS = "\u200c\u200d\u2060"
"""Characters that noise inserts between letters, the same as in noise_cuts.js."""


class NoiseRule(Rule):
    """Settings of noise.js. Injections are named by operator, template of the page's path, and key of the element."""

    script = bundle("noise")

    density: Rate
    """Share of the possible places that an operator changes."""
    operators: tuple[str, ...] = OPERATORS
    """Names of the operators, in the order of the lanes of their draws."""
    tells: bool = False
    """Whether the page reports each changed place, and not only their number."""

    def narrowed(self, allowed: AllowedInjections, template: str, step: int) -> Self:
        """Return the rule for a document loaded in a step of a search for a cause; `template`: that of its path."""
        narrowing = Narrowing.of_places(allowed, self.mode, template, step)
        return self.model_copy(update={"allowed": narrowing, "tells": True})

    def places(self, strengths: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return operator and key of each changed place."""
        split_places = (place.partition(" ") for place in strengths)
        return [(operator, key) for operator, _, key in split_places]

    def hits(self, operator: str, key: str) -> bool:
        """Return whether an operator acts on an element or an id, if it is possible there.

        `key` is the element's key, or the id itself.
        """
        drawn = self.drawn(key, 0, self.operators.index(operator))
        return drawn < self.density and self.lets(f"{operator} {key}", 0)

    def meets(self, control: Control | None, page: str, attempt: int) -> bool:
        """Return whether the page is changed: every action on a changed page meets this."""
        return self.density > 0


_UNSEEN = dict.fromkeys(map(ord, WIDTHLESS))


def restored(value: str) -> str:
    """Remove the characters that noise may have inserted into a submitted name or value."""
    # Noise inserts no ASCII characters, and nearly all values are ASCII.
    return value if value.isascii() else value.translate(_UNSEEN)
