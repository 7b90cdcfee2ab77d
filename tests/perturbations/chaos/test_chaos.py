"""Chaos in an episode: its lines in the ledger, and a recorder's copy that equals that of the undisturbed page."""

import pytest
from pydantic import ValidationError

from stressweb.perturbations.chaos import Chaos
from tests.support.toy_stage import Set, Stage, stage

# Whole episodes, unlike the other tests of this folder.
__all__ = ["stage"]

pytestmark = pytest.mark.sample(2, "file")

LOOKS = """() => Array.from(document.querySelectorAll("body *"), (element) => {
  const look = getComputedStyle(element);
  return [look.translate, look.rotate, look.scale, look.fontSize, look.marginTop].join();
})"""


def chaos_entries(toy: Stage) -> list[tuple[int, str, str]]:
    """Return the ledger's lines of chaos: step, phase and page."""
    toy.read()
    return [(entry.step, entry.phase, entry.detail) for entry in toy.episode.perturber.entries if entry.mode == "chaos"]


def test_nothing_of_it_stands_in_the_document(stage: Set) -> None:
    """The markup equals that of the undisturbed page, byte for byte."""
    calm, wild = stage("chaos@0"), stage("chaos@5")
    assert wild.read() == calm.read()
    assert wild.page.evaluate(LOOKS) != calm.page.evaluate(LOOKS)
    assert wild.page.screenshot() != calm.page.screenshot()


def test_planned_delivered_and_met_are_told(stage: Set) -> None:
    toy = stage("chaos@3")
    assert sorted(chaos_entries(toy)) == [(0, "delivered", "/"), (0, "planned", "/")]
    toy.episode.begin(1)
    assert (1, "met", "") in chaos_entries(toy)
    delivered = next(entry for entry in toy.episode.perturber.entries if entry.phase == "delivered")
    # The page has twelve blocks; some may have no room to move.
    assert 6 < delivered.count <= 12


def test_at_severity_0_nothing_is_delivered_or_met(stage: Set) -> None:
    toy = stage("chaos@0")
    toy.read()
    toy.episode.begin(1)
    assert {(phase, detail) for _, phase, detail in chaos_entries(toy)} <= {("planned", "/")}
    assert sum(entry.count for entry in toy.episode.perturber.entries if entry.mode == "chaos") == 0


def test_it_is_the_same_in_every_run_and_after_a_reload(stage: Set) -> None:
    first_run, second_run, other_seed = stage("chaos@4"), stage("chaos@4"), stage("chaos@4", stress=1)
    looks = first_run.page.evaluate(LOOKS)
    assert looks == second_run.page.evaluate(LOOKS) != other_seed.page.evaluate(LOOKS)
    assert chaos_entries(first_run) == chaos_entries(second_run)
    first_run.page.reload()
    assert first_run.page.evaluate(LOOKS) == looks


def test_a_dialog_of_ours_leaves_the_page_drawn_as_without_it(stage: Set) -> None:
    """Under a dialog no element can be hit, and blocks that cannot be hit are not disturbed."""
    tried = (stage("popup(rate=1)+chaos@5", stress=stress) for stress in range(20))
    toy = next(toy for toy in tried if toy.page.locator("dialog").count())
    toy.page.evaluate("document.querySelector('h1').append('!'), document.body.append(document.createElement('p'))")
    toy.read()
    toy.page.evaluate("document.querySelector('dialog').close(), document.querySelector('dialog')?.remove()")
    toy.page.evaluate("document.querySelector('h1').lastChild.remove(), document.querySelector('body > p').remove()")
    toy.read()
    alone = stage("chaos@5", stress=toy.stress().seeds.stress)
    assert toy.page.evaluate(LOOKS) == alone.page.evaluate(LOOKS)


def test_a_parameter_out_of_bounds_is_refused() -> None:
    with pytest.raises(ValidationError, match="shrink"):
        Chaos.at(3, shrink=1.5)
