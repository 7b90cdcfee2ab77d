"""The parts of the documents that the program itself says: tables of modes, lists, options, exit statuses, fields."""

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
from stressweb.perturbations.page.fingerprint import FOLDER
from stressweb.perturbations.page.rules import FailureRule
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
"""The world whose goals are shown."""
EXAMPLE = "shop/two-of-a-named-product"
"""The task that is shown as it is written."""


def modes() -> str:
    """Every mode: its stage and the first line of what it does."""
    kinds = ((name, mode(name)) for name in MODES)
    return table(
        ("mode", "acts on", "what it does"), ((f"`{n}`", kind.stage.value, paragraphs(kind)[0]) for n, kind in kinds)
    )


def about(name: str) -> str:
    """What a mode does, in the words of its class, and its severity table."""
    kind = mode(name)
    docs = field_docs(kind)
    columns = list(kind.severities[3])
    rows = [
        (f"`{column}`", docs[column], *(f"{kind.severities[severity][column]:g}" for severity in SEVERITIES))
        for column in columns
    ]
    return "\n\n".join([*paragraphs(kind), table(("parameter", "meaning", *map(str, SEVERITIES)), rows)])


def tasks() -> str:
    """Every task with its goal in one world."""
    worlds = {name: kit.load(name, WORLD) for name in kit.names()}
    goals = [task.goal(worlds[task.site]) for name in worlds for task in kit.tasks(name)]
    return table(("task", f"goal in world {WORLD}"), ((f"`{goal.task}`", goal.text) for goal in goals))


def agents() -> str:
    """Every agent and what it does."""
    return table(
        ("agent", "what it does"), ((f"`{name}`", paragraphs(AGENTS.get(name))[0]) for name in AGENTS.shipped())
    )


def observation_sources() -> str:
    """Every observation source that ships, the field of the observation that it fills, and what it reads."""
    kinds = {name: sources.source(name) for name in sources.SHIPPED}
    # Each that ships is a part of the observation.
    rows = ((f"`{name}`", f"`{vars(kind)['field']}`", paragraphs(kind)[0]) for name, kind in kinds.items())
    return table(("source", "field of the observation", "what it reads"), rows)


def about_agent(name: str) -> str:
    """What an agent does and what its options are, in the words of its class."""
    return "\n\n".join(paragraphs(type(make(name))))


def exits() -> str:
    """Every exit status, as the command line's module says it."""
    # Read from the docstring, and a failure if it is not there: the table can then never fall behind the program.
    listed = re.search(r"Exit statuses: (.+?)\. ", " ".join((cli.__doc__ or "").split()))
    if listed is None:
        raise SystemExit("docs: runner/commands/cli.py no longer lists its exit statuses")
    return table(("status", "meaning"), (part.split(" ", 1) for part in listed[1].split(", ")))


def variables() -> str:
    """Every variable that `make stress` takes, and the option of `stressweb run` that it sets."""
    options = {_flag(option): option for option in _options("run")}
    flags = {name: f"--{name.lower().replace('_', '-')}" for name in CHECKS}
    options_by_variable = [(name, options[flag]) for name, flag in flags.items() if flag in options]
    rows = ((f"`{name}`", f"`{_flag(option)}`", _default(option), option.help) for name, option in options_by_variable)
    return table(("variable", "option", "default", "meaning"), rows)


def experiment_keys() -> str:
    """Every entry of an experiment file, with its default."""
    docs = field_docs(Experiment)
    # What every episode is limited by stands last, although a class has the fields of its base first.
    entries = sorted(Experiment.model_fields.items(), key=lambda field: field[0] in Limits.model_fields)
    rows = ((f"`{name}`", _stated(entry), docs[name]) for name, entry in entries)
    return table(("entry", "default", "meaning"), rows)


def _stated(field: FieldInfo) -> str:
    """Return a default as a file would state it; nothing where leaving the entry out is the only way to have it."""
    value = field.get_default(call_default_factory=True)
    if value is None or isinstance(value, BaseModel) or value in ((), {}):
        return ""
    return f"`{json.dumps(value)}`".replace('"', "")


def entries(kind: type[BaseModel]) -> str:
    """Every entry of a part of an experiment file."""
    docs = field_docs(kind)
    return table(("entry", "meaning"), ((f"`{name}`", docs[name]) for name in kind.model_fields))


def options(command: str) -> str:
    """Every option of a command with its variable, default and meaning."""
    rows = ((_names(option), _variables(option), _default(option), option.help) for option in _options(command))
    return table(("option", "variable", "default", "meaning"), rows)


def commands() -> str:
    """Every command of the command line."""
    rows = ((f"`{_usage(name)}`", command.get_short_help_str(200)) for name, command in cli.cli.commands.items())
    return table(("command", "what it does"), rows)


def browsers() -> str:
    """The names of browsers that are looked for on PATH, in order."""
    return ", ".join(f"`{name}`" for name in ON_PATH) + "."


def human() -> str:
    """The human row of the paper."""
    rows = [(condition, f"{steps:.1f}") for condition, steps in HUMAN_STEPS.items()]
    return table(("condition", "Human mean steps reported in the paper (its own tasks)"), rows)


def store_tables() -> str:
    """Every table of a run database with its columns."""
    connection = sqlite3.connect(":memory:")
    schema.make(connection)
    table_names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").fetchall()
    rows = [(f"`{name}`", ", ".join(f"`{row[1]}`" for row in _columns(connection, name))) for (name,) in table_names]
    connection.close()
    return table(("table", "columns"), rows)


def exported(name: Name) -> str:
    """What a row of a table of an export is, and its columns."""
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
    """A task as it is written."""
    return _block(ROOT / "sites/shop/tasks.yaml", rf"- id: {EXAMPLE}\n(?:  .*\n)+", "yaml")


def site_yaml() -> str:
    """An entity, a page and an action of a site, as they are written."""
    path = ROOT / "sites/shop/site.yaml"
    text = path.read_text(encoding="utf-8")
    blocks = []
    for section, name in (("entities", "Wish"), ("pages", "wishlist"), ("actions", "add_to_wishlist")):
        block = re.search(rf"^{section}:\n(?:.*\n)*?(?P<block>  {name}:\n(?:    .*\n)+)", text, re.MULTILINE)
        assert block is not None, f"{path} has no {name}"
        blocks.append(f"{section}:\n{block['block']}")
    return f"```yaml\n{''.join(blocks)}```"


def checkpoint() -> str:
    """The checkpoints of a task."""
    return f"```python\n{inspect.getsource(checklist([shop]).checks[EXAMPLE])}```"


def source(*kinds: type) -> str:
    """Classes as they are written."""
    return f"```python\n{'\n\n'.join(map(inspect.getsource, kinds))}```"


def example_mode() -> str:
    """A mode with its rule."""
    return source(mode("failure"), FailureRule)


def runtime_api() -> str:
    """What the runtime gives the script of a mode."""
    members = typedefs((FOLDER / "runtime.js").read_text(encoding="utf-8"))["Runtime"]
    rows = ((f"`{name}`", f"`{member.type}`", member.about) for name, member in members.items())
    return table(("`runtime`", "type", "what it is"), rows)


def _block(path: Path, pattern: str, language: str) -> str:
    match = re.search(pattern, path.read_text(encoding="utf-8"))
    assert match is not None, f"{path} has nothing like {pattern}"
    return f"```{language}\n{match[0]}```"


def kit_words() -> str:
    """What a site's spec may name: widgets of pages, parts of items, types of fields."""
    models = shipped().models
    words = {
        "widgets": list(models["widgets"]),
        "parts of an item": list(models["parts"]),
        "fields of a form": list(models["fields"]),
        "mixins": mixins(),
    }
    return table(("", "there are"), ((kind, ", ".join(f"`{word}`" for word in of)) for kind, of in words.items()))


def action_kinds() -> str:
    """Every kind of action with the parameters that it needs."""
    target: dict[str, tuple[str, ...]] = dict.fromkeys(("CLICK", "HOVER", "UPLOAD"), ("`selector`, or `x` and `y`",))
    target["DRAG"] = ("`selector`, or `x` and `y`", "`to_selector`, or `to_x` and `to_y`")
    needs = {kind: [*target.get(kind, ()), *(f"`{need}`" for need in NEEDS.get(kind, ()))] for kind in get_args(Kind)}
    return table(("action", "needs"), ((f"`{kind}`", ", ".join(names)) for kind, names in needs.items()))


def documented(kind: type, own: Mapping[str, str]) -> str:
    """Every field of a class with what stands under it; `own` says what needs no words in the code."""
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
    "example-agent": partial(source, type(make("naive"))),
    **{f"mode-{name}": partial(about, name) for name in MODES},
    **{f"options-{name}": partial(options, name) for name in cli.cli.commands},
}
"""Each part by its name: what stands between its markers."""
