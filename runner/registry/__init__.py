"""Registries of everything that can be run, and the user's choice from them.

They list what ships, then entry points, then what the user loads. Listing names imports nothing; each object is
imported on first use.
"""

from stressweb.runner.agents import build
from stressweb.runner.agents.client import spec_of as client_agent
from stressweb.runner.agents.command import command_of, has_own_browser
from stressweb.runner.agents.command import spec_of as command_agent
from stressweb.runner.registry.choices import (
    check_recorded,
    check_site,
    chosen_agents,
    chosen_tasks,
    conditions,
    named,
    tasks_with,
)
from stressweb.runner.registry.library import SITES, Library, chain_ids, site_names, task_ids
from stressweb.runner.registry.own_cases import OWN_CASES
from stressweb.runner.registry.plugins import (
    AGENTS,
    BACKENDS,
    EXTENSIONS,
    MODES,
    SOURCES,
    broken,
    extensions,
    load,
    only_shipped,
)

__all__ = [
    "AGENTS", "BACKENDS", "EXTENSIONS", "MODES", "OWN_CASES", "SITES", "SOURCES", "Library", "broken", "build",
    "chain_ids", "check_recorded", "check_site", "chosen_agents", "chosen_tasks", "client_agent",
    "command_agent", "command_of", "conditions", "extensions", "has_own_browser", "load", "named", "only_shipped",
    "site_names", "task_ids", "tasks_with",
]  # fmt: skip
