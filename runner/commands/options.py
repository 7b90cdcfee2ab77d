"""Declaration of command-line options, and the options that several commands share."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import click

from stressweb.log.pictures import TYPICAL_BYTES
from stressweb.runner.commands.debugging import DEBUG
from stressweb.runner.commands.positive import Positive
from stressweb.runner.commands.seed import Seed

PICTURES = f"640 x 400 pixels, about {TYPICAL_BYTES // 1000} kB each"

type Command = Callable[..., Any]


def option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """Return a click option with an environment variable, `STRESSWEB_<NAME>`, which the flag overrides.

    An empty variable counts as unset. An option with several names has a variable for each; a pair such as
    --colour/--no-colour has one, for the first name.
    """
    long = [name.partition("/")[0] for name in names if name.startswith("--")]
    variables = tuple(f"STRESSWEB_{name.strip('-').replace('-', '_').upper()}" for name in long)
    # Not for switches, which are off by default, nor without a default, which the help text then explains.
    show_default = settings.get("default") is not None and not settings.get("is_flag")
    settings = {"show_default": show_default, **settings}
    return click.option(*names, envvar=variables if len(long) > 1 else variables[0], show_envvar=True, **settings)


def _remember(context: click.Context, parameter: click.Parameter, is_set: bool) -> None:
    if is_set:
        DEBUG.set(True)


opening = option("--open", "open_it", is_flag=True, help="Open the page in your browser.")

debugging = option(
    "--debug",
    is_flag=True,
    expose_value=False,
    # Processed first, so that it applies to errors of --load.
    is_eager=True,
    callback=_remember,
    help="Print the traceback of every error and crash.",
)


def _load(context: click.Context, parameter: click.Parameter, sources: tuple[str, ...]) -> None:
    if sources:
        from stressweb.runner.registry import load  # noqa: PLC0415 - agents and modes bring their own imports

        load(sources)


loading = option(
    "--load",
    multiple=True,
    expose_value=False,
    callback=_load,
    help="Load your own agents, modes or sites from a Python file, a site's folder or module:Class, or your own test"
    " cases from a .csv or .yaml file. Repeatable.",
)
as_json = option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
_backend = option(
    "--backend", default="local", help="Where workers run: local, or ray for the machines of a Ray cluster."
)
_address = option("--address", default=None, metavar="HOST:PORT", help="Address of the Ray cluster.")
runs_dir = option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), help="Folder of the runs.")
explain = option("--explain", is_flag=True, help="Explain the table's columns below it.")
verbose = option("--verbose", is_flag=True, help="With --dry-run: also print every episode of the plan.")
_recording = option(
    "--record-llm",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Record requests of agents to language models, and the answers, in this file.",
)
_replaying = option(
    "--replay-llm",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Replay the answers in this file instead of asking language models: no network, no key.",
)
resume = option(
    "--resume",
    is_flag=True,
    help="Resume the run given by --run: execute the missing episodes and those that ended in an error.",
)


class WholeText(click.ParamType[str]):
    """A text with spaces, at which an environment variable is not split."""

    name = "text"

    def split_envvar_value(self, rv: str) -> list[str]:
        """Return the variable unsplit."""
        return [rv]


class OptionSpec(NamedTuple):
    """A declared option, to add to commands as it is or with the file's entry as default."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, *names: str, **settings: Any) -> Self:
        """Declare an option; arguments as for `option`."""
        return cls(names, settings)

    @property
    def decorator(self) -> Callable[[Command], Command]:
        """Decorator that adds the option to a command."""
        return option(*self.names, **self.settings)

    @property
    def over_file(self) -> Self:
        """The same option for a command with an experiment file, whose entry is the default in the help text."""
        default, text = self.settings["default"], str(self.settings["help"])
        if default is not None:
            return self._with_settings(show_default=f"the file's, or {_default_text(self.names[0], default)}")
        if "(default: " in text:
            return self._with_settings(help=text.replace("(default: ", "(default: the file's, or "))
        return self._with_settings(help=f"{text.removesuffix('.')} (default: the file's).")

    def _with_settings(self, **settings: Any) -> Self:
        return self._replace(settings={**self.settings, **settings})


def _default_text(name: str, default: object) -> str:
    """Return a default as the user types it; for a pair such as --colour/--no-colour, one of the names."""
    on_name, _, off_name = name.partition("/")
    return str(default) if not isinstance(default, bool) else (on_name if default else off_name).lstrip("-")


max_steps = OptionSpec.of(
    "--max-steps", type=click.IntRange(min=1), default=100, help="Maximum number of actions per episode."
)
agent_seconds = OptionSpec.of(
    "--agent-seconds",
    type=Positive(),
    default=None,
    help="Time limit per episode, in seconds (default: none; per decision 600, or the agent's own limit).",
)
_LIMITS = (
    max_steps,
    agent_seconds,
    OptionSpec.of(
        "--agent-tokens",
        type=click.IntRange(min=1),
        default=None,
        help="Limit on input and output tokens per episode (default: none).",
    ),
    OptionSpec.of(
        "--cost-limit",
        type=Positive(),
        metavar="USD",
        default=None,
        help="Limit on the cost of the agent's model per episode, in US dollars (default: none).",
    ),
)
"""Options of the fields of `stressweb.log.limits.Limits`, which limit every episode."""


workers = OptionSpec.of(
    "--workers",
    type=click.IntRange(min=1),
    default=None,
    help="Worker processes, each with a browser (default: one per four cores).",
)
in_flight = OptionSpec.of(
    "--in-flight",
    type=click.IntRange(min=1),
    default=None,
    help="Episodes that each worker runs at a time (default: by cores and agents).",
)


def option_over_file(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """Return an option as `option` does, for a command whose experiment file may set the same entry."""
    return OptionSpec.of(*names, **settings).over_file.decorator


_STATING = (
    OptionSpec.of(
        "--mode", default="remap", help="Conditions, separated by commas: remap, failure@4, failure+noise, all, all@5."
    ),
    OptionSpec.of("--task", default=None, help="Tasks or patterns, separated by commas: shop/* (default: all)."),
    OptionSpec.of("--exclude", default=None, help="Tasks or patterns to leave out, separated by commas: calendar/*."),
    OptionSpec.of(
        "--agent",
        default="naive,resilient",
        help="Agents, separated by commas, each with options in parentheses: resilient(-gesture), or module:Class;"
        " NAME=AGENT gives one a name for the table.",
    ),
    OptionSpec.of(
        "--agent-command",
        "agent_command",
        multiple=True,
        default=None,
        type=WholeText(),
        help="Run your own program as an agent, as in 'python my.py'; NAME=COMMAND names it. Repeatable.",
    ),
    OptionSpec.of(
        "--agent-version", default=None, help="Version of the --agent-command, such as a harness and its commit."
    ),
    OptionSpec.of(
        "--agent-deterministic",
        is_flag=True,
        default=None,
        help="The --agent-command always does the same on the same pages; otherwise clean runs twice.",
    ),
    OptionSpec.of(
        "--agent-own-browser",
        is_flag=True,
        default=None,
        help="The --agent-command starts its own browser, which uses the proxy STRESSWEB_PROXY.",
    ),
    OptionSpec.of("--model", default=None, help="Language model that the agent `model` uses."),
    OptionSpec.of(
        "--base-url",
        default=None,
        help="URL of the model's endpoint, instead of OPENAI_BASE_URL; the key is read from OPENAI_API_KEY.",
    ),
    OptionSpec.of("--seed", type=Seed(), default=0, help="World seed: determines the site's data, wording and look."),
    OptionSpec.of(
        "--stress-seeds",
        "--stress-seed",
        default="0",
        help="Stress seeds, which determine the disturbances: 3, a list 0,1,2 or a range 0..4.",
    ),
    OptionSpec.of(
        "--epochs",
        type=click.IntRange(min=1),
        default=1,
        help="Repetitions of each episode, with the same disturbances and a new sampling seed for the agent.",
    ),
    OptionSpec.of(
        "--limit",
        type=click.IntRange(min=1),
        default=None,
        help="Run only N tasks, taken from each site in turn, with all agents and conditions.",
    ),
    *_LIMITS,
    OptionSpec.of(
        "--screenshots/--no-screenshots",
        default=True,
        help=f"Record a screenshot of every step for the report (on by default): {PICTURES}. "
        "Screenshots that an agent asks for are always recorded.",
    ),
)


def experiment_options(command: Command) -> Command:
    """Add the options of an experiment: agents, tasks, conditions, repetitions and limits."""
    return _add_options(command, [declared.decorator for declared in _STATING])


def experiment_options_over_file(command: Command) -> Command:
    """Add the same options to a command with an experiment file, whose entries are their defaults."""
    return _add_options(command, [declared.over_file.decorator for declared in _STATING])


def limit_options_over_file(command: Command) -> Command:
    """Add the options that limit every episode to a command with an experiment file."""
    return _add_options(command, [declared.over_file.decorator for declared in _LIMITS])


def run_options(command: Command) -> Command:
    """Add the options of every command that reads or writes runs: --runs-dir, --json, --load and --debug."""
    return _add_options(command, (runs_dir, as_json, loading, debugging))


def _add_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    # The decorator applied last comes first in the help text.
    for decorator in reversed(options):
        command = decorator(command)
    return command


def exchange_options(command: Command) -> Command:
    """Add the options that record or replay exchanges with language models."""
    return _add_options(command, (_recording, _replaying))


def placement_options(command: Command) -> Command:
    """Add the options for the machines on which an experiment runs."""
    return _backend(_address(command))


def explicit_names(context: click.Context) -> set[str]:
    """Return the names of the options that the user typed or set in the environment."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in context.params if context.get_parameter_source(name) is not default}


def in_environment(context: click.Context, name: str) -> bool:
    """Return whether an option was set by an environment variable."""
    return context.get_parameter_source(name) is click.core.ParameterSource.ENVIRONMENT
