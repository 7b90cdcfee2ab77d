"""axe finds nothing serious on a site's pages, in every theme."""

from dataclasses import replace

import pytest
from playwright.sync_api import Browser

from scripts.waited import Looks
from stressweb.runner.verify.crawling import one_of_each_kind
from stressweb.runner.verify.in_browser import axe
from stressweb.runner.verify.pages import NOWHERE, visitors
from stressweb.runner.world.world import World
from stressweb.sites import kit
from stressweb.sites.kit.look import theme
from stressweb.walking.walker import Walker
from tests.support.crawling import SITES

pytestmark = pytest.mark.long


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(len(theme.THEMES)), ids=theme.THEMES)
@pytest.mark.parametrize("name", SITES)
def test_axe_finds_nothing(world: World, browser: Browser, name: str, seed: int) -> None:
    # A seed for each theme, so that layouts and wordings vary as well.
    site_world = kit.load(name, seed)
    site_world.look = replace(site_world.look, theme=theme.THEMES[seed])
    looks = Looks(browser, world, axe())
    # Every theme shows a third of the kinds of pages, and every kind is shown in a third of the themes.
    for person in visitors([task.goal(site_world) for task in kit.tasks(name)])[:2]:
        paths = [*one_of_each_kind(Walker(site_world, person)), NOWHERE][(seed + SITES.index(name)) % 3 :: 3]
        assert [*looks.wrong_pages(site_world, person, paths)] == []
