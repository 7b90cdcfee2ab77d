"""Runs the Inspect task of the adapter with a scripted model: `inspect_eval.py HOST_FILE LOGS`.

The words of the site come as JSON by standard input; what came of each sample is printed as JSON.
"""

import json
import re
import sys
from typing import Any

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from stressweb_inspect import episode, stressweb

words = json.load(sys.stdin)


def ref(text: str, role: str, name: str, above: str = "") -> str:
    """Return the reference of the first element of this role and name, below the line that holds `above`."""
    found = re.search(rf'{role} "{re.escape(name)}".*?\[ref=(\w+)\]', text[text.index(above) :])
    assert found
    return found[1]


def decided(messages: list[Any]) -> tuple[str, dict[str, Any]]:
    """Return the next tool and its arguments."""
    done, text = sum(message.role == "assistant" for message in messages), messages[-1].text
    if done == 0:
        return "browser_navigate", {"url": episode()["start_url"]}
    if done in (1, 3):
        return "browser_snapshot", {}
    if done == 2:
        field = ref(text, "searchbox", words["field"])
        return "browser_type", {"target": field, "text": words["query"], "submit": True}
    # Where the search did not come through, it gives in.
    if done == 4 and words["product"] in text:
        return "browser_click", {"target": ref(text, "button", words["button"], words["product"])}
    return "submit", {"answer": "done"}


def answered(messages: list[Any], *_: object) -> ModelOutput:
    output = ModelOutput.for_tool_call("mockllm", *decided(messages))
    # Inspect would count the tokens with a table that it downloads.
    output.usage = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
    return output


host, logs = sys.argv[1:]
task = stressweb(host=host, tasks="shop/first-hit", conditions="clean,sham,failure@5")
(log,) = evaluate(task, model=get_model("mockllm/model", custom_outputs=answered), display="none", log_dir=logs)
assert log.status == "success", log.error
scores = {sample.id: sample.scores["grade"] for sample in log.samples or () if sample.scores}
said = {
    name: {"value": score.value, "why": score.explanation, "ended": score.metadata} for name, score in scores.items()
}
core = [name for name in ("stressweb", "runner", "sites", "perturbations", "checkpoints") if name in sys.modules]
print(json.dumps({"scores": said, "core": core}))
