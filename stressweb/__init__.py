"""stressweb measures how much of a web agent's success rate survives when pages, clicks and outcomes change.

This is the Python API: `import stressweb as sw`. Names are imported when you first use them, so the import is free.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Type checkers cannot see what `__getattr__` gives. `as` with the same name is how a stub says that a name is public.
if TYPE_CHECKING:
    from stressweb.core.draws import Seeds as Seeds
    from stressweb.core.errors import EndpointClosedError as EndpointClosedError
    from stressweb.core.errors import EndpointError as EndpointError
    from stressweb.core.errors import InfrastructureError as InfrastructureError
    from stressweb.core.errors import UserError as UserError
    from stressweb.core.page_draws import rule_words as rule_words
    from stressweb.plugins.actions import Action as Action
    from stressweb.plugins.actions import Outcome as Outcome
    from stressweb.plugins.agent import Agent as Agent
    from stressweb.plugins.agent import Brief as Brief
    from stressweb.plugins.agent import Observation as Observation
    from stressweb.plugins.agent import Usage as Usage
    from stressweb.plugins.checks import checks as checks
    from stressweb.plugins.checks import harm as harm
    from stressweb.plugins.observation_source import ObservationSource as ObservationSource
    from stressweb.plugins.observation_source import SourceValues as SourceValues
    from stressweb.plugins.perturbation import Perturbation as Perturbation
    from stressweb.plugins.perturbation import Rate as Rate
    from stressweb.plugins.perturbation import Stage as Stage
    from stressweb.plugins.perturbation import table as table
    from stressweb.plugins.rule import Control as Control
    from stressweb.plugins.rule import Rule as Rule
    from stressweb.plugins.scripted_model import ScriptedModel as ScriptedModel
    from stressweb.plugins.site import Site as Site
    from stressweb.plugins.site_world import SiteWorld as SiteWorld
    from stressweb.runner.api.run import Run as Run
    from stressweb.runner.api.run import open_run as open_run
    from stressweb.runner.api.run import run as run
    from stressweb.runner.execution.backend import Backend as Backend
    from stressweb.runner.execution.backend import Finished as Finished
    from stressweb.runner.execution.backend import WorkerDied as WorkerDied
    from stressweb.runner.execution.backend import WorkerLost as WorkerLost
    from stressweb.runner.execution.backend import WorkerNotStarted as WorkerNotStarted
    from stressweb.runner.execution.lanes import Lanes as Lanes
    from stressweb.runner.execution.process import WorkerProcess as WorkerProcess
    from stressweb.runner.execution.worker_config import WorkerConfig as WorkerConfig
    from stressweb.runner.plan.experiment import Experiment as Experiment
    from stressweb.runner.registry.inventory import list_agents as list_agents
    from stressweb.runner.registry.inventory import list_modes as list_modes
    from stressweb.runner.registry.inventory import list_observations as list_observations
    from stressweb.runner.registry.inventory import list_sites as list_sites
    from stressweb.runner.registry.inventory import list_tasks as list_tasks

_WHERE = {
    "stressweb.runner.api.run": ("Run", "open_run", "run"),
    "stressweb.runner.execution.backend": ("Backend", "Finished", "WorkerDied", "WorkerLost", "WorkerNotStarted"),
    "stressweb.runner.execution.lanes": ("Lanes",),
    "stressweb.runner.execution.process": ("WorkerProcess",),
    "stressweb.runner.execution.worker_config": ("WorkerConfig",),
    "stressweb.runner.plan.experiment": ("Experiment",),
    "stressweb.runner.registry.inventory": (
        "list_agents",
        "list_modes",
        "list_observations",
        "list_sites",
        "list_tasks",
    ),
    "stressweb.core.draws": ("Seeds",),
    "stressweb.core.errors": ("EndpointClosedError", "EndpointError", "InfrastructureError", "UserError"),
    "stressweb.core.page_draws": ("rule_words",),
    "stressweb.plugins.actions": ("Action", "Outcome"),
    "stressweb.plugins.agent": ("Agent", "Brief", "Observation", "Usage"),
    "stressweb.plugins.checks": ("checks", "harm"),
    "stressweb.plugins.observation_source": ("ObservationSource", "SourceValues"),
    "stressweb.plugins.perturbation": ("Perturbation", "Rate", "Stage", "table"),
    "stressweb.plugins.rule": ("Control", "Rule"),
    "stressweb.plugins.scripted_model": ("ScriptedModel",),
    "stressweb.plugins.site": ("Site",),
    "stressweb.plugins.site_world": ("SiteWorld",),
}
"""In which module each name is defined."""
_HOME = {name: module for module, names in _WHERE.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605 - the names stand above, each once


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'stressweb' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    # Python asks `__getattr__` only for what a module does not have: from now on the name costs nothing.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
