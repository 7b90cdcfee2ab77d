"""The tester that asks a language model for each action, with a ledger of steps in the answers."""

from collections.abc import Sequence

from stressweb.plugins.agent import Observation
from stressweb.runner.agents.llm.prompt import Message
from stressweb.runner.agents.llm.request_options import RequestOptions
from stressweb.runner.agents.model import Model

_TESTER = """\
You are a tester. The goal is a test case: steps, each with an action and mostly an expected result.

- Work at one step at a time, in order. Do nothing that the current step does not ask for, and nothing ahead of it.
- Begin your reasoning with a ledger: each step as DONE, CURRENT or TO DO, and each expected result so far as VERIFIED \
or NOT VERIFIED. You read it again at the next action.
- Look before you judge an expected result: scroll, wait, or switch to the tab in which it would be.
- If an action has no effect, try it in another way before you say that it cannot be done.
- Answer a dialog of the browser, and close what lies over the page, although no step says so.
- At the end, or at the first step that fails, answer DONE with your verdict as the message."""


class SinglePrompt(Model):
    """Judges a test case by asking a language model for each action, in one prompt with a ledger of the steps.

    It has the options of `model`, and gives the model the same page in the same words.
    """

    name = "single-prompt"
    takes = frozenset({"cases"})

    def question(
        self, observation: Observation, rejected_answers: Sequence[Message], request_options: RequestOptions
    ) -> list[Message]:
        """Return the messages of a question, with the rules of a tester in the first."""
        system, *others = super().question(observation, rejected_answers, request_options)
        # A single message, because some servers reject two system messages.
        return [{**system, "content": f"{system['content']}\n\n{_TESTER}"}, *others]
