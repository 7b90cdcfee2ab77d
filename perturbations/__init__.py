"""What disturbs a site: the modes, and the addons of the proxy that carry them.

A mode is a Python file here, with a `.js` file of the same name where it lives in the page. `MODES` is the order in
which a gesture meets them: remap first, failure only for a gesture that would act.
"""

import importlib
from collections.abc import Sequence

from pydantic import ValidationError

from stressweb.core.conditions import Applied
from stressweb.core.errors import UserError
from stressweb.core.validation import sentence
from stressweb.plugins.perturbation import Perturbation

MODES: Sequence[str] = ("remap", "remap_explicit", "failure", "popup", "chaos", "noise")


def mode(name: str) -> type[Perturbation]:
    """Return the class of a mode of ours."""
    found = vars(importlib.import_module(f"perturbations.{name}")).values()
    own = (one for one in found if isinstance(one, type) and issubclass(one, Perturbation))
    # By its own name: a module may also import another mode that it builds on, as `remap_explicit` does.
    return next(one for one in own if getattr(one, "mode", None) == name)


def at(kind: type[Perturbation], applied: Applied) -> Perturbation:
    """Return a mode as a condition applies it; raises UserError for a parameter that it does not take."""
    try:
        return kind.at(applied.severity, **dict(applied.parameters))
    except ValidationError as error:
        first = error.errors()[0]
        wrong = ".".join(map(str, first["loc"]))
        valid = ", ".join(kind.model_fields)
        said = f"parameter {wrong!r} of mode {applied} {sentence(first)}"
        raise UserError(f"{said}; the parameters of {kind.mode} are {valid}") from None
