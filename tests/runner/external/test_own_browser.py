"""An agent with its own browser behind the episode's proxy: grading and recording."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.draws import Seeds
from stressweb.html.annotated_form import digest
from stressweb.log.limits import Limits
from stressweb.log.recording import EpisodeRecord, StepRecord
from stressweb.perturbations import ReportError
from stressweb.runner.agents.command import command_of, has_own_browser, recorded, spec_of
from stressweb.runner.external.page_reports import PageReports, ReportingDocument
from stressweb.runner.external.steps import Steps
from stressweb.runner.world.world import World
from tests.support.plans import condition
from tests.support.playing import conditions
from tests.support.programs import FINISH, FIRST_HIT, OWN_HEAD, Programs

WAYS = [("resilient", FIRST_HIT, label) for label in ("clean", *conditions(3))]
WAYS += [("naive", "shop/checkout", "clean"), ("resilient", "shop/checkout", "failure@3")]
type OwnRan = Callable[..., EpisodeRecord]


@pytest.fixture
def own(programs: Programs) -> OwnRan:
    """`own("finish()")` runs an episode of a program with this body, whose own browser shows the first page."""

    def run(body: str, label: str = "clean", task: str = FIRST_HIT, head: str = OWN_HEAD) -> EpisodeRecord:
        return programs.run(programs.python(body, head=head), label, task, own_browser=True)

    return run


def outcome(record: EpisodeRecord) -> object:
    """Return status, grade, changed tables, actions and ledger of an episode."""
    ledger = Counter({str((line.step, line.mode, line.phase, line.element)): line.count for line in record.ledger})
    kinds = [step.action and step.action.kind for step in record.steps]
    return record.status, record.grade, sorted(record.final), kinds, ledger


@pytest.mark.sample(1, "browser")
@pytest.mark.parametrize(("agent", "task", "label"), WAYS)
def test_an_own_browser_is_graded_and_recorded_like_ours(programs: Programs, agent: str, task: str, label: str) -> None:
    command = programs.scripted(agent, task)
    ours, theirs = (programs.run(command, label, task, own_browser=own_browser) for own_browser in (False, True))
    assert outcome(theirs) == outcome(ours)
    assert theirs.success
    for ours_step, theirs_step in zip(ours.steps, theirs.steps, strict=True):
        assert digest(theirs_step.page.recorded) == digest(ours_step.page.recorded)


@pytest.mark.sample(1, "browser")
@pytest.mark.parametrize(("agent", "task", "label"), WAYS)
def test_without_a_proxy_everything_is_the_same(programs: Programs, agent: str, task: str, label: str) -> None:
    command = programs.scripted(agent, task)
    ours = programs.run(command, label, task)
    theirs = programs.run(f"{command} direct", label, task, own_browser=True)
    assert outcome(theirs) == outcome(ours)
    for ours_step, theirs_step in zip(ours.steps, theirs.steps, strict=True):
        assert theirs_step.page.url == ours_step.page.url
        assert digest(theirs_step.page.recorded) == digest(ours_step.page.recorded)
    assert "localhost" not in "".join(step.page.recorded for step in theirs.steps)


@pytest.mark.sample(1, "browser")
def test_only_the_agent_knows_the_address_without_proxy(own: OwnRan) -> None:
    record = own(
        """
direct = os.environ["STRESSWEB_DIRECT_URL"]
for host in ("127.0.0.1", "localhost", "shop.localhost"):
    address = f"http://{host}:{urlsplit(direct).port}/"
    try:
        urllib.request.urlopen(urllib.request.Request(address.replace(host, "127.0.0.1"), headers={"Host": host}))
    except urllib.error.HTTPError as error:
        assert error.code == 403
    else:
        sys.exit(f"{host} was answered")
finish()
""",
        head=f"{FINISH}\nfrom urllib.parse import urlsplit\n",
    )
    assert (record.status, record.message) == ("done", "")


@pytest.mark.sample(1, "browser")
def test_going_to_an_address_is_a_step_and_a_bypass(own: OwnRan) -> None:
    record = own(
        """
page.goto(os.environ["STRESSWEB_START_URL"] + "cart"); page.wait_for_timeout(500)
page.reload(); page.wait_for_timeout(500)
page.go_back(); page.wait_for_timeout(500)
page.get_by_role("searchbox").first.fill("x"); page.keyboard.press("Enter"); page.wait_for_timeout(500)
finish()
"""
    )
    kinds = [step.action.kind for step in record.steps if step.action]
    assert kinds == ["NAVIGATE", "RELOAD", "GO_BACK", "FILL", "PRESS", "DONE"]
    assert [line.detail for line in record.ledger if line.phase == "bypass"] == [record.steps[1].page.url]


@pytest.mark.sample(1, "browser")
def test_unread_pages_are_unobserved_and_never_failed(own: OwnRan) -> None:
    """A client without scripts reports no pages: only database and evidence are graded."""
    seen = """
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": os.environ["STRESSWEB_PROXY"]}))
opener.open(os.environ["STRESSWEB_START_URL"], timeout=20).read()
finish()
"""
    record = own(seen, head=FINISH)
    unread = [line.detail for line in record.ledger if line.phase == "unread"]
    assert unread == ["every page"]
    assert record.grade is not None
    assert record.grade.unobserved == ["searched for it", "saw the first hit"]
    assert record.grade.passed == {"put it into the cart": False, "put one of it into the cart": False}
    # With scripts the pages are observed, and checkpoints that they do not show have failed.
    record = own("page.wait_for_timeout(300)\nfinish()")
    assert record.grade is not None
    assert record.grade.unobserved == []
    assert not any(record.grade.passed.values())


@pytest.mark.sample(1, "browser")
def test_an_unobserved_outcome_is_none(own: OwnRan) -> None:
    """A goal without a change of the database is decided by the pages that the agent saw."""
    seen = """
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": os.environ["STRESSWEB_PROXY"]}))
opener.open(os.environ["STRESSWEB_START_URL"], timeout=20).read()
"""
    read_only = "calendar/week-view"
    record = own(f"{seen}finish()", head=FINISH, task=read_only)
    assert record.grade is not None
    assert (record.status, record.claim, record.grade.outcome) == ("done", "done", None)
    # A program that requested no page has certainly seen nothing.
    record = own("finish()", head=FINISH, task=read_only)
    assert record.grade is not None
    assert (record.grade.outcome, record.grade.unobserved) == (False, [])


@pytest.mark.sample(1, "browser")
def test_clicks_while_a_page_goes_do_not_stop_the_browser(own: OwnRan) -> None:
    """If the client paused requests, a request for which the page waits would never end."""
    record = own(
        """
for n in range(8):
    page.wait_for_load_state()
    box = page.locator("a[href]:visible").nth(n % 3).bounding_box()
    x, y = box["x"] + 5, box["y"] + box["height"] / 2
    page.mouse.dblclick(x, y)
    page.mouse.click(x, y)
page.wait_for_timeout(500)
finish()
"""
    )
    assert (record.status, record.message) == ("done", "")
    assert len(record.steps) > 8


@pytest.mark.sample(1, "browser")
def test_steps_are_bounded(programs: Programs) -> None:
    body = "for n in range(6): page.mouse.click(5, 5 + n); page.wait_for_timeout(300)\nfinish()"
    limits = Limits(max_steps=3, agent_seconds=60)
    record = programs.run(programs.python(body, head=OWN_HEAD), limits=limits, own_browser=True)
    assert (record.status, len(record.steps)) == ("out_of_steps", 4)


@pytest.mark.sample(1, "browser")
def test_there_is_no_cdp_address(own: OwnRan, tmp_path: Path) -> None:
    output_path = tmp_path / "said.json"
    body = f"""
names = sorted(name for name in os.environ if name.startswith("STRESSWEB_"))
version = os.environ["STRESSWEB_FINISH_URL"].replace("/finish", "/json/version")
try:
    urllib.request.urlopen(version)
except urllib.error.HTTPError as error:
    json.dump([names, error.code, json.load(error)["detail"]], open({str(output_path)!r}, "w"))
finish()
"""
    own(body, head=FINISH)
    names, status, detail = json.loads(output_path.read_text())
    assert "STRESSWEB_PROXY" in names
    assert "STRESSWEB_CDP_URL" not in names
    assert (status, detail) == (404, "in this episode the agent has a browser of its own")


def test_a_label_says_that_a_program_has_its_own_browser() -> None:
    spec = spec_of("mine=python a.py", "v 1", deterministic=True, own_browser=True)
    assert spec.label == "mine=command(deterministic: own browser: version v 1: python a.py)"
    assert recorded(spec.label) == spec
    assert (command_of(spec), has_own_browser(spec)) == ("python a.py", True)
    assert not has_own_browser(spec_of("python a.py"))


@given(st.text(), st.text(), st.text(), st.text())
def test_a_page_is_rebuilt_from_an_earlier_one_and_the_difference(head: str, old: str, new: str, tail: str) -> None:
    def units(text: str) -> int:
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    document = ReportingDocument("/")
    document.keep(1, head + old + tail)
    document.keep(2, "another")
    assert document.page(1, units(head), new, units(tail)) == head + new + tail
    assert document.page(0, 0, new, 0) == new


MESSAGES = (
    {"number": 1, "order": 1, "doing": {"kind": "FILL", "more": {"selector": "input", "text": "O"}}},
    {"number": 1, "order": 2, "doing": {"more": {"text": "Or"}}},
    {"number": 2, "order": 3, "doing": {"kind": "SELECT", "more": {"selector": "select", "option": "b"}}},
    {"number": 3, "order": 4, "doing": {"kind": "PRESS", "more": {"key": "Enter"}}},
)


@pytest.mark.parametrize("arrival", [*permutations(range(4)), (0, 1, 0, 2, 1, 3, 3)])
def test_actions_have_their_order_however_their_messages_arrive(
    programs: Programs, world: World, arrival: tuple[int, ...]
) -> None:
    assert recorded_actions(programs, world, arrival) == ["FILL Or", "SELECT b", "PRESS Enter"]


@pytest.mark.parametrize(
    ("lost", "kinds"), [(0, ["SELECT b", "PRESS Enter"]), (1, ["FILL O", "SELECT b", "PRESS Enter"])]
)
def test_a_lost_message_takes_no_other_with_it(programs: Programs, world: World, lost: int, kinds: list[str]) -> None:
    assert recorded_actions(programs, world, [number for number in range(4) if number != lost]) == kinds


def recorded_actions(programs: Programs, world: World, arrival: Iterable[int]) -> list[str]:
    """Send some of `MESSAGES` in an order; return the actions of the episode."""
    steps: list[StepRecord] = []
    with reporting(programs, world, steps) as (reports, address):
        for number in arrival:
            reports.message(address, json.dumps(MESSAGES[number]).encode())
        # It awaits nothing, and this process may have a running event loop.
        with suppress(StopIteration):
            reports.end(None).send(None)
    actions = [step.action for step in steps if step.action is not None]
    return [f"{action.kind} {action.text or action.option or action.key}" for action in actions]


@contextmanager
def reporting(programs: Programs, world: World, steps: list[StepRecord]) -> Iterator[tuple[PageReports, str]]:
    """Yield the reports of an episode whose steps are added to `steps`, and the path to which its page reports."""
    site = programs.library.world_of(FIRST_HIT, 0)
    episode = world.open(site, condition("clean"), Seeds(0, 0, FIRST_HIT))
    try:
        reports = PageReports(episode, "2026-01-01T00:00", Steps(episode, 9, steps.append, lambda: None))
        yield reports, json.loads(reports.script("/").rpartition(", ")[2].removesuffix(");"))
    finally:
        episode.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b'{"number": 0, "page": [1, "no json"]}',
        b'{"number": 0, "more": 1}',
        b'{"number": 0, "order": 1, "doing": {"kind": "CLICK"}, "difference": [1, 5, "", 5]}',
        b'{"number": 0, "doing": {"kind": "CLICK"}}',
        b'{"number": 0, "order": 1, "page": [1, ""]}',
        b'{"number": 0, "order": 5000, "doing": {"kind": "CLICK"}}',
        b'{"number": 0, "page": [1, "{}"]}',
    ],
)
def test_invalid_reports_are_refused(programs: Programs, world: World, body: bytes) -> None:
    with reporting(programs, world, []) as (reports, address):
        assert reports.message("/elsewhere", body) is None
        with pytest.raises(ReportError, match="invalid message: "):
            reports.message(address, body)
