"""The agents that ship, one file each in this folder, and agents parsed from what a user writes."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from stressweb.core import choices
from stressweb.core.agent_names import split_title
from stressweb.core.agent_spec import AgentSpec, Value
from stressweb.core.errors import UserError
from stressweb.log.exchanges import Exchanges
from stressweb.plugins.agent import Agent
from stressweb.plugins.registry import Kind, Registry
from stressweb.runner.agents import command
from stressweb.runner.agents.model import Model

_SPEC = re.compile(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_WORDS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


def parse(text: str, defaults: Mapping[str, str] | None = None) -> AgentSpec:
    """Return the agent for `name`, `name(-ability,key=value)`, or `title=name(key=value)`, which gives it a title.

    `-ability` switches an ability off, `key=value` sets an option. `defaults` set further options, if the agent has
    them and the text does not set them. Raises UserError with the valid choices for an unknown name, option or value.
    """
    if command.is_command(text):
        return command.recorded(text)
    title, agent = split_title(text)
    if title in REGISTRY.names():
        raise UserError(f"agent {text.strip()!r}: {title} is the name of another agent; choose another title")
    name, typed = _read(agent)
    offered = _options_of(REGISTRY.get(name))
    bare = [part for part in typed if "=" not in part and not part.startswith("-")]
    # The model's name may be written alone, as in model(gpt-5.2).
    if "model" in offered and len(bare) == 1 and not any(part.startswith("model=") for part in typed):
        typed = [f"model={part}" if part in bare else part for part in typed]
    set_already = {part.partition("=")[0].strip() for part in typed}
    added = [
        f"{key}={default}" for key, default in (defaults or {}).items() if key in offered and key not in set_already
    ]
    # The label identifies the agent in tables and cell keys, so it includes added defaults.
    label = f"{title}{'=' if title else ''}{name}({','.join([*added, *typed])})" if added else text
    options = dict(_option(label, part, offered) for part in (*added, *typed))
    spec = AgentSpec(label=label, name=name, options=tuple(options.items()))
    # Read from an instance, because it may depend on the options.
    return spec.model_copy(update={"deterministic": build(spec).deterministic})


def build(spec: AgentSpec, exchanges: Exchanges | None = None) -> Agent:
    """Return a fresh agent; raises UserError for an unknown name, or an extension that fails.

    `exchanges` records or replays the requests of the agent `model` to its endpoint.
    """
    kind = command.Command if command.command_of(spec) else REGISTRY.get(spec.name)
    agent = kind(**dict(spec.options))
    if exchanges is not None and isinstance(agent, Model):
        agent.exchanges = exchanges
    return agent


def make(text: str) -> Agent:
    """Return a fresh agent for a text as in `parse`, to use it without a plan."""
    return build(parse(text))


def _read(text: str) -> tuple[str, list[str]]:
    """Return the name and the options of an agent; malformed text counts as a name without options."""
    match = _SPEC.fullmatch(text)
    if match is None:
        return text.strip(), []
    return match[1], [part.strip() for part in (match[2] or "").split(",") if part.strip()]


def abilities(name: str) -> list[str]:
    """Return the abilities of an agent that can be switched off, in the order of its options."""
    return [option for option, hint in _options_of(REGISTRY.get(name)).items() if hint is bool]


def _classes() -> dict[str, type[Agent]]:
    return {
        agent_class.name: agent_class
        for module in pkgutil.iter_modules(__path__)
        for agent_class in _agents_in(module.name)
    }


def _agents_in(module: str) -> Iterator[type[Agent]]:
    loaded = importlib.import_module(f"{__name__}.{module}")
    for member in vars(loaded).values():
        # The last condition excludes the base class, which every module imports.
        is_own = inspect.isclass(member) and issubclass(member, Agent) and member.__module__ == loaded.__name__
        # The name `command` alone is not an agent.
        if is_own and member is not command.Command:
            yield member


REGISTRY: Registry[type[Agent]] = Registry(
    Kind("agents", "agent", Agent, listed="agents"), lambda: sorted(_classes()), lambda name: _classes()[name]
)
"""All agents by name."""


def _options_of(kind: type[Agent]) -> dict[str, Any]:
    """Return the names and types of an agent's options: the keyword arguments of its constructor.

    A constructor with `**options` passes them on to the next class, whose options come first.
    """
    own, constructor = next(
        (place, vars(base)["__init__"]) for place, base in enumerate(kind.__mro__) if "__init__" in vars(base)
    )
    # Annotations may be strings, which `signature` does not resolve.
    hints = get_type_hints(constructor)
    parameters = inspect.signature(constructor).parameters.values()
    passes_on = issubclass(kind.__mro__[own], Agent) and any(part.kind is part.VAR_KEYWORD for part in parameters)
    options = _options_of(kind.__mro__[own + 1]) if passes_on else {}
    return options | {part.name: hints[part.name] for part in parameters if part.kind is part.KEYWORD_ONLY}


def _option(spec: str, part: str, offered: dict[str, Any]) -> tuple[str, Value]:
    key, equals, text = (word.strip() for word in part.partition("="))
    ability = key.removeprefix("-")
    if not equals and key.startswith("-") and offered.get(ability) is bool:
        return ability, False
    if not equals or key not in offered:
        raise UserError(f"agent {spec.strip()!r}: unknown option {part!r}; {choices.offered(part, _choices(offered))}")
    return key, _value(spec, key, text, offered[key])


def _choices(offered: dict[str, Any]) -> list[str]:
    return [f"-{name}" if hint is bool else f"{name}={_valid(hint)}" for name, hint in offered.items()]


def _valid(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "|".join(map(str, get_args(hint)))
    return "on|off" if hint is bool else str(getattr(hint, "__name__", hint))


def _value(spec: str, key: str, text: str, hint: Any) -> Any:
    if hint is bool and text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if get_origin(hint) is Literal and text in get_args(hint):
        return text
    # Every value is a string, and only these types parse it.
    if hint in (int, float, str):
        try:
            return hint(text)
        except ValueError:
            pass
    raise UserError(f"agent {spec.strip()!r}: {key} cannot be {text!r}; valid: {_valid(hint)}")
