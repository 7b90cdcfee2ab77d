"""Keys of a document by the page, and by the program."""

from collections.abc import Collection

from playwright.sync_api import Page as Tab

from stressweb.perturbations.page.parts import key_maker
from tests.support.program_page import Page

HOSTS = ("toy.test", "127.0.0.1:8080")
MAKER = key_maker()
ROWS = "(keyed) => keyed.map(({ role, name, key }) => (role === undefined ? [key] : [role, name, key]))"
PARSED = f"""([html, path, hosts]) => {{
  const keys = ({MAKER})(() => undefined, {{ site: "toy", hosts }});
  const root = new DOMParser().parseFromString(html, "text/html");
  return [keys.controls([root], path), keys.nodes([root])].map({ROWS});
}}"""

type Keyed = tuple[list[tuple[str, str, str]], list[str]]


def by_page(tab: Tab, html: str, path: str = "/") -> Keyed:
    """Return the page's controls of a clean document, with role, name and key, and the keys of all its elements."""
    controls, nodes = tab.evaluate(PARSED, [html, path, [*HOSTS]])
    return [tuple(row) for row in controls], [key for (key,) in nodes]


def by_program(html: str, path: str = "/", site: str = "toy", hosts: Collection[str] = HOSTS) -> Keyed:
    """Return the same by the program."""
    page = Page(html, site, path, hosts)
    return [(control.role, control.name, control.key) for control in page.controls], [
        control.key for control in page.nodes
    ]
