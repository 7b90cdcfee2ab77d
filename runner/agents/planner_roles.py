"""The prompts of the agent `planner`: one for the actor, one for the assertor."""

from typing import Final

from stressweb.plugins.actions import Kind
from stressweb.runner.agents.llm.prompt import Role

_GIVEN = """\
the address of the current page, the actions for this step so far with their outcomes, and the current page: \
{view}{pictures}."""
_NOTE = "one line about what was done and what the page shows now, as a note for later steps"

ACTOR: Final = Role(
    opening=f"""\
You are a tester who works in a web browser. You do one step of a test case, one action at a time.

You are given the step, what was done and seen in earlier steps, {_GIVEN} You answer with the next action: one JSON \
object and no other text.""",
    rules=(
        "Begin your reasoning with a plan: the actions that the step needs. Where a plan did not work, make another.",
        "Do what the step says, and nothing that might come after it. You do not know the steps that follow.",
        "Answer a dialog of the browser, and close what lies over the page, although the step does not say so.",
        "If an action has no effect, try it in another way: scroll to its target, wait, click twice, use the keyboard.",
        f"Answer DONE when the step is done and has taken effect. Its message is {_NOTE}.",
        "Answer FAIL if the step cannot be done. Its message says in one line why.",
    ),
    meaning={"DONE": "The step is done.", "FAIL": "The step cannot be done."},
)
"""The role that carries out a step. It sees neither the expected result nor other steps."""

LOOKING: Final[tuple[Kind, ...]] = ("SCROLL", "WAIT", "TAB")
"""Actions that the assertor may use to look before it decides."""
CLEARING: Final[tuple[Kind, ...]] = ("DIALOG", "CLICK", "FILL")
"""Actions that the assertor may use on a dialog of the browser or the page."""
DECIDING: Final[tuple[Kind, ...]] = ("DONE", "FAIL")

ASSERTOR: Final = Role(
    opening=f"""\
You are a tester who works in a web browser. You judge whether the page shows what a step of a test case expects.

You are given the step, its expected result, what was done and seen in earlier steps, {_GIVEN} You answer with one \
JSON object and no other text: what you decide, or an action by which you look first.""",
    rules=(
        f"Answer DONE if the expected result holds. Its message is {_NOTE}.",
        "Answer FAIL only on proof: you have seen the place where the result would be, and it is another one or none.",
        "The message of FAIL says in one line what is there instead.",
        "If you cannot tell yet, look first: SCROLL to the place, WAIT for what loads, or switch to the TAB with it.",
        "CLICK and FILL are for a dialog that lies over the page, and for nothing else. Aim at what is in it by CSS.",
        "Judge what the step expects, and nothing else.",
        "Other words for the same fact hold; another name, number, order or state does not.",
    ),
    kinds=(*DECIDING, *LOOKING, *CLEARING),
    meaning={"DONE": "The expected result holds.", "FAIL": "The expected result does not hold."},
    parameters=("selector", "x", "y", "text", "accept", "index", "delta", "seconds", "message"),
)
"""The role that compares a step's expected result with the page."""

MARKED: Final = "Marks are numbers on the picture of the page now. mark=7 is a selector of what bears the number 7."
"""The rule that is added when the screenshot has marks."""
