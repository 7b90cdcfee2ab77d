"""The prompt: the instructions, which are the same throughout a run, and the message of each step."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from stressweb.plugins.actions import NEEDS, Action, Kind, Outcome
from stressweb.plugins.agent import Observation
from stressweb.runner.agents.llm.answer import PARAMETERS
from stressweb.sources import rendered, source

type Message = dict[str, Any]

# The texts below are hashed with every run; tests check that they name no site, task or test.
MEANING: Mapping[str, str] = {
    "NAVIGATE": "Go to a URL.",
    "CLICK": "Click the target, given by selector or by x and y.",
    "TYPE": "Type text with the keyboard, where the cursor is or into the target.",
    "FILL": "Set the whole value of a field.",
    "PRESS": "Press one key, on the target if there is a selector.",
    "HOTKEY": "Press keys together.",
    "SCROLL": "Scroll the page, or what is under the target.",
    "HOVER": "Move the pointer over the target, given by selector or by x and y.",
    "SELECT": "Choose an option of a select element.",
    "CHECK": "Tick a checkbox or radio button.",
    "UNCHECK": "Untick a checkbox.",
    "DRAG": "Drag the target, given by selector or by x and y, to a place given by to_selector or by to_x and to_y.",
    "UPLOAD": "Choose files for a file field, given by selector or by x and y.",
    "DIALOG": "Answer the open dialog.",
    "TAB": "Switch to another tab.",
    "CLOSE_TAB": "Close a tab.",
    "WAIT": "Wait.",
    "GO_BACK": "Go one page back.",
    "GO_FORWARD": "Go one page forward.",
    "RELOAD": "Load the page again.",
    "DONE": "The goal is reached; ends the task.",
    "FAIL": "The goal cannot be reached; ends the task.",
}
"""Description of each kind of action in the instructions; a kind without one is listed by name only."""

KINDS: tuple[Kind, ...] = get_args(Kind)


class Role(NamedTuple):
    """The role of a model in a prompt: an agent, or a part of one."""

    opening: str
    """Opening paragraphs; `{view}` stands for the format of pages, `{pictures}` for the screenshots."""
    rules: tuple[str, ...]
    """Rules besides those about selectors and coordinates."""
    kinds: tuple[Kind, ...] = KINDS
    """Allowed kinds of action."""
    meaning: Mapping[str, str] = MappingProxyType({})
    """Descriptions of the kinds that have another meaning in this role."""
    parameters: tuple[str, ...] = PARAMETERS


AGENT = Role(
    opening="""\
You are a web agent. You work in a web browser, one action at a time, until you reach a goal.

At each step you are given the goal, the address of the current page, all of your actions so far with their outcomes, \
and the current page: {view}{pictures}. You answer with the next action: one JSON object and no other text.""",
    rules=(
        "If an action fails, try another selector, coordinates or another way.",
        "Answer DONE when the goal is reached, FAIL only when it cannot be reached.",
    ),
)
"""The role of a model that does a task alone."""

_INSTRUCTIONS = """\
{opening}

{{"action_type": "CLICK", "parameters": {{"selector": "button:has-text(\\"Submit\\")"}}, "reasoning": "Submit it."}}

Action types, with the parameters that they need:
{kinds}

Parameters:
{parameters}

Rules:
- Prefer selectors. A selector is CSS (button.primary, #element-id, [placeholder="Search"]), CSS with text \
(button:has-text("Text"), a:has-text("Link")), {by_view}. Keep it simple.
- Where no selector works, use coordinates: {{"action_type": "CLICK", "parameters": {{"x": 200, "y": 250}}, \
"reasoning": "Click on the button that I see."}}. They count in pixels from the top left corner of what the browser \
shows; aim at the centre of the target.
{rules}
- Never answer with anything but one JSON object."""
_BY_TEXT = 'or exact text (text="Exact text")'
_BY_SOURCE: Mapping[str, str] = {
    "tree": 'exact text (text="Exact text"), or role and name (role=button[name="Text"])',
}
"""Selectors that fit an observation source; for all other sources, `_BY_TEXT` is used."""
_PICTURES = ", with up to three pictures of it: as it is now, and before each of the last two actions that changed it"


def instructions(view: str, *, pictures: bool, role: Role = AGENT) -> str:
    """Return the system message, which is the same for every task and condition.

    `view` is the name of the observation source that shows the page.
    """
    return _INSTRUCTIONS.format(
        opening=role.opening.format(view=source(view).words(), pictures=_PICTURES if pictures else ""),
        kinds="\n".join(_kinds(role)),
        parameters="\n".join(_parameters(role)),
        by_view=_BY_SOURCE.get(view, _BY_TEXT),
        rules="\n".join(f"- {rule}" for rule in role.rules),
    )


def _kinds(role: Role) -> Iterator[str]:
    meaning = {**MEANING, **role.meaning}
    for kind in role.kinds:
        requirements = f" ({', '.join(NEEDS[kind])})" if kind in NEEDS else ""
        yield f"- {kind}{requirements}: {meaning[kind]}"


def _parameters(role: Role) -> Iterator[str]:
    schemas = schema()["properties"]["parameters"]["properties"]
    for name in role.parameters:
        known = schemas[name]
        words = " ".join(known.get("description", "").split())
        least, most = known.get("minimum"), known.get("maximum")
        bounds = "" if least is None or most is None else f", from {least:g} to {most:g}"
        default = Action.model_fields[name].default
        usual = f", {default:g} if not given" if isinstance(default, int | float) else ""
        kind = f"{known['type']} of {known['items']['type']}s" if "items" in known else known["type"]
        yield f"- {name} ({kind}{bounds}{usual}): {words}".rstrip(": ")


def schema(kinds: Sequence[Kind] = KINDS) -> dict[str, Any]:
    """Return the JSON schema of an answer with one of these kinds of action."""
    fields = _fields()
    return {
        "type": "object",
        "properties": {
            "action_type": {"type": "string", "enum": list(kinds)},
            "parameters": {
                "type": "object",
                "properties": {name: _schema_without_null(fields[name]) for name in PARAMETERS},
                "additionalProperties": False,
            },
            "reasoning": {"type": "string"},
        },
        "required": ["action_type", "parameters", "reasoning"],
        "additionalProperties": False,
    }


# Cached, because it takes longer than the rest of a question.
@cache
def _fields() -> Mapping[str, Any]:
    fields: Mapping[str, Any] = Action.model_json_schema()["properties"]
    return fields


def _schema_without_null(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema without null, since an omitted parameter is left out."""
    offered = field.get("anyOf", [field])
    # Exactly one: a parameter of two types would need another description, and fails here.
    (kind,) = (option for option in offered if option.get("type") != "null")
    words = {"description": field["description"]} if "description" in field else {}
    items = {"items": {"type": kind["items"]["type"]}} if "items" in kind else {}
    return {name: kind[name] for name in ("type", "minimum", "maximum") if name in kind} | items | words


def observed(
    goal: str, observation: Observation, view: str, budget: int, *, pictures: bool, files: Sequence[str] = ()
) -> Message:
    """Return a step's message: goal, files, address, actions with outcomes, the page, and pictures if wanted.

    Arguments as for `page_message`.
    """
    return page_message(f"Goal: {goal}", observation, view, budget, pictures=pictures, files=files)


def page_message(
    heading: str, observation: Observation, view: str, budget: int, *, pictures: bool, files: Sequence[str] = ()
) -> Message:
    """Return a message about a page, beginning with a heading.

    `view` is the name of the observation source that shows the page, `budget` its maximum number of characters. `files`
    are the names of the files that can be uploaded; if empty, the message does not mention files.
    """
    parts = [
        heading,
        *(["Files that you can upload:\n" + "\n".join(f"- {name}" for name in files)] if files else []),
        f"Address: {observation.url}",
        *_tab_and_dialog_texts(observation),
        "Actions so far:\n" + ("\n".join(_history(observation)) or "none"),
        f"Page, {source(view).words()}:\n{trimmed(rendered(observation, view), budget)}",
    ]
    text = {"type": "text", "text": "\n\n".join(parts)}
    return {"role": "user", "content": [text, *(_picture_parts(observation) if pictures else ())]}


def _tab_and_dialog_texts(observation: Observation) -> Iterator[str]:
    """Yield texts about the tabs, if there are several, and about the open dialog, if any."""
    if len(observation.tabs) > 1:
        marked = (
            f"{index}: {tab}" + (" (current)" if index == observation.tab else "")
            for index, tab in enumerate(observation.tabs)
        )
        yield "Tabs:\n" + "\n".join(marked)
    if observation.dialog is not None:
        offers = f', which offers "{observation.dialog.default}"' if observation.dialog.default else ""
        yield f"Open dialog, which must be answered first: {observation.dialog}{offers}"


def _history(observation: Observation) -> Iterator[str]:
    for number, (action, outcome) in enumerate(observation.history, 1):
        yield f"{number}. {written(action)} -> {outcome_text(outcome)}"


def written(action: Action) -> str:
    """Return an action as a model writes it, without omitted parameters."""
    # Defaults that the model omitted would only lengthen every later question.
    fields = action.model_dump(exclude_unset=True, exclude_none=True)
    kind, reasoning = fields.pop("kind"), fields.pop("reasoning", None)
    answer = {"action_type": kind, "parameters": fields} | ({} if reasoning is None else {"reasoning": reasoning})
    # Six-character escapes of letters would lengthen every later question.
    return json.dumps(answer, ensure_ascii=False)


def outcome_text(outcome: Outcome) -> str:
    """Return an outcome on one line."""
    # An outcome may quote the page, such as a dialog's text, in which a line feed would look like another action.
    return " ".join(str(outcome).split())


def trimmed(text: str, budget: int) -> str:
    """Return the first `budget` characters, and a note of how many more there are."""
    excess = len(text) - budget
    # Without the note, the model would mistake the cut for the end of the page.
    return text if excess <= 0 else f"{text[:budget]}\n[{excess} more characters]"


def _picture_parts(observation: Observation) -> Iterator[Message]:
    for index, picture in enumerate(observation.screenshots):
        # A picture has no name, so the text before it says which one it is.
        yield {"type": "text", "text": "The page now:" if index == 0 else f"The page before, {index} back:"}
        encoded = base64.b64encode(picture).decode()
        yield {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}


def rejection(why: str) -> Message:
    """Return the reply to an answer of the model that is not a valid action."""
    text = f"Your answer is not valid: {why}. Answer with exactly one JSON object and no other text."
    return {"role": "user", "content": text}
