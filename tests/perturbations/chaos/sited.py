"""Pages of the sites in a tab, with their style sheets and pictures, and with our script if there is a rule."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from playwright.sync_api import BrowserContext, Error, Page, Route

from stressweb.core.path_template import path_template
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.rule import Rule
from stressweb.walking.walker import Walker
from tests.support.crawl import Visited
from tests.support.crawling import site
from tests.support.served import READ


@cache
def walker(name: str) -> Walker:
    """Return a walker that fetches the assets of a site's pages."""
    return Walker(site(name, 0))


class Sited:
    """A tab that shows pages of the sites, and their reports."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.reports: list[str] = []
        self._html = self._name = ""
        self.page.route("**/*", self._answer)

    def show(self, visited: Visited, *rules: Rule) -> Page:
        """Show a served page under some rules."""
        self._name, self._html = visited.site, visited.html
        if rules:
            self._html = visited.html.replace("<head>", f"<head><script>{_script(visited, rules)}</script>", 1)
            assert self._html != visited.html
        self.reports.clear()
        self.page.goto(f"http://{site(visited.site, 0).host}{visited.path}")
        return self.page

    def _answer(self, route: Route) -> None:
        request = route.request
        # The tab may have been closed meanwhile.
        with suppress(Error):
            if request.method == "POST":
                self.reports.append(request.post_data or "")
                route.fulfill(status=204)
            elif request.is_navigation_request():
                route.fulfill(body=self._html, content_type="text/html; charset=utf-8")
            else:
                response = walker(self._name).fetch(request.url.partition(site(self._name, 0).host)[2])
                route.fulfill(status=response.status_code, body=response.get_data(), content_type=response.content_type)


def _script(visited: Visited, rules: Sequence[Rule]) -> str:
    settings = RuntimeSettings(
        path=visited.path,
        page=f"page {path_template(visited.path)}",
        site=visited.site,
        hosts=(site(visited.site, 0).host,),
        read=READ,
        watched=True,
        report="/report/1",
    )
    return page_script(settings, rules)
