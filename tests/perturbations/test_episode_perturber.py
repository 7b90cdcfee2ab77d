"""The state that an episode keeps for each document."""

import json
import tracemalloc

import pytest

from stressweb.core.draws import Seeds
from stressweb.core.path_template import path_template
from stressweb.perturbations import mode
from stressweb.perturbations.episode_perturber import EpisodePerturber

PATH = "/c/lamps"
CONTROLS = [[f"toy {PATH} link Product number {n} /p/product-{n} #1", "link", f"Product {n}"] for n in range(150)]


def load(stress: EpisodePerturber, number: int, more: int = 0) -> None:
    """Load a page and read it, with the same controls and some more."""
    stress.script("toy", ["toy.test"], PATH)
    # New string objects each time, as from a browser.
    controls = json.loads(json.dumps([*CONTROLS, *([f"more {ordinal}", "link", "More"] for ordinal in range(more))]))
    stress.read(PATH, {"from": f"{stress.report_path}/{number}", "reports": []}, controls)


def test_a_load_leaves_little_behind() -> None:
    stress = EpisodePerturber([mode("noise").at(3), mode("popup").at(3)], Seeds(0, 0, "toy/x"), active=True)
    loads = 40
    for i in range(loads):
        load(stress, i)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for i in range(loads, 2 * loads):
            load(stress, i)
        bytes_per_load = (tracemalloc.get_traced_memory()[0] - before) / loads
    finally:
        tracemalloc.stop()
    # Its lines of the ledger and its own state, but not the keys of its controls.
    assert bytes_per_load < 6_000


@pytest.mark.parametrize("more", [[0, 0, 3], [3, 0, 3], [0, 3, 0]])
def test_what_a_page_is_about_to_disturb_is_planned_once_for_each_document(more: list[int]) -> None:
    """Documents share sets of seen keys, but each knows exactly the controls that it has seen."""
    stress = EpisodePerturber([mode("remap").at(5)], Seeds(0, 0, "toy/x"), active=True)
    for document, count in enumerate(more):
        load(stress, document, count)
        again = [["toy /c/lamps link More 1 /x #1", "link", "More 1"]]
        stress.read(PATH, {"from": f"{stress.report_path}/{document}", "reports": []}, [*CONTROLS, *again])
        stress.read(PATH, {"from": f"{stress.report_path}/{document}", "reports": []}, [*CONTROLS, *again])
    planned = [entry.count for entry in stress.entries if entry.phase == "planned"]
    assert planned == [planned_count for count in more for planned_count in (len(CONTROLS) + count, 1)]


def test_parts_of_a_page_claim_what_the_page_has_counted_for_them() -> None:
    """A page counts the changes in its frames as well; each frame reports its own when it is read itself."""
    stress = EpisodePerturber([mode("chaos").at(3)], Seeds(0, 0, "toy/x"), active=True)
    stress.script("toy", ["toy.test"], PATH)

    def answer(*reports: tuple[int, int], more_frames: bool) -> None:
        moved_reports = [
            [number, "chaos", f"page {path_template(PATH)}", "moved", count, None] for number, count in reports
        ]
        reply = {"from": f"{stress.report_path}/0", "reports": moved_reports, "changed": {"chaos": 15}}
        stress.read(PATH, reply, [], more_frames=more_frames)

    answer((1, 13), more_frames=True)
    answer((2, 2), more_frames=False)
    assert [(entry.mode, entry.count) for entry in stress.entries if entry.phase == "delivered"] == [
        ("chaos", 13),
        ("chaos", 2),
    ]
    # A read confirms nothing that is claimed only at the next one.
    answer((3, 1), more_frames=False)
    assert [entry.mode for entry in stress.entries if entry.phase == "blocked"] == ["engine"]


def test_an_action_meets_the_changes_of_the_page_that_was_read_last() -> None:
    """The site may serve the next page before a client's click is reported, and other tabs load pages, too."""
    stress = EpisodePerturber([mode("chaos").at(3)], Seeds(0, 0, "toy/x"), active=True)

    def read(document: int, changes: int, *reports: list[object]) -> None:
        stress.begin_read()
        stress.read(
            PATH,
            {"from": f"{stress.report_path}/{document}", "reports": reports, "changed": {"chaos": changes}},
            [],
        )

    def met() -> list[int]:
        return [entry.step for entry in stress.entries if entry.phase == "met"]

    stress.script("toy", ["toy.test"], PATH)
    read(0, 4, [1, "chaos", f"page {path_template(PATH)}", "moved", 4, None])
    stress.script("toy", ["toy.test"], PATH)
    stress.begin(1)
    assert met() == [1], "the second page was served, but the action began on the first"
    read(1, 0)
    stress.begin(2)
    assert met() == [1], "nothing changed on the second page"
    read(0, 4)
    stress.begin(3)
    assert met() == [1, 3], "the action began in the first tab again"
    stress.begin_read()
    stress.read(PATH, None, [])
    stress.begin(4)
    assert met() == [1, 3], "this page has no script of ours"
