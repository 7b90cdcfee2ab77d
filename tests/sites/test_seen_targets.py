"""On every page of every trajectory, the eye of the scripted agents finds the target of the next step, and no other."""

import pytest

from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.plugins.agent import Observation
from stressweb.runner.registry import Library
from stressweb.walking.walker import Walker
from tests.support.crawling import SITES

pytestmark = pytest.mark.sample(6)


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("seed", range(3))
def test_the_target_of_each_step_is_the_first_that_the_eye_finds(site: str, seed: int) -> None:
    library = Library()
    for task in library.tasks(site):
        goal = library.goal(task, seed)
        walker = Walker(library.world(site, seed), offers=goal.offers)
        for step in goal.ways[0]:
            if step.on is not None:
                view = DomView(Observation(url=walker.url, html=walker.html), walker.page)
                assert walker.find(step) in targets(view, step)[:1], f"{task}: {step} on {walker.url}"
            walker.do(step)
