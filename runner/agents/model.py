"""The agent that asks a language model, by the paper's protocol."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from stressweb.core.environment import REPLAY_LLM
from stressweb.core.errors import UserError
from stressweb.log.exchanges import Exchanges
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import BOTH, Agent, Brief, Observation, Usage
from stressweb.runner.agents.llm.answer import Unreadable, decision
from stressweb.runner.agents.llm.endpoint import LONGEST_WAIT, Endpoint
from stressweb.runner.agents.llm.endpoint_config import DEFAULT_URL, EndpointConfig
from stressweb.runner.agents.llm.first_question import check
from stressweb.runner.agents.llm.prompt import Message, instructions, observed, rejection
from stressweb.runner.agents.llm.request_options import Form, Overlong, RequestOptions
from stressweb.runner.agents.llm.wrapping import Reply
from stressweb.sources import source

ANSWERS = 3
"""Consecutive invalid answers after which the episode ends."""


type Question = Callable[[Sequence[Message], RequestOptions], list[Message]]
"""Makes the messages of a question from its rejected answers and the request options."""


class GaveUp(Exception):  # noqa: N818 - the agent's outcome, not an error
    """The model gave no valid action; the message is the agent's final message."""


def _as_it_is(action: Action) -> Action:
    return action


class Model(Agent):
    """Asks a language model for each action, at any OpenAI-compatible endpoint.

    The model gets the goal, the page as `observation` shows it, up to three screenshots, and every action so far with
    its outcome, in the same words under every condition. `observation` is the name of an observation source: `dom` (the
    document), `tree` (the accessibility tree), or another one of `stressweb list observations`. An
    invalid answer is sent back to the model; three in a row end the episode as the model's failure. If the endpoint
    does not respond, the episode is an infrastructure error. `budget` limits the characters of the page, `timeout` is
    the time limit of a request in seconds, `retries` is how often a failed request is sent again, and `max_tokens`
    limits the length of an answer (0: the server's limit). With `strict`, an answer must be the JSON object alone.
    """

    name = "model"
    takes = BOTH
    exchanges = Exchanges()
    """Records or replays an episode's exchanges with the endpoint; set before `start`."""

    def __init__(
        self,
        *,
        model: str = "",
        observation: str = "dom",
        screenshots: bool = True,
        budget: int = 250_000,
        response_format: Form = "schema",
        temperature: float = 0.0,
        seed: bool = True,
        max_tokens: int = 0,
        timeout: float = 120.0,
        retries: int = 4,
        strict: bool = False,
    ) -> None:
        """Take the options; raises UserError for a value out of range, and for an unknown observation source."""
        ranges = {
            "budget": (budget, 0, 10_000_000),
            "temperature": (temperature, 0, 2),
            "max_tokens": (max_tokens, 0, 1_000_000),
            "timeout": (timeout, 0.01, 600),
            "retries": (retries, 0, 20),
        }
        for name, (option_value, least, most) in ranges.items():
            if not least <= option_value <= most:
                raise UserError(f"agent 'model': {name} is {option_value:g}, outside {least:g} to {most:g}")
        source(observation)
        # With screenshots as the observation, the option cannot turn them off.
        screenshots = screenshots or observation == "screenshots"
        self.model, self.view, self.timeout, self.retries = model, observation, timeout, retries
        # Enough for every try of every answer; the endpoint has its own time limits.
        self.decision_seconds = ANSWERS * ((retries + 1) * timeout + retries * LONGEST_WAIT) + 60
        self._keyed, self._strict = seed, strict
        self._spent = Usage()
        self._endpoint: Endpoint | None = None
        self._request_options = RequestOptions(
            form=response_format,
            pictures=screenshots,
            temperature=temperature,
            max_tokens=max_tokens or None,
            budget=budget,
        )
        sources = frozenset({"screenshots"}) if screenshots else frozenset()
        # Every observation holds the document.
        self.wants = sources | ({observation} - {"dom"})

    def ready(self, environ: Mapping[str, str]) -> None:
        """Raise UserError for a missing name or key, and if the endpoint does not answer a short question."""
        if not self.model:
            raise UserError("agent 'model' needs the name of a model: pass --model NAME, or write model(model=NAME)")
        if environ.get(REPLAY_LLM):
            return
        # Once before the run, so that a wrong key does not fail every episode.
        check(EndpointConfig.of(environ), self.model)

    def start(self, brief: Brief) -> None:
        """Take the brief, and read `OPENAI_BASE_URL` and `OPENAI_API_KEY` from the environment."""
        super().start(brief)
        self._request_options.seed = brief.seed if self._keyed else None
        # Read only here, in the worker: planning and listing agents need no key.
        config = EndpointConfig(DEFAULT_URL) if self.exchanges.replays else EndpointConfig.of(os.environ)
        self._endpoint = Endpoint(
            config,
            self.model,
            self._request_options,
            seconds=self.timeout,
            retries=self.retries,
            # A replay does not wait after a recorded refusal.
            sleep=_no_wait if self.exchanges.replays else time.sleep,
            exchanges=self.exchanges,
        )

    @property
    def outage(self) -> str:  # type: ignore[override]
        """Why the endpoint does not answer, while requests are retried; empty otherwise."""
        return "" if self._endpoint is None else self._endpoint.outage

    @property
    def usage(self) -> Usage:  # type: ignore[override]
        """Cost of the current decision so far, including failed requests."""
        return self._spent if self._endpoint is None else self._spent + self._endpoint.pending

    def act(self, observation: Observation) -> Action:
        """Ask until an answer is an action; give up after three invalid answers, or if the question does not fit."""
        self._reset_costs()
        try:
            return self._ask(partial(self.question, observation), judges=bool(self.brief.case_steps))
        except GaveUp as error:
            return Action(kind="FAIL", message=str(error))

    def _reset_costs(self) -> None:
        """Reset the costs for a new decision."""
        assert self._endpoint is not None
        self._spent = Usage()
        self._endpoint.forget()

    def _ask(self, question: Question, check: Callable[[Action], Action] = _as_it_is, *, judges: bool) -> Action:
        """Return the action in the answer to a question, as `check` returns it; raises GaveUp.

        `check` raises Unreadable for an action that is not allowed here. `judges`: an answer may be a verdict.
        """
        assert self._endpoint is not None
        # Rejected answers cost tokens too, so they count towards this decision. They are sent back only within it: the
        # next question lists the actions so far, and rejected answers are not actions.
        rejections: list[Message] = []
        rejected: list[str] = []
        for _ in range(ANSWERS):
            try:
                reply, cost = self._endpoint.ask(partial(question, rejections))
            except Overlong as error:
                # Too long a question is the agent's failure, not an infrastructure error.
                raise GaveUp(f"I cannot go on: {error}.") from None
            self._spent += cost
            try:
                action, ways = decision(reply, self._endpoint.hide, strict=self._strict, judges=judges)
                action = check(action)
            except Unreadable as error:
                why, text = str(error), _reply_text(reply)
                rejected.append(f"{why}: {text[:500]}")
                self._spent += Usage(rejected=(rejected[-1],))
                # Some servers reject an empty answer in the conversation.
                rejections += [{"role": "assistant", "content": text or "(nothing)"}, rejection(why)]
            else:
                self._spent += Usage(unwrapped=(", ".join(ways),) if ways else ())
                return action
        self._spent += Usage(unanswered=rejected[0])
        raise GaveUp(f"{ANSWERS} answers in a row were no action, the last because {why}.")

    def question(
        self, observation: Observation, rejected_answers: Sequence[Message], request_options: RequestOptions
    ) -> list[Message]:
        """Return the messages of a question about an observation."""
        return [
            {"role": "system", "content": instructions(self.view, pictures=request_options.pictures)},
            observed(
                self.brief.goal,
                observation,
                self.view,
                request_options.budget,
                pictures=request_options.pictures,
                files=self.brief.files,
            ),
            *rejected_answers,
        ]


def _no_wait(seconds: float) -> None:
    """Return at once."""


def _reply_text(reply: Reply) -> str:
    """Return an answer as text to send back; a conversation without tools cannot contain tool calls."""
    return reply.text or "\n".join(reply.calls)
