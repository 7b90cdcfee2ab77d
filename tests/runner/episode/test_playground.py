"""A worn or closed browser is replaced, together with everything kept warm in it."""

from playwright.async_api import Browser as Asynchronous
from playwright.sync_api import Browser

from scripts.blocking import asynchronous_of, run
from stressweb.core.browser_program import find_browser, launch_args
from stressweb.runner.episode.playground import Playground
from stressweb.runner.world.world import World


def launched(browser: Browser) -> Browser:
    return browser.browser_type.launch(executable_path=str(find_browser().path), args=launch_args())


def test_a_browser_is_replaced_and_closed(browser: Browser, world: World) -> None:
    worn, fresh = launched(browser), launched(browser)

    async def launch() -> Asynchronous:
        launched_fresh: Asynchronous = asynchronous_of(fresh)
        return launched_fresh

    ground = Playground(asynchronous_of(worn), world, launch)
    evidence = ground.evidence
    run(ground.renew())
    assert ground.browser is asynchronous_of(fresh)
    assert ground.evidence is not evidence
    assert (worn.is_connected(), fresh.is_connected()) == (False, True)
    fresh.close()


def test_a_closed_browser_is_replaced_too(browser: Browser, world: World) -> None:
    gone, fresh = launched(browser), launched(browser)
    gone.close()

    async def launch() -> Asynchronous:
        launched_fresh: Asynchronous = asynchronous_of(fresh)
        return launched_fresh

    ground = Playground(asynchronous_of(gone), world, launch)
    run(ground.renew())
    assert ground.browser.is_connected()
    fresh.close()
