"""The built docs site: no warning, every link leads somewhere, and nothing is loaded from another machine."""

import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from lxml import html
from playwright.sync_api import Browser

from stressweb.runner.view.pages import create_pages
from stressweb.runner.view.server import served

pytestmark = [pytest.mark.audit, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parent.parent
LOADED = (
    "//link[not(@rel='canonical')]/@href | //script/@src | //img/@src | //iframe/@src | //source/@src | //object/@data"
)
"""URLs that a page loads by itself; links in its text load nothing."""


def build(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STRESSWEB_"))}
    command = ["sh", "scripts/site.sh", str(folder)]
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, timeout=800, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make site` builds it, in a separate environment."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = build(ROOT, folder)
    if "could not be installed" in done.stderr:
        pytest.skip(f"the builder of the docs site cannot be installed here: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_warning_fails_the_build(site: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for name in ("docs", "scripts", "integrations", "runner", "perturbations", "sites", "stressweb"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"), symlinks=True)
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / name for name in ("mkdocs.yml", "LICENSE", "CITATION.cff", "pyproject.toml")),
    ):
        shutil.copy(path, root)
    shutil.copy(ROOT / "requirements-docs.lock", root)
    # The builder is already installed, because it built `site`.
    (root / ".cache").symlink_to(ROOT / ".cache")
    with (root / "docs" / "start.md").open("a") as page:
        page.write("\nSee [this](proof.md#nowhere).\n")
    done = build(root, tmp_path / "site")
    assert done.returncode == 3
    assert "does not contain an anchor '#nowhere'" in done.stderr
    assert done.stderr.endswith("the docs site could not be built; MkDocs says why above\n")


def documents(site: Path) -> dict[Path, html.HtmlElement]:
    return {path: html.parse(str(path)).getroot() for path in sorted(site.rglob("*.html"))}


def test_every_link_and_picture_leads_to_a_file_and_every_anchor_to_a_place(site: Path) -> None:
    pages = documents(site)
    names = {path: {*page.xpath("//@id"), *page.xpath("//a/@name")} for path, page in pages.items()}
    assert len(pages) > 35
    lost = []
    for path, page in pages.items():
        # The 404 page is served at any address, so its links start at the root.
        if path.name == "404.html":
            continue
        for target in {*page.xpath("//a/@href"), *page.xpath("//img/@src"), *page.xpath("//link/@href")}:
            file, anchor = urldefrag(unquote(target))
            if file.startswith(("http:", "https:", "data:")):
                continue
            linked = (path.parent / file).resolve() if file else path
            known = names.get(linked, {anchor})
            if not linked.exists() or (anchor and anchor not in known):
                lost.append(f"{path.relative_to(site)}: {target}")
    assert lost == []


def test_no_page_names_anything_to_load_from_another_machine(site: Path) -> None:
    loaded = {(path.name, target) for path, page in documents(site).items() for target in page.xpath(LOADED)}
    assert len(loaded) > 100
    assert [(name, target) for name, target in loaded if target.startswith(("http:", "https:", "//"))] == []
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert "@import" not in styles
    assert "url(http" not in styles.replace('url("http', "url(http")


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_their_window_search_finds_and_nothing_leaves_the_machine(
    site: Path, browser: Browser, width: int
) -> None:
    urls: list[str] = []
    wrong: list[str] = []
    with served(create_pages(site), 0) as url:
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme="dark")
        page = context.new_page()
        page.on("request", lambda request: urls.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        for path in sorted(site.glob("*.html")):
            if path.name == "404.html":
                continue
            page.goto(f"{url}{path.name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        page.goto(f"{url}index.html")
        page.keyboard.press("f")
        page.keyboard.type("breaking point", delay=20)
        page.locator(".md-search-result__link").first.wait_for()
        assert "reaking" in page.locator(".md-search-result__list").inner_text()
        context.close()
    assert [url_requested for url_requested in urls if not url_requested.startswith((url, "data:", "blob:"))] == []
    assert wrong == []
