"""The task: a sample for each task, condition and seed of a host; its score is the host's grade."""

from itertools import product
from typing import Any

from inspect_ai import Task, task
from inspect_ai.agent import AgentState, react
from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import mcp_server_stdio
from inspect_ai.util import store

from stressweb_inspect.host import Host

_EPISODE = "stressweb:episode"
_PROMPT = (
    "Open {start_url} in the browser, and reach this goal with the browser alone:\n\n{goal}\n\n"
    "Say that you have finished when you have reached it, or when you cannot."
)


@task
def stressweb(
    host: str,
    tasks: str | list[str] = "shop/first-hit",
    conditions: str | list[str] = "clean",
    seeds: str | int | list[int] = 0,
    agent: str = "inspect",
) -> Task:
    """Play tasks of a stressweb host under conditions; each is a list, or a text with commas.

    `host` is the path of the file `host.json` in the folder of the host. `seeds` are stress seeds. `agent` is the name
    in stressweb's tables.
    """
    server = Host(host)
    samples = [
        Sample(
            id=f"{name}|{condition}|{seed}",
            input=f"{name} under {condition}",
            metadata={"task": name, "condition": condition, "seeds": {"stress": int(seed)}, "agent": agent},
        )
        for name, condition, seed in product(_listed(tasks), _listed(conditions), _listed(seeds))
    ]
    return Task(dataset=samples, setup=open_episode(server), solver=play(), scorer=grade(server))


def _listed(names: Any) -> list[str]:
    parts = names if isinstance(names, list) else str(names).split(",")
    return [str(part).strip() for part in parts]


def episode() -> dict[str, Any]:
    """Return the episode of the running sample: `goal`, `start_url`, `cdp_url`, `mcp` and more."""
    return dict(store().get(_EPISODE))


@solver
def open_episode(host: Host) -> Solver:
    """Open the episode of a sample, and replace the sample's input by its goal."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        names = ("task", "condition", "seeds", "agent")
        opened = await host.open({name: state.metadata[name] for name in names})
        store().set(_EPISODE, opened)
        state.messages = [ChatMessageUser(content=_PROMPT.format(**opened))]
        return state

    return solve


@solver
def play() -> Solver:
    """Have the model play with the browser tools of Playwright's MCP server."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        command = episode()["mcp"]
        browser = mcp_server_stdio(name="browser", command=command["command"], args=command["args"])
        answer = await react(tools=[browser])(AgentState(messages=state.messages))
        state.messages, state.output = answer.messages, answer.output
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def grade(host: Host) -> Scorer:
    """Finish the episode; its grade is the score, whatever the model says."""

    async def score(state: TaskState, target: Target) -> Score:
        claim = {"claim": "done", "message": state.output.completion[:20_000], "usage": _usage(state)}
        ended = await host.finish(episode()["id"], claim)
        if ended["grade"] is None:
            raise RuntimeError(f"stressweb: {ended['status']}: {ended['message']}")
        passed = ended["grade"]["checkpoints"]
        failed = ", ".join(name for name, holds in passed.items() if not holds)
        explanation = f"not passed: {failed}" if failed else "every checkpoint passed"
        return Score(value=ended["grade"]["success"], answer=ended["claim"], explanation=explanation, metadata=ended)

    return score


def _usage(state: TaskState) -> dict[str, Any]:
    """Return the total token usage of the model."""
    events = [event for event in transcript().events if isinstance(event, ModelEvent)]
    usages = [event.output.usage for event in events if event.output.usage is not None]
    return {
        "tokens_in": sum(usage.input_tokens for usage in usages),
        "tokens_out": sum(usage.output_tokens for usage in usages),
        "model": str(state.model),
    }
