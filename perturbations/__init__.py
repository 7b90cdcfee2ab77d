"""What disturbs a site: the modes, and the addons of the proxy that carry them.

A mode is a folder here, with its Python code and the scripts that run in the page. What all modes share in the page is
in `page`. `MODES` is the order in which a gesture meets them: remap first, failure only for a gesture that would act.

Other packages import from here, not from the modules. Names are imported when they are first used, because the proxy's
addons need mitmproxy, which is slow to import.
"""

if __name__ == "perturbations":  # imported by its folder's name, which works in a checkout only
    raise ModuleNotFoundError("No module named 'perturbations'; import stressweb.perturbations", name="perturbations")

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from stressweb.core.conditions import Applied, Condition
from stressweb.core.errors import UserError
from stressweb.core.lazy_names import lazy_names
from stressweb.core.validation import sentence
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.registry import Kind, Registry

# Type checkers cannot see what `__getattr__` returns. `as` with the same name marks a name as public.
if TYPE_CHECKING:
    from stressweb.perturbations.addons import proxy_addons as proxy_addons
    from stressweb.perturbations.addons.binding import Binding as Binding
    from stressweb.perturbations.addons.binding import PageObserver as PageObserver
    from stressweb.perturbations.addons.binding import ServedSite as ServedSite
    from stressweb.perturbations.addons.body_limit import LARGEST_BODY as LARGEST_BODY
    from stressweb.perturbations.addons.credential import PROXY_USER as PROXY_USER
    from stressweb.perturbations.addons.episodes import Episodes as Episodes
    from stressweb.perturbations.addons.site_faults import FAULT_HEADER as FAULT_HEADER
    from stressweb.perturbations.addons.site_route import DATABASE_HEADER as DATABASE_HEADER
    from stressweb.perturbations.addons.site_route import KEY_HEADER as KEY_HEADER
    from stressweb.perturbations.asset_cache import AssetCache as AssetCache
    from stressweb.perturbations.episode_perturber import EpisodePerturber as EpisodePerturber
    from stressweb.perturbations.episode_perturber import ReportError as ReportError
    from stressweb.perturbations.page.bundles import check_bundles_are_fresh as check_bundles_are_fresh
    from stressweb.perturbations.page.checked import check_scripts as check_scripts
    from stressweb.perturbations.page.parts import key_maker as key_maker

_MODULES = {
    "addons": ("proxy_addons",),
    "addons.binding": ("Binding", "PageObserver", "ServedSite"),
    "addons.body_limit": ("LARGEST_BODY",),
    "addons.credential": ("PROXY_USER",),
    "addons.episodes": ("Episodes",),
    "addons.site_faults": ("FAULT_HEADER",),
    "addons.site_route": ("DATABASE_HEADER", "KEY_HEADER"),
    "asset_cache": ("AssetCache",),
    "episode_perturber": ("EpisodePerturber", "ReportError"),
    "page.bundles": ("check_bundles_are_fresh",),
    "page.checked": ("check_scripts",),
    "page.parts": ("key_maker",),
}
__getattr__ = lazy_names(__name__, _MODULES)
__all__ = [  # noqa: PLE0604 - see above
    "MODES", "REGISTRY", "applied_mode", "mode", "modes_of", "gesture_stopping_modes",
    *(name for names in _MODULES.values() for name in names),
]  # fmt: skip

MODES: Sequence[str] = ("remap", "remap_explicit", "failure", "popup", "chaos", "noise")
_VARIANTS = {"remap_explicit": "remap.explicit"}
"""Modules of the modes that are in the folder of the mode that they extend."""


def mode(name: str) -> type[Perturbation]:
    """Return the class of a built-in mode."""
    module = _VARIANTS.get(name, name)
    attributes = vars(importlib.import_module(f"stressweb.perturbations.{module}")).values()
    classes = (cls for cls in attributes if isinstance(cls, type) and issubclass(cls, Perturbation))
    # Compare names: a module may also import the mode that it extends, as `remap.explicit` does.
    return next(cls for cls in classes if getattr(cls, "mode", None) == name)


REGISTRY: Registry[type[Perturbation]] = Registry(
    Kind("perturbations", "mode", Perturbation, listed="modes", named_by="mode"), lambda: MODES, mode
)
"""All modes by name, in the order in which a gesture meets them; plug-ins come last."""


def modes_of(condition: Condition) -> list[Perturbation]:
    """Return the modes of a condition.

    Raises UserError for a parameter that a mode does not have, and for a mode beside the mode that it extends: the two
    disturb the same controls.
    """
    names = {applied.mode for applied in condition.applied}
    for variant, module in _VARIANTS.items():
        extended = module.partition(".")[0]
        if {variant, extended} <= names:
            raise UserError(
                f"mode {condition.label!r} has {variant}, which does all that {extended} does; name only one"
            )
    return [applied_mode(REGISTRY.get(applied.mode), applied) for applied in condition.applied]


def gesture_stopping_modes() -> list[str]:
    """Return the modes that can suppress a gesture; broken plug-ins are left out."""
    return [name for name in REGISTRY.working() if REGISTRY.get(name).swallows]


def applied_mode(mode_class: type[Perturbation], applied: Applied) -> Perturbation:
    """Return a mode as a condition applies it; raises UserError for a parameter that it does not have."""
    try:
        return mode_class.at(applied.severity, **dict(applied.parameters))
    except ValidationError as error:
        detail = error.errors()[0]
        parameter = ".".join(map(str, detail["loc"]))
        valid = ", ".join(mode_class.model_fields)
        problem = f"parameter {parameter!r} of mode {applied} {sentence(detail)}"
        raise UserError(f"{problem}; the parameters of {mode_class.mode} are {valid}") from None
