"""The tables of the Python API: every public name of `stressweb` with the first paragraph of its docstring."""

from collections.abc import Mapping

import stressweb
from scripts.docs.markdown import table
from stressweb.core.words import paragraphs

GROUPS: Mapping[str, tuple[str, ...]] = {
    "runs": ("run", "open_run", "Run", "Experiment"),
    "inventory": ("list_agents", "list_modes", "list_observations", "list_sites", "list_tasks"),
    "agents": (
        "Agent", "Brief", "Observation", "Action", "Outcome", "Usage", "ObservationSource", "SourceValues",
        "ScriptedModel",
    ),
    "modes": ("Perturbation", "Stage", "Rate", "table", "Rule", "Control", "Seeds", "rule_words"),
    "sites": ("Site", "SiteWorld", "checks", "harm"),
    "backends": (
        "Backend", "Lanes", "WorkerConfig", "WorkerProcess", "Finished", "WorkerNotStarted", "WorkerLost", "WorkerDied",
    ),
    "errors": ("UserError", "InfrastructureError", "EndpointError", "EndpointClosedError"),
}  # fmt: skip
"""The public names by purpose, in the order of the page."""
ALIASES: Mapping[str, str] = {"Rate": "A number from 0 to 1."}
"""Summaries of type aliases, which have no docstring at run time."""


def api(group: str) -> str:
    """Return a table of the names of a group."""
    return table(("name", "what it is"), ((f"`{name}`", summary(name)) for name in GROUPS[group]))


def summary(name: str) -> str:
    """Return the first paragraph of a public name's docstring."""
    return ALIASES.get(name) or paragraphs(getattr(stressweb, name))[0]
