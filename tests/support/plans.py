"""Plans from labels; agents and modes need not exist."""

from collections.abc import Collection, Iterable
from typing import Any

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import Condition, parse
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell


def plan(
    agents: Iterable[str] = ("naive",),
    tasks: Iterable[str] = (),
    conditions: Iterable[str] = ("clean",),
    *,
    sampled: Collection[str] = (),
    **rest: Any,
) -> Plan:
    """Return a plan of these labels; the agents are deterministic except those in `sampled`."""
    return Plan(
        agents=tuple(agent(label, deterministic=label not in sampled) for label in agents),
        tasks=tuple(tasks),
        conditions=tuple(map(condition, conditions)),
        **rest,
    )


def agent(label: str, *, deterministic: bool = True) -> AgentSpec:
    """Return the agent of a label, without its options."""
    return AgentSpec(label=label, name=label.partition("(")[0], deterministic=deterministic)


def condition(label: str) -> Condition:
    """Return the condition of a label; its modes keep their order and need not exist."""
    named = [part.partition("@")[0].partition("(")[0] for part in label.split("+") if part not in ("clean", "sham")]
    (parsed,) = parse(label, named)
    assert parsed.label == label
    return parsed


def meta(cells: Collection[Cell]) -> dict[str, Any]:
    """Return the metadata that makes a run readable: a plan with the agents and conditions of these cells."""
    labels = dict.fromkeys(cell.condition for cell in cells)
    return {"plan": plan(dict.fromkeys(cell.agent for cell in cells), (), labels).model_dump()}
