"""Plays cells of a host as samples of the adapter for Inspect, by a scripted model: `inspect_eval.py HOST_FILE LOGS`.

The cells come as JSON by standard input; the score of each sample, and how it ended, are printed as JSON.
"""

import json
import sys
from typing import Any

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from stressweb_inspect import episode, stressweb
from tool_calls import Call, calls

cells = json.load(sys.stdin)
scripts = {cell["task"]: cell["script"] for cell in cells}
moves: dict[str, Any] = {}
"""The remaining calls of each episode, by its id."""


def decided(messages: list[Any]) -> Call:
    """Return the next tool and its arguments."""
    opened = episode()
    try:
        if opened["id"] in moves:
            return moves[opened["id"]].send(messages[-1].text)
        moves[opened["id"]] = calls(opened["start_url"], scripts[opened["task"]])
        return next(moves[opened["id"]])
    except StopIteration:
        return "submit", {"answer": "done"}


def answered(messages: list[Any], *_: object) -> ModelOutput:
    output = ModelOutput.for_tool_call("mockllm", *decided(messages))
    # Inspect would count the tokens with a table that it downloads.
    output.usage = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
    return output


host, logs = sys.argv[1:]
task = stressweb(
    host=host,
    tasks=list(scripts),
    conditions=list(dict.fromkeys(cell["condition"] for cell in cells)),
)
(log,) = evaluate(
    task,
    model=get_model("mockllm/model", custom_outputs=answered),
    display="none",
    log_dir=logs,
    max_samples=2,
)
assert log.status == "success", log.error
scores = {sample.id: sample.scores["grade"] for sample in log.samples or () if sample.scores}
samples = [scores[f"{cell['task']}|{cell['condition']}|0"] for cell in cells]
core = [name for name in sys.modules if name.partition(".")[0] == "stressweb"]
print(
    json.dumps(
        {
            "scores": [{"value": score.value, "why": score.explanation} for score in samples],
            "ended": [score.metadata for score in samples],
            "core": core,
        }
    )
)
