"""What an episode takes down for the search of a cause, from the reports of a page, without a browser."""

import json

import pytest

from perturbations.episode_perturber import EpisodePerturber, ReportError
from perturbations.failure import Failure
from perturbations.popup import Popup
from stressweb.core.draws import Seeds
from stressweb.core.injections import Allowed
from stressweb.html.page import Control, Page
from stressweb.plugins.perturbation import Perturbation
from tests.toy import PAGE


def opened(modes: list[Perturbation], stress: int, allowed: Allowed | None) -> tuple[EpisodePerturber, Page, Control]:
    """Return an episode whose page was loaded, its page, and its button."""
    episode = EpisodePerturber(modes, Seeds(0, stress, "toy/x"), b"k" * 16, active=True, allowed=allowed)
    episode.rewrite(PAGE, "toy", "/", "n", lambda page: frozenset())
    subjects = [one for one in episode._subjects.values() if one.control and one.control.name == "Save it"]
    assert subjects[0].control
    return episode, subjects[0].page, subjects[0].control


def tell(episode: EpisodePerturber, *report: object) -> str | None:
    return episode.reported(json.dumps(report).encode())


def test_every_attempt_has_the_draw_of_its_own_number() -> None:
    allowed, mode = Allowed(), Failure(rate=0.5)
    episode, page, button = opened([mode], 0, allowed)
    draws = [mode.drawn(page, button, attempt, episode.seeds) for attempt in range(3)]
    assert len(set(draws)) == 3
    for attempt in range(3):
        tell(episode, "failure", button.token, "passed", attempt)
        assert allowed.met == set(draws[: attempt + 1])


def test_a_press_that_one_mode_tells_of_has_the_draw_of_another() -> None:
    """Failure at rate 0 tells of every gesture; the number of the attempt is that of the other mode."""
    allowed, popup = Allowed(), Popup(rate=0.5)
    stress = next(one for one in range(9) if _asks(popup, one))
    episode, page, button = opened([Failure(rate=0), popup], stress, allowed)
    for attempt in range(3):
        tell(episode, "failure", button.token, "passed", attempt)
        assert popup.drawn(page, button, attempt, episode.seeds) in allowed.met
        tell(episode, "popup", button.token, "ask", 0)


def _asks(popup: Popup, stress: int) -> bool:
    episode, page, button = opened([popup], stress, None)
    return popup.drawn(page, button, 0, episode.seeds) is not None


def test_a_dialog_that_is_held_back_is_not_shown_and_counts_as_an_attempt() -> None:
    popup = Popup(rate=1)
    stress = next(one for one in range(9) if _asks(popup, one))
    _, _, button = opened([popup], stress, None)
    episode, _, button = opened([popup], stress, Allowed(only=[("popup", button.key, "1")]))
    shown = [tell(episode, "popup", button.token, "ask", 0) for _ in range(3)]
    assert [one is not None for one in shown] == [False, True, False]
    assert [one.attempt for one in episode.entries if one.phase == "delivered"] == [1]


def test_how_far_a_mode_goes_is_told_only_where_it_is_asked_for() -> None:
    """An agent that goes to the path of reports must not void an episode that it is losing."""
    watched = Allowed()
    for allowed in (None, watched):
        episode, page, button = opened([Failure(rate=0)], 0, allowed)
        this = next(token for token, one in episode._subjects.items() if one.control is None)
        report = ("failure", this, "fitted", [json.dumps({button.token: 0.5}), ""])
        if allowed is None:
            with pytest.raises(ReportError):
                tell(episode, *report)
        else:
            tell(episode, *report)
            with pytest.raises(ReportError):
                tell(episode, "failure", this, "fitted", ["no JSON", ""])
    key = next(node.key for node in page.every_node if node.token == button.token)
    assert watched.strengths == {("/", key): 0.5}
