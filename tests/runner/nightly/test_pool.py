"""Tasks and modes that changed since the baseline leave the pool; the nights continue with the others."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.recording import Cell
from stressweb.perturbations.remap import Remap
from stressweb.plugins.checks import Checklist
from stressweb.plugins.site import Site
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Task
from stressweb.runner import registry
from stressweb.runner.nightly.night import status_of
from stressweb.runner.nightly.output import write
from tests.runner.nightly.synthetic_nights import SHOP, Stage, failing
from tests.support.isolated_plugins import isolate_plugins

MAIL = [task for task in registry.task_ids() if task.startswith("mail/")]
BOTH_SITES = ("shop/*", "mail/*")


def versions_with_changes(*tasks: str, condition: str = "") -> Callable[[Cell], str]:
    """Return a version function that changes some tasks or one condition."""
    return lambda cell: "2" if cell.task in tasks or cell.condition == condition else ""


@pytest.mark.audit
def test_a_changed_site_leaves_the_pool_and_the_nights_go_on(stage: Stage) -> None:
    stage.night(tasks=BOTH_SITES)
    stage.version = versions_with_changes(*MAIL)
    nights = [stage.night(tasks=BOTH_SITES, size=5) for _ in range(3)]
    assert [(night.agents[0].outcome, status_of(night)) for night in nights] == [("unchanged", 0)] * 3
    played = [plan.tasks for _, plan, _ in stage.played[1:]]
    # The rotation continues among the remaining tasks, and all of them run.
    assert {task for tasks in played for task in tasks} == set(SHOP)
    assert nights[0].left_out.changed == tuple(MAIL)
    summary = str(nights[0].left_out)
    assert f"{len(MAIL)} tasks changed since the baseline, of {len(MAIL) + len(SHOP)} ({MAIL[0]}, " in summary
    assert summary.endswith("; --new-baseline takes everything in as it is now")
    stage.night(tasks=BOTH_SITES, new=True)
    assert str(stage.night(tasks=BOTH_SITES).left_out) == ""


def test_only_the_changed_tasks_leave_the_pool(stage: Stage) -> None:
    stage.night()
    stage.version = versions_with_changes(*SHOP[:3])
    night = stage.night()
    assert (night.left_out.changed, night.tasks, night.agents[0].outcome) == (tuple(SHOP[:3]), 9, "unchanged")
    # The remaining tasks are compared as before.
    stage.outcome = failing(*SHOP)
    assert stage.night().agents[0].outcome == "regressed"


def test_only_the_changed_mode_leaves_the_pool(stage: Stage) -> None:
    stage.night()
    stage.version = versions_with_changes(condition="remap@3")
    night = stage.night()
    assert (night.left_out.conditions, night.left_out.changed) == (("remap@3",), ())
    assert (night.tasks, list(night.agents[0].by_condition)) == (len(SHOP), ["failure@3"])
    assert "remap@3 changed since the baseline" in str(night.left_out)


class Wander(Remap):
    """A mode of a plug-in."""

    mode = "wander"


def test_only_the_missing_mode_leaves_the_pool(
    stage: Stage, isolated_plugins: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.MODES.add("wander", Wander, "here")
    stage.night(conditions=("wander", "failure"))
    isolate_plugins(monkeypatch)
    # No option names modes, so the nights follow the baseline.
    night = stage.night()
    assert (list(night.agents[0].by_condition), night.left_out.conditions) == (["failure@3"], ("wander@3",))


class Town(Site):
    """A site of a plug-in that has the shop's tasks."""

    name = "town"

    def __init__(self) -> None:
        self._shop = registry.SITES.get("shop")
        self.ids = [task.replace("shop/", "town/") for task in SHOP]
        self.removed, self.broken = "", ""

    def tasks(self) -> list[Task]:
        """Return the tasks without the removed one."""
        if self.broken:
            raise UserError(self.broken)
        tasks = zip(self.ids, self._shop.tasks(), strict=True)
        return [task.model_copy(update={"id": name}) for name, task in tasks if name != self.removed]

    def world(self, seed: int) -> SiteWorld:
        """Return the shop."""
        return self._shop.world(seed)

    def checklist(self) -> Checklist:
        """Return the checkpoints of the shop."""
        return self._shop.checklist()

    def sources(self) -> Mapping[str, str]:
        """Return the sources of the shop."""
        return self._shop.sources()


@pytest.fixture
def town(isolated_plugins: None) -> Town:
    site = Town()
    registry.SITES.add("town", site, "here")
    return site


def test_a_removed_task_and_a_new_one(stage: Stage, town: Town) -> None:
    first, second, *_ = town.ids
    town.removed = second
    stage.night(tasks=("town/*",))
    town.removed = first
    night = stage.night(tasks=("town/*",))
    assert (night.left_out.removed, night.left_out.new, night.tasks) == ((first,), (second,), len(SHOP) - 2)
    assert f"1 task no longer there ({first}); 1 task not in the baseline ({second})" in str(night.left_out)
    # An option may name a missing task: the others run.
    assert stage.night(tasks=tuple(town.ids)).tasks == len(SHOP) - 2


@pytest.mark.parametrize("error", [UserError("site mail: no such column"), RuntimeError("boom")])
def test_a_broken_site_does_not_stop_the_others(stage: Stage, error: Exception) -> None:
    stage.night(tasks=BOTH_SITES)
    known = stage.identities

    def identities(library: object, plan: object) -> dict[str, str]:
        if any(task in MAIL for task in plan.tasks):  # type: ignore[attr-defined]
            raise error
        return known(None, plan)  # type: ignore[arg-type]

    stage.identities = identities  # type: ignore[method-assign, assignment]
    night = stage.night(tasks=BOTH_SITES)
    assert (night.tasks, night.agents[0].outcome, set(night.left_out.broken)) == (len(SHOP), "unchanged", set(MAIL))
    message = str(error) if isinstance(error, UserError) else "RuntimeError('boom')"
    assert f"{len(MAIL)} tasks cannot be loaded, {message} (" in str(night.left_out)


def test_a_plug_in_site_that_no_longer_loads_is_broken_and_not_removed(stage: Stage, town: Town) -> None:
    stage.night(tasks=("shop/*", "town/*"))
    town.broken = "site town does not import: boom"
    night = stage.night(tasks=("shop/*", "town/*"))
    assert night.left_out.broken == dict.fromkeys(town.ids, "site town does not import: boom")
    assert (night.left_out.removed, night.tasks) == ((), len(SHOP))


def test_a_night_may_have_a_changed_agent(stage: Stage) -> None:
    stage.night()
    night = stage.night(agents=("resilient(-gesture)",))
    assert (str(night.left_out), night.agents[0].outcome) == ("", "unchanged")


def test_a_night_without_unchanged_tasks_is_refused_but_counts(stage: Stage) -> None:
    stage.night()
    stage.night()
    played, stage.version = len(stage.played), "2"
    night = stage.night()
    assert (night.number, night.run, night.tasks, status_of(night)) == (2, "", 0, 3)
    assert (night.agents[0].outcome, len(stage.played)) == ("not comparable", played)
    assert night.refused.startswith(f"none of the {len(SHOP)} tasks of the baseline remains: 12 tasks changed")
    write(stage.history)
    page, suite = (Path(stage.history.folder / name).read_text() for name in ("nights.html", "junit.xml"))
    assert "none of the 12 tasks of the baseline remains" in page
    assert 'errors="1"' in suite
    # The rotation has advanced: the next night has the following tasks.
    stage.version = ""
    again = stage.night(size=4)
    assert again.number == 3
    turns = stage.history.turn(stage.history.baseline())  # type: ignore[arg-type]
    assert turns == 3


def test_the_remaining_tasks_must_be_able_to_show_a_decline(stage: Stage) -> None:
    """Three failing families add too little to the sum: such nights would pass for ever."""
    stage.night()
    stage.version = versions_with_changes(*SHOP[2:])
    night = stage.night()
    assert status_of(night) == 3
    assert "2 tasks of" in night.refused
    assert "too few to detect a decline" in night.refused
    # A small pool that the user chooses is accepted.
    stage.version = ""
    assert status_of(stage.night(tasks=tuple(SHOP[:2]))) == 0


def test_a_pattern_that_neither_baseline_nor_today_has_is_a_mistake(stage: Stage) -> None:
    stage.night()
    with pytest.raises(UserError, match="matches no task"):
        stage.night(tasks=("shp/*",))


def test_cells_of_the_rerun_count_too(stage: Stage) -> None:
    """A task that changed only for the fresh stress seed would be missing in the rerun."""
    stage.night()

    def version(cell: Cell) -> str:
        return "2" if cell.task == SHOP[0] and cell.stress == 1 else ""

    stage.version = version
    assert stage.night().left_out.changed == (SHOP[0],)
