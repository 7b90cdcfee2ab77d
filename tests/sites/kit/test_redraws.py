"""The data of a world are drawn anew until every task of the site can be drawn from them."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.sites.kit import KitSite, KitWorld

SPEC = """
since: 2026-01-05
within: 100
frame: {name: site_name, sections: {title_home: /}}
labels: {site_name: [Tiny, Small, Little], title_home: [Parcels, All parcels]}
entities: {Parcel: {table: parcel, count: 3, columns: {id: "{n}", late: {chance: 0.2}}}}
pages: {home: {widgets: [{widget: items, source: {of: Parcel}, type: ParcelDelivery, show: [{part: name, text: "{row.id}"}]}]}}
"""
TASKS = """
- id: parcels/find-a-late-one
  goal: Find parcel {parcel.id}, which is late.
  given: {parcel: {pick: Parcel, where: {late: 1}}}
  steps: [{open: title_home}]
  expect: {}
  evidence: [/]
"""
SEEDS = range(20)


def worlds(folder: Path, tasks: str = "") -> list[KitWorld]:
    """Return the worlds of a site at all seeds; it has no `tasks.yaml` without `tasks`."""
    folder.mkdir()
    (folder / "site.yaml").write_text(SPEC, "utf-8")
    if tasks:
        (folder / "tasks.yaml").write_text(tasks, "utf-8")
    site = KitSite(folder)
    return [site.world(seed) for seed in SEEDS]


@pytest.fixture
def first_draws(tmp_path: Path) -> list[KitWorld]:
    (tmp_path / "without-tasks").mkdir()
    return worlds(tmp_path / "without-tasks" / "parcels")


def has_late(world: KitWorld) -> bool:
    return any(parcel.late for parcel in world.entities["Parcel"])


def test_only_worlds_without_a_match_are_drawn_anew(tmp_path: Path, first_draws: list[KitWorld]) -> None:
    drawn = worlds(tmp_path / "parcels", TASKS)
    assert 3 < sum(map(has_late, first_draws)) < 17
    assert all(map(has_late, drawn))
    for first, world in zip(first_draws, drawn, strict=True):
        assert (world.template == first.template) == has_late(first)
        assert (world.start == first.start) == has_late(first)
        assert (world.look, world.labels, world.host) == (first.look, first.labels, first.host)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("late: 1", "late: 2", "world seed 0 has nothing that matches 'parcel'"),
        ("late: 1", "delayed: 1", "'delayed' is not a label, an entity, a column"),
        ("pick: Parcel", "pick: Letter", "'Letter' is not a label, an entity, a column"),
    ],
)
def test_a_task_that_fits_no_world_leaves_the_first_draw_and_is_refused(
    tmp_path: Path, first_draws: list[KitWorld], old: str, new: str, says: str
) -> None:
    drawn = worlds(tmp_path / "parcels", TASKS.replace(old, new))
    assert [world.template for world in drawn] == [world.template for world in first_draws]
    (task,) = KitSite(tmp_path / "parcels").tasks()
    with pytest.raises(UserError, match=says):
        task.goal(drawn[0])
