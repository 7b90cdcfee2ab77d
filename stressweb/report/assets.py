"""Parts of the pages that stressweb writes: style sheet, scripts, the drawing library, templates."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from stressweb.report.pack import packed, source_of

STATIC = Path(__file__).parent / "static"
"""Where style sheet and scripts are."""
# plotly sets style attributes, which no hash in a policy can name. The last two are said because `default-src` does not
# cover them.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STRICT = " 'strict-dynamic'"


def css() -> str:
    """Return the style sheet."""
    return (STATIC / "report.css").read_text(encoding="utf-8")


@cache
def script(*names: str) -> str:
    """Return scripts of these names as one, which leaves nothing behind in the page."""
    parts = ((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)
    # One script has one hash in the policy. The function keeps its names apart from those of plotly.
    return "(() => {\n" + "\n".join(parts) + "})();"


@cache
def library() -> tuple[str, str]:
    """Return plotly, compressed, and its hash for the policy."""
    text = get_plotlyjs()
    # The hash is of the text before it is packed: the page unpacks it and runs it as an inline script.
    return packed(text), source_of(text)


def policy(text: str, *, fetches: bool = False) -> str:
    """Return the content security policy of a page that runs one script and the drawing library, no more.

    With `fetches` this script may load further ones, its side files, and nothing else in the page may.
    """
    return f"{_POLICY}; script-src {source_of(text)} {library()[1]}{_STRICT if fetches else ''}"


@cache
def environment() -> Environment:
    """Return where the templates are, with everything that is put into them escaped."""
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        # Names, messages and texts come from recordings, and so from strangers.
        autoescape=True,
        # A misspelt name would otherwise be written as nothing, and a figure would be missing without anybody noticing.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
