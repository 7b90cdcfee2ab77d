"""Adds pages from outside `docs/` to the docs site, corrects links, and adds the reference of the Python API."""

import ast
import posixpath
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "ERRATA.md": "errata.md",
    "integrations/inspect/README.md": "integrations/inspect.md",
    "integrations/browsergym/README.md": "integrations/browsergym.md",
}
"""Pages from outside `docs/`: path in the repository, and path in the site."""
FILES = ("LICENSE", "CITATION.cff")
"""Linked files that are not pages."""
_SOURCES = {site: source for source, site in PAGES.items()}
_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the pages and files from outside `docs/`."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - not in the environment of the tests

    root = Path(config.config_file_path).parent
    for source, site in PAGES.items():
        files.append(File.generated(config, site, content=(root / source).read_text(encoding="utf-8")))
    for name in FILES:
        files.append(File.generated(config, f"{name}.txt", abs_src_path=str(root / name)))
    return files


def on_page_markdown(markdown: str, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Correct links, and add the API's reference to its page."""
    site = page.file.src_uri
    parts = _FENCE.split(markdown)
    # Every second part is a fenced block, which has no links.
    parts[::2] = [_LINK.sub(lambda match: _linked(match, site), part) for part in parts[::2]]
    text = "".join(parts)
    if site == "python.md":
        text = documented(text, homes_of(_api(Path(config.config_file_path).parent)))
    return text


def _linked(match: re.Match[str], site: str) -> str:
    opened, target, anchor, closed = match.groups()
    return f"{opened}{moved(target, site)}{anchor or ''}{closed}"


def moved(target: str, site: str) -> str:
    """Return the link from a page of the site to the page for `target`, a link in the repository."""
    if ":" in target:
        return target
    source = _SOURCES.get(site, f"docs/{site}")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if path in FILES:
        path = f"{path}.txt"
    path = PAGES.get(path, path.removeprefix("docs/"))
    return posixpath.relpath(path, posixpath.dirname(site) or ".")


def documented(text: str, homes: dict[str, str]) -> str:
    """Insert mkdocstrings directives for all names of a table below it."""

    def details(match: re.Match[str]) -> str:
        names = re.findall(r"^\| `(\w+)` \|", match[0], re.MULTILINE)
        return "\n\n".join([match[0], *(f"::: {homes[name]}.{name}" for name in names)]) + "\n"

    return re.sub(r"<!-- begin: (api-\w+) -->.*?<!-- end: \1 -->", details, text, flags=re.DOTALL)


def _api(root: Path) -> Path:
    """Return the file that defines the API: in the checkout if it is there, otherwise in the installed package."""
    api_file = root / "stressweb" / "__init__.py"
    installed = find_spec("stressweb")
    return api_file if api_file.is_file() or installed is None else Path(str(installed.origin))


def homes_of(path: Path) -> dict[str, str]:
    """Return the module of each public name, read from `stressweb/__init__.py`."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="_WHERE")], value=value):
                return {name: module for module, names in ast.literal_eval(value).items() for name in names}
    raise ValueError(f"{path} does not say where its names are defined")
