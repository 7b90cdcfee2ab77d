"""Parts of the documents that are read from the program: tables of modes, lists, options, exit statuses, fields."""

import inspect
import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from scripts.docs import api
from scripts.docs.architecture import architecture
from scripts.docs.jsdoc import typedefs
from scripts.docs.markdown import table
from scripts.docs.markers import ROOT
from stressweb import sources
from stressweb.analysis.paper_baseline import HUMAN_STEPS
from stressweb.checkpoints import shop
from stressweb.core.browser_program import ON_PATH
from stressweb.core.conditions import SEVERITIES
from stressweb.core.field_docs import field_docs
from stressweb.core.price import Price
from stressweb.core.words import paragraphs
from stressweb.log import schema
from stressweb.log.limits import Limits
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.failure.rule import FailureRule
from stressweb.perturbations.page.fingerprint import FOLDER
from stressweb.plugins.actions import NEEDS, Action, Kind
from stressweb.plugins.agent import Brief, Observation
from stressweb.plugins.checks import checklist
from stressweb.runner.agents import REGISTRY as AGENTS
from stressweb.runner.agents import make
from stressweb.runner.commands import cli
from stressweb.runner.commands.precheck import CHECKS
from stressweb.runner.export.export import described
from stressweb.runner.export.tables import NAMES, TABLES, Name
from stressweb.runner.plan.budget import Budget
from stressweb.runner.plan.experiment import Experiment
from stressweb.sites import kit
from stressweb.sites.kit.loading.assembly import mixins
from stressweb.sites.kit.spec.kinds import shipped

WORLD = 0
"""The world seed of the goals in the documents."""
EXAMPLE = "shop/two-of-a-named-product"
"""The task whose source is in the documents."""


def modes() -> str:
    """Return a table of the modes: stage and first paragraph of the docstring."""
    kinds = ((name, mode(name)) for name in MODES)
    return table(
        ("mode", "acts on", "what it does"), ((f"`{n}`", kind.stage.value, paragraphs(kind)[0]) for n, kind in kinds)
    )


def about(name: str) -> str:
    """Return the docstring of a mode's class and its severity table."""
    kind = mode(name)
    docs = field_docs(kind)
    columns = list(kind.severities[3])
    rows = [
        (f"`{column}`", docs[column], *(f"{kind.severities[severity][column]:g}" for severity in SEVERITIES))
        for column in columns
    ]
    return "\n\n".join([*paragraphs(kind), table(("parameter", "meaning", *map(str, SEVERITIES)), rows)])


def tasks() -> str:
    """Return a table of the tasks with their goals in one world."""
    worlds = {name: kit.load(name, WORLD) for name in kit.names()}
    goals = [task.goal(worlds[task.site]) for name in worlds for task in kit.tasks(name)]
    return table(("task", f"goal in world {WORLD}"), ((f"`{goal.task}`", goal.text) for goal in goals))


def agents() -> str:
    """Return a table of the agents with their summaries."""
    return table(
        ("agent", "what it does"), ((f"`{name}`", paragraphs(AGENTS.get(name))[0]) for name in AGENTS.shipped())
    )


def observation_sources() -> str:
    """Return a table of the shipped observation sources: the field of the observation, and a summary."""
    kinds = {name: sources.source(name) for name in sources.SHIPPED}
    # Each shipped source fills a field of the observation.
    rows = ((f"`{name}`", f"`{vars(kind)['field']}`", paragraphs(kind)[0]) for name, kind in kinds.items())
    return table(("source", "field of the observation", "what it reads"), rows)


def about_agent(name: str) -> str:
    """Return the docstring of an agent's class."""
    return "\n\n".join(paragraphs(type(make(name))))


def exits() -> str:
    """Return a table of the exit statuses, read from the docstring of the command line's module."""
    # Fail if the docstring has no list, so that the table cannot become outdated.
    match = re.search(r"Exit statuses: (.+?)\. ", " ".join((cli.__doc__ or "").split()))
    if match is None:
        raise SystemExit("docs: runner/commands/cli.py no longer lists its exit statuses")
    return table(("status", "meaning"), (part.split(" ", 1) for part in match[1].split(", ")))


def variables() -> str:
    """Return a table of the variables of `make stress`, with the options of `stressweb run` that they set."""
    options = {_flag(option): option for option in _options("run")}
    flags = {name: f"--{name.lower().replace('_', '-')}" for name in CHECKS}
    options_by_variable = [(name, options[flag]) for name, flag in flags.items() if flag in options]
    rows = ((f"`{name}`", f"`{_flag(option)}`", _default(option), option.help) for name, option in options_by_variable)
    return table(("variable", "option", "default", "meaning"), rows)


def experiment_keys() -> str:
    """Return a table of the entries of an experiment file, with their defaults."""
    docs = field_docs(Experiment)
    # List the limits of episodes last, although a class has the fields of its base first.
    entries = sorted(Experiment.model_fields.items(), key=lambda field: field[0] in Limits.model_fields)
    rows = ((f"`{name}`", _default_in_yaml(entry), docs[name]) for name, entry in entries)
    return table(("entry", "default", "meaning"), rows)


def _default_in_yaml(field: FieldInfo) -> str:
    """Return a default as written in a file; empty if it can only be had by omitting the entry."""
    value = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, BaseModel) or value in ((), {}):
        return ""
    return f"`{json.dumps(value)}`".replace('"', "")


def entries(kind: type[BaseModel]) -> str:
    """Return a table of the entries of a part of an experiment file."""
    docs = field_docs(kind)
    return table(("entry", "meaning"), ((f"`{name}`", docs[name]) for name in kind.model_fields))


def options(command: str) -> str:
    """Return a table of the options of a command with variables, defaults and meanings."""
    rows = ((_names(option), _variables(option), _default(option), option.help) for option in _options(command))
    return table(("option", "variable", "default", "meaning"), rows)


def commands() -> str:
    """Return a table of the commands."""
    rows = ((f"`{_usage(name)}`", command.get_short_help_str(200)) for name, command in cli.cli.commands.items())
    return table(("command", "what it does"), rows)


def browsers() -> str:
    """Return the names of browsers that are searched for on PATH, in order."""
    return ", ".join(f"`{name}`" for name in ON_PATH) + "."


def human() -> str:
    """Return a table of the human results reported in the paper."""
    rows = [(condition, f"{steps:.1f}") for condition, steps in HUMAN_STEPS.items()]
    return table(("condition", "Human mean steps reported in the paper (its own tasks)"), rows)


def store_tables() -> str:
    """Return a table of the tables of a run database with their columns."""
    connection = sqlite3.connect(":memory:")
    schema.make(connection)
    table_names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").fetchall()
    rows = [(f"`{name}`", ", ".join(f"`{row[1]}`" for row in _columns(connection, name))) for (name,) in table_names]
    connection.close()
    return table(("table", "columns"), rows)


def exported(name: Name) -> str:
    """Return the meaning of a row in a table of an export, and the table's columns."""
    return f"{TABLES[name].meaning}\n\n{described(TABLES[name])}"


def _columns(connection: sqlite3.Connection, name: str) -> list[Any]:
    return connection.execute(f"PRAGMA table_info({name})").fetchall()


def _options(command: str) -> list[click.Option]:
    return [parameter for parameter in cli.cli.commands[command].params if isinstance(parameter, click.Option)]


def _names(option: click.Option) -> str:
    return ", ".join(f"`{name}`" for name in option.opts if name.startswith("--"))


def _variables(option: click.Option) -> str:
    names = [option.envvar] if isinstance(option.envvar, str) else option.envvar or ()
    return ", ".join(f"`{name}`" for name in names)


def _flag(option: click.Option) -> str:
    return next(name for name in option.opts if name.startswith("--"))


def _default(option: click.Option) -> str:
    if isinstance(option.show_default, str):
        return option.show_default
    if option.is_flag or not option.show_default:
        return ""
    default = option.get_default(click.Context(cli.cli))
    return f"`{','.join(map(str, default)) if isinstance(default, tuple) else default}`"


def _usage(name: str) -> str:
    command = cli.cli.commands[name]
    arguments = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
    written = [
        f"[{argument.name}]" if not argument.required else (argument.name or "").upper() for argument in arguments
    ]
    return " ".join(["stressweb", name, *written])


def tasks_yaml() -> str:
    """Return the source of a task."""
    return _block(ROOT / "sites/shop/tasks.yaml", rf"- id: {EXAMPLE}\n(?:  .*\n)+", "yaml")


def site_yaml() -> str:
    """Return the source of an entity, a page and an action of a site."""
    path = ROOT / "sites/shop/site.yaml"
    text = path.read_text(encoding="utf-8")
    blocks = []
    for section, name in (("entities", "Wish"), ("pages", "wishlist"), ("actions", "add_to_wishlist")):
        block = re.search(rf"^{section}:\n(?:.*\n)*?(?P<block>  {name}:\n(?:    .*\n)+)", text, re.MULTILINE)
        assert block is not None, f"{path} has no {name}"
        blocks.append(f"{section}:\n{block['block']}")
    return f"```yaml\n{''.join(blocks)}```"


def checkpoint() -> str:
    """Return the source of the checkpoints of a task."""
    return f"```python\n{inspect.getsource(checklist([shop]).checks[EXAMPLE])}```"


def source(*kinds: type) -> str:
    """Return the source of classes."""
    return f"```python\n{'\n\n'.join(map(inspect.getsource, kinds))}```"


def example_mode() -> str:
    """Return the source of a mode with its rule."""
    return source(mode("failure"), FailureRule)


def runtime_api() -> str:
    """Return a table of the runtime's API for scripts of modes."""
    members = typedefs((FOLDER / "runtime.js").read_text(encoding="utf-8"))["Runtime"]
    rows = ((f"`{name}`", f"`{member.type}`", member.about) for name, member in members.items())
    return table(("`runtime`", "type", "what it is"), rows)


def _block(path: Path, pattern: str, language: str) -> str:
    match = re.search(pattern, path.read_text(encoding="utf-8"))
    assert match is not None, f"{path} has nothing like {pattern}"
    return f"```{language}\n{match[0]}```"


def kit_words() -> str:
    """Return a table of the kinds of widgets, parts, fields and mixins that a site's spec can use."""
    models = shipped().models
    words = {
        "widgets": list(models["widgets"]),
        "parts of an item": list(models["parts"]),
        "fields of a form": list(models["fields"]),
        "mixins": mixins(),
    }
    return table(("", "there are"), ((kind, ", ".join(f"`{word}`" for word in of)) for kind, of in words.items()))


def action_kinds() -> str:
    """Return a table of the kinds of actions with the parameters that they need."""
    target: dict[str, tuple[str, ...]] = dict.fromkeys(("CLICK", "HOVER", "UPLOAD"), ("`selector`, or `x` and `y`",))
    target["DRAG"] = ("`selector`, or `x` and `y`", "`to_selector`, or `to_x` and `to_y`")
    needs = {kind: [*target.get(kind, ()), *(f"`{need}`" for need in NEEDS.get(kind, ()))] for kind in get_args(Kind)}
    return table(("action", "needs"), ((f"`{kind}`", ", ".join(names)) for kind, names in needs.items()))


def documented(kind: type, own: Mapping[str, str]) -> str:
    """Return a table of the fields of a class with their docstrings; `own` has the meanings of fields without one."""
    docs = field_docs(kind)
    return table(("field", "meaning"), ((f"`{name}`", docs[name] or own[name]) for name in docs))


PARTS: Mapping[str, Callable[[], str]] = {
    "modes": modes,
    "tasks": tasks,
    "agents": agents,
    "about-resilient": partial(about_agent, "resilient"),
    "exits": exits,
    "variables": variables,
    "commands": commands,
    "experiment-keys": experiment_keys,
    "budget-keys": partial(entries, Budget),
    "price-keys": partial(entries, Price),
    "architecture": architecture,
    "browsers": browsers,
    "kit-words": kit_words,
    "action-kinds": action_kinds,
    "action-fields": partial(documented, Action, {"kind": "What to do: one of the actions above."}),
    "observation-sources": observation_sources,
    "observation-fields": partial(documented, Observation, {"url": "Address of the page."}),
    "brief-fields": partial(
        documented, Brief, {"goal": "What to do, in one or more sentences.", "start_url": "Address of the first page."}
    ),
    "human": human,
    "store-tables": store_tables,
    **{f"export-{name}": partial(exported, name) for name in NAMES},
    **{f"api-{group}": partial(api.api, group) for group in api.GROUPS},
    "example-task": tasks_yaml,
    "example-site": site_yaml,
    "example-checks": checkpoint,
    "example-mode": example_mode,
    "runtime-api": runtime_api,
    **{f"mode-{name}": partial(about, name) for name in MODES},
    **{f"options-{name}": partial(options, name) for name in cli.cli.commands},
}
"""Functions that return the text between the markers of each part, by name."""
