"""An agent that is a separate program, in any language, and drives the browser of its episode by itself."""

import itertools
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath

from stressweb.core.agent_names import split_title
from stressweb.core.agent_spec import COMMAND, AgentSpec
from stressweb.core.choices import suggestion
from stressweb.core.environment import REPLAY_LLM
from stressweb.core.errors import UserError
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import BOTH, Agent, Observation
from stressweb.runner.agents.llm.provider import upstreams

_LABEL = re.compile(
    r"(?P<title>[\w.-]+)=command\("
    r"(?P<deterministic>deterministic: )?(?P<own_browser>own browser: )?(?:version (?P<version>[^():]+): )?"
    r"(?P<command>.+)\)"
)
_NO_VERSION = re.compile(r"[():\x00-\x1f\x7f-\x9f]")
_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|deno|bun|ruby|npx|uv|run|sh|bash|env)(?:\.exe)?")
_SCRIPTS = (".cjs", ".js", ".mjs", ".py", ".rb", ".sh", ".ts")
_IN_FRONT = re.compile(r"-(?!c$|m$|e$|p$).*|\w+=.*")
"""Options and variables before a script; after `-c`, `-m`, `-e` and `-p` comes no script."""


class Command(Agent):
    """Starts a program for each episode. Add one with `--agent-command`."""

    name = COMMAND
    takes = BOTH

    def __init__(
        self, *, command: str, version: str = "", deterministic: bool = False, own_browser: bool = False
    ) -> None:
        """Take the command, its version, and whether it is deterministic.

        With `own_browser` it starts its own browser, which uses the episode's proxy.
        """
        self.command, self.version, self.deterministic = command, version, deterministic
        self.own_browser = own_browser

    def ready(self, environ: Mapping[str, str]) -> None:
        """Raise UserError if the program or its script is missing, or if its model endpoint is invalid."""
        if not environ.get(REPLAY_LLM):
            upstreams(environ)
        words = _words(self.command)
        if shutil.which(words[0], path=environ.get("PATH")) is None:
            raise UserError(f"agent-command {self.command!r}: there is no program {words[0]!r}")
        script = _script(words)
        if script and not script.exists():
            siblings = [path.name for path in script.parent.glob(f"*{script.suffix}")]
            guess = suggestion(script.name, siblings)
            raise UserError(f"agent-command {self.command!r}: there is no file '{script}'{guess}")

    def act(self, observation: Observation) -> Action:
        """Raise NotImplementedError: the program acts by itself."""
        raise NotImplementedError("a command acts by itself")


def spec_of(text: str, version: str = "", *, deterministic: bool = False, own_browser: bool = False) -> AgentSpec:
    """Return the agent for COMMAND or NAME=COMMAND; raises UserError for an invalid command."""
    title, command = split_title(text)
    command = command.strip()
    if re.search(r"[\x00-\x1f\x7f-\x9f]", command):
        raise UserError("agent-command must be a single line")
    words = _words(command)
    if wrong := _NO_VERSION.search(version):
        raise UserError(f"agent-version {version!r} must not contain {wrong[0]!r}")
    flags = ("deterministic: " if deterministic else "") + ("own browser: " if own_browser else "")
    head = flags + (f"version {version}: " if version else "")
    return recorded(f"{title or _title(words)}=command({head}{command})")


def recorded(label: str) -> AgentSpec:
    """Return the agent of a label made by `spec_of`; raises UserError for any other label."""
    parts = _LABEL.fullmatch(label)
    if parts is None:
        raise UserError(f"agent {label!r}: pass a command with --agent-command, or write {{command: ...}} in a file")
    deterministic = bool(parts["deterministic"])
    values = {
        "command": parts["command"],
        "version": parts["version"],
        "deterministic": deterministic,
        "own_browser": bool(parts["own_browser"]),
    }
    options = tuple((name, option_value) for name, option_value in values.items() if option_value)
    return AgentSpec(label=label, name=Command.name, options=options, deterministic=deterministic)


def command_of(spec: AgentSpec) -> str:
    """Return the command of an agent that is a program; empty for any other agent."""
    return str(dict(spec.options)["command"]) if spec.name == Command.name else ""


def has_own_browser(spec: AgentSpec) -> bool:
    """Return whether an agent is a program that starts a browser by itself."""
    return spec.name == Command.name and bool(dict(spec.options).get("own_browser"))


def is_command(text: str) -> bool:
    """Return whether an agent's text is a command."""
    return split_title(text)[1].partition("(")[0].strip() == Command.name


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UserError(f"agent-command {command!r}: {str(error).lower()}") from None
    if not words:
        raise UserError("agent-command is empty")
    return words


def _script(words: list[str]) -> Path | None:
    """Return the script that an interpreter runs, if the command names one with a known suffix."""
    if not _is_interpreter(words[0]):
        return None
    script = Path(next(iter(_after_interpreters(words)), ""))
    return script if script.suffix in _SCRIPTS else None


def _after_interpreters(words: list[str]) -> list[str]:
    """Return the words after the interpreters, their options and variables."""
    rest = list(itertools.dropwhile(lambda word: _is_interpreter(word) or _IN_FRONT.fullmatch(word), words))
    # In "env -u HOME python a.py", the first word is the argument of an option, and an interpreter follows.
    if len(rest) < len(words) and len(rest) > 1 and words[-len(rest) - 1].startswith("-") and _is_interpreter(rest[1]):
        return _after_interpreters(rest[1:])
    return rest


def _is_interpreter(word: str) -> bool:
    return bool(_INTERPRETERS.fullmatch(PurePath(word).name))


def _title(words: list[str]) -> str:
    """Return the default title of a command: the name of its program, or of the script or module that an interpreter
    runs."""
    rest = _after_interpreters(words)
    if not rest:
        name = PurePath(words[0]).stem
    elif rest[0].startswith("-"):
        # A module, or code.
        name = rest[1] if len(rest) > 1 else words[0]
    else:
        name = PurePath(_program(rest, words[: -len(rest)])).stem
    return re.sub(r"[^\w.-]", "-", name).lstrip("-.0123456789_")[:40] or "command"


def _program(rest: list[str], before: list[str]) -> str:
    """Return the program or script that stands in `rest`, after the interpreters and options in `before`."""
    if before and before[-1].startswith("-"):
        # The first word may be the argument of that option.
        return next((word for word in rest if PurePath(word).suffix in _SCRIPTS), rest[0])
    return rest[0]
