"""The planner: observations and actions of actor and assertor, and the end of a step."""

import json
from collections.abc import Callable, Iterator, Sequence

import pytest

from stressweb.core.verdict import Truth, Verdict, verdict_in
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Brief, Dialog, Observation
from stressweb.plugins.scripted_model import Body, ScriptedModel, act
from stressweb.plugins.test_case import CaseStep, TestCase, brief
from stressweb.runner.agents import make
from stressweb.runner.agents.planner import Planner, script_of

STEPS = (
    CaseStep(action='Open "Lamps"', expected='The page has the heading "Lamps"'),
    CaseStep(action='Tick "In stock"'),
    CaseStep(action='Open "Oslo lamp"', expected='The page has the heading "Oslo lamp"'),
)
CASE = TestCase(id="cases/toy/lamp", title="A lamp from Oslo", steps=STEPS, truth=Truth(verdict="pass"))
PAGE = "<html><body><main><h1>Lamps</h1><a href='/oslo'>Oslo lamp</a>{}</main></body></html>"
DIALOG = "<div role='dialog'><p>News?</p><button id='no'>No</button></div>"
DONE, FAIL, CLICK, SCROLL = (
    act("DONE", message="It is done."),
    act("FAIL", message="It cannot be."),
    act("CLICK", "My plan", selector="a"),
    act("SCROLL"),
)


class Episode:
    """A planner with a scripted model, on a page that never changes."""

    def __init__(self, agent: Planner, server: ScriptedModel, case: TestCase) -> None:
        self.agent, self.server = agent, server
        self.history: list[tuple[Action, Outcome]] = []
        agent.start(Brief(goal=brief(case), start_url="http://toy.local/", case_steps=case.steps))

    def act(self, more: str = "", dialog: Dialog | None = None) -> Action:
        """Let the planner act once."""
        html = PAGE.format(more)
        action = self.agent.act(Observation("http://toy.local/", html, history=(*self.history,), dialog=dialog))
        self.history.append((action, Outcome(ok=True)))
        return action

    def run(self) -> list[str]:
        """Let the planner act until it ends; return the kinds of its actions."""
        while not self.history or not self.history[-1][0].final:
            self.act()
        return [action.kind for action, _ in self.history]

    @property
    def verdict(self) -> Verdict:
        parsed = verdict_in(self.history[-1][0].message or "")
        assert parsed is not None
        return parsed

    @property
    def headings(self) -> list[str]:
        """The text about the case in each request."""
        return [texts(body)[1].partition("\n\nAddress: ")[0] for body in self.server.bodies]


type Begin = Callable[..., Episode]


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    servers: list[ScriptedModel] = []

    def _begin(*replies: str, case: TestCase = CASE, options: str = "") -> Episode:
        servers.append(ScriptedModel(*replies))
        monkeypatch.setenv("OPENAI_BASE_URL", servers[-1].url)
        agent = make(f"planner(model=small,-screenshots{options})")
        assert isinstance(agent, Planner)
        return Episode(agent, servers[-1], case)

    yield _begin
    for server in servers:
        server.__exit__()


def texts(body: Body) -> tuple[str, str]:
    """Return the instructions and the message of a request."""
    system, user = body["messages"][:2]
    return system["content"], user["content"][0]["text"]


def kinds(body: Body) -> Sequence[str]:
    """Return the kinds of action that a request offers."""
    offered: Sequence[str] = body["response_format"]["json_schema"]["schema"]["properties"]["action_type"]["enum"]
    return offered


def test_each_role_gets_its_own_step_and_the_notes_of_earlier_ones(begin: Begin) -> None:
    note = act("DONE", message="I opened it;\nthe list is there.")
    episode = begin(CLICK, note, DONE, DONE, CLICK, DONE)
    assert episode.run() == ["CLICK", "CLICK", "DONE"]
    assert episode.verdict == Verdict(verdict="pass", steps=("pass",) * 3)
    none, first = "Earlier steps:\nnone", '1. Open "Lamps". I opened it; the list is there.; It is done.'
    second = '2. Tick "In stock". It is done.'
    assert episode.headings == [
        f'Step 1: Open "Lamps".\n\n{none}',
        f'Step 1: Open "Lamps".\n\n{none}',
        f'Step 1: Open "Lamps".\n\nExpected: The page has the heading "Lamps".\n\n{none}',
        f'Step 2: Tick "In stock".\n\nEarlier steps:\n{first}',
        f'Step 3: Open "Oslo lamp".\n\nEarlier steps:\n{first}\n{second}',
        f'Step 3: Open "Oslo lamp".\n\nEarlier steps:\n{first}\n{second}',
        f'Step 3: Open "Oslo lamp".\n\nExpected: The page has the heading "Oslo lamp".\n\nEarlier steps:\n{first}\n{second}',
    ]
    # No title, which may reveal later steps, and only the actions of the current step.
    assert "A lamp from Oslo" not in json.dumps(episode.server.bodies)
    assert "Actions so far:\n1. " in texts(episode.server.bodies[2])[1]
    assert "Actions so far:\nnone" in texts(episode.server.bodies[3])[1]


def test_after_eight_actions_the_actor_can_only_report(begin: Begin) -> None:
    episode = begin(*[CLICK] * 8, DONE, DONE, DONE, CLICK, DONE)
    assert episode.run() == ["CLICK"] * 9 + ["DONE"]
    assert episode.verdict.verdict == "pass"
    offered = [kinds(body) for body in episode.server.bodies]
    assert "CLICK" in offered[7]
    assert list(offered[8]) == ["DONE", "FAIL", "DIALOG"]


def test_a_step_is_tried_by_three_plans_and_then_its_action_has_failed(begin: Begin) -> None:
    episode = begin(CLICK, DONE, DONE, DONE, *[*[CLICK] * 8, FAIL] * 3)
    assert episode.run() == ["CLICK"] * 25 + ["DONE"]
    assert episode.verdict == Verdict(
        verdict="fail", step=3, cause="action", steps=("pass", "pass", "fail"), note="It cannot be."
    )
    failed = "Plans for this step that did not work:\n- My plan -> It cannot be."
    assert [failed in heading for heading in episode.headings[4:]] == [False] * 9 + [True] * 18
    assert episode.headings[-1].count("My plan -> It cannot be.") == 2


def test_an_expected_result_that_does_not_hold_ends_the_case(begin: Begin) -> None:
    episode = begin(CLICK, DONE, act("FAIL", message="The heading is Chairs."))
    assert episode.run() == ["CLICK", "DONE"]
    assert episode.verdict == Verdict(
        verdict="fail",
        step=1,
        cause="assertion",
        steps=("fail", "not run", "not run"),
        note="The heading is Chairs.",
    )


def test_the_assertor_looks_three_times_before_it_decides(begin: Begin) -> None:
    episode = begin(DONE, SCROLL, act("WAIT"), SCROLL, SCROLL, DONE, DONE, DONE, DONE)
    assert episode.run() == ["SCROLL", "WAIT", "SCROLL", "DONE"]
    assert list(kinds(episode.server.bodies[3])) == ["DONE", "FAIL", "SCROLL", "WAIT", "TAB"]
    assert list(kinds(episode.server.bodies[4])) == ["DONE", "FAIL"]
    # The fourth look went back to the model.
    assert "action_type is 'SCROLL'; here there are DONE, FAIL" in episode.server.bodies[5]["messages"][-1]["content"]
    assert len(episode.agent.usage.rejected) == 1


def test_the_assertor_may_look_into_another_tab(begin: Begin) -> None:
    episode = begin(CLICK, DONE, act("TAB", index=1), act("FAIL", message="The new tab has no lamps."))
    assert episode.act().kind == "CLICK"
    assert episode.act() == Action(kind="TAB", index=1, reasoning="because")
    assert episode.act("<p>Opened in a new tab</p>").final
    assert [*episode.verdict.steps[:1], episode.verdict.cause] == ["fail", "assertion"]
    # It decides by the page of the other tab, and the look is no action of the step.
    before, after = (texts(episode.server.bodies[number])[1] for number in (2, 3))
    assert ("Opened in a new tab" in before, "Opened in a new tab" in after) == (False, True)


def test_the_assertor_may_only_close_dialogs(begin: Begin) -> None:
    into_page, into_dialog = act("CLICK", selector="main a"), act("CLICK", selector="#no")
    episode = begin(DONE, into_page, into_dialog, into_dialog, DONE)
    assert episode.act(DIALOG) == Action(kind="CLICK", selector="#no", reasoning="because")
    assert "aim at what is in it by CSS" in episode.server.bodies[2]["messages"][-1]["content"]
    assert "CLICK" in kinds(episode.server.bodies[2])
    # Without a dialog there is nothing to close.
    assert episode.act().final
    assert "CLICK" not in kinds(episode.server.bodies[3])


def test_a_dialog_of_the_browser_is_answered_at_any_time_and_is_no_action_of_the_step(begin: Begin) -> None:
    answer, alert = act("DIALOG", accept=True), Dialog("alert", "Hello")
    episode = begin(*[answer] * 9, CLICK, DONE, answer, DONE)
    for _ in range(9):
        assert episode.act(dialog=alert).kind == "DIALOG"
    assert episode.act().kind == "CLICK"
    # The second dialog is open while the assertor compares.
    assert episode.act(dialog=alert).kind == "DIALOG"
    assert episode.act().final
    assert episode.verdict.verdict == "pass"


def test_three_unreadable_answers_to_one_question_end_it_without_a_verdict(begin: Begin) -> None:
    episode = begin("a", "b", DONE, "c", "d", DONE, "e")
    assert episode.run() == ["FAIL"]
    assert verdict_in(episode.history[-1][0].message or "") is None
    assert len(episode.agent.usage.rejected) == 7
    assert episode.agent.usage.unanswered.endswith(": e")
    assert (episode.agent.usage.tries, episode.agent.usage.tokens_in) == (9, 900)


def test_a_step_list_is_read_back_from_the_words_of_the_case() -> None:
    words = brief(CASE.model_copy(update={"start": "/lamps", "title": "1. Lamps\n2. No step."}))
    assert script_of(words) == [
        ('Begin at the path /lamps of the site. Open "Lamps".', 'The page has the heading "Lamps".'),
        ('Tick "In stock".', ""),
        ('Open "Oslo lamp".', 'The page has the heading "Oslo lamp".'),
    ]
    assert script_of(brief(CASE))[0].action == 'Open "Lamps".'
