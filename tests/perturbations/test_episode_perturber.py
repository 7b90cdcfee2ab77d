"""The state of an episode: what it keeps of each document."""

import json
import tracemalloc

import pytest

from perturbations import mode
from perturbations.episode_perturber import EpisodePerturber
from stressweb.core.draws import Seeds
from stressweb.core.path_template import path_template

PATH = "/c/lamps"
CONTROLS = [[f"toy {PATH} link Product number {at} /p/product-{at} #1", "link", f"Product {at}"] for at in range(150)]


def load(stress: EpisodePerturber, number: int, more: int = 0) -> None:
    """Load a page and read it, with the same controls or with more of them."""
    stress.script("toy", ["toy.test"], PATH)
    # As they come from a browser: each time as new texts.
    controls = json.loads(json.dumps([*CONTROLS, *([f"more {at}", "link", "More"] for at in range(more))]))
    stress.read(PATH, {"from": f"{stress.report_path}/{number}", "reports": []}, controls)


def test_a_load_leaves_little_behind() -> None:
    stress = EpisodePerturber([mode("noise").at(3), mode("popup").at(3)], Seeds(0, 0, "toy/x"), b"k" * 16, active=True)
    loads = 40
    for at in range(loads):
        load(stress, at)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for at in range(loads, 2 * loads):
            load(stress, at)
        kept = (tracemalloc.get_traced_memory()[0] - before) / loads
    finally:
        tracemalloc.stop()
    # Its lines of the ledger, and what tells it from others; not the keys of its controls.
    assert kept < 6_000


@pytest.mark.parametrize("more", [[0, 0, 3], [3, 0, 3], [0, 3, 0]])
def test_what_a_page_is_about_to_disturb_is_planned_once_for_each_document(more: list[int]) -> None:
    """That documents share what they have seen makes none of them forget, or know what it has not seen."""
    stress = EpisodePerturber([mode("remap").at(5)], Seeds(0, 0, "toy/x"), b"k" * 16, active=True)
    for at, count in enumerate(more):
        load(stress, at, count)
        again = [["toy /c/lamps link More 1 /x #1", "link", "More 1"]]
        stress.read(PATH, {"from": f"{stress.report_path}/{at}", "reports": []}, [*CONTROLS, *again])
        stress.read(PATH, {"from": f"{stress.report_path}/{at}", "reports": []}, [*CONTROLS, *again])
    planned = [one.count for one in stress.entries if one.phase == "planned"]
    assert planned == [one for count in more for one in (len(CONTROLS) + count, 1)]


def test_parts_of_a_page_claim_what_the_page_has_counted_for_them() -> None:
    """A page counts all that is shown, in frames as well; each part tells what it moved when it is read itself."""
    stress = EpisodePerturber([mode("chaos").at(3)], Seeds(0, 0, "toy/x"), b"k" * 16, active=True)
    stress.script("toy", ["toy.test"], PATH)

    def answer(*reports: tuple[int, int], more: bool) -> None:
        told = [[number, "chaos", f"page {path_template(PATH)}", "moved", count, None] for number, count in reports]
        said = {"from": f"{stress.report_path}/0", "reports": told, "changed": {"chaos": 15}}
        stress.read(PATH, said, [], more=more)

    answer((1, 13), more=True)
    answer((2, 2), more=False)
    assert [(one.mode, one.count) for one in stress.entries if one.phase == "delivered"] == [
        ("chaos", 13),
        ("chaos", 2),
    ]
    # What one read has shown proves nothing of what is claimed at the next.
    answer((3, 1), more=False)
    assert [one.mode for one in stress.entries if one.phase == "blocked"] == ["engine"]
