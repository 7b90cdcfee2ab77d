"""Parts of the pages that stressweb writes: style sheet, scripts, the drawing library, templates."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from stressweb.report.pack import packed, source_of

STATIC = Path(__file__).parent / "static"
"""Folder of style sheet and scripts."""
# plotly sets style attributes, which no hash in a policy can name. The last two are listed because `default-src` does
# not cover them.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STRICT = " 'strict-dynamic'"


def css() -> str:
    """Return the style sheet."""
    return (STATIC / "report.css").read_text(encoding="utf-8")


@cache
def script(*names: str) -> str:
    """Return several scripts as one, without leaking names into the page."""
    parts = ((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)
    # One script has one hash in the policy. The function separates its names from plotly's.
    return "(() => {\n" + "\n".join(parts) + "})();"


@cache
def library() -> tuple[str, str]:
    """Return plotly, compressed, and its hash for the policy."""
    text = get_plotlyjs()
    # The hash is of the uncompressed text: the page unpacks it and runs it as an inline script.
    return packed(text), source_of(text)


def policy(text: str, *, fetches: bool = False) -> str:
    """Return the content security policy of a page that runs only one script and the drawing library.

    With `fetches` this script may load its side files; nothing else in the page may load anything.
    """
    return f"{_POLICY}; script-src {source_of(text)} {library()[1]}{_STRICT if fetches else ''}"


@cache
def environment() -> Environment:
    """Return the environment of the templates, with escaping of all insertions."""
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        # Names, messages and texts come from recordings, which are untrusted.
        autoescape=True,
        # Otherwise, a misspelt name would insert nothing, and a missing figure could go unnoticed.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
