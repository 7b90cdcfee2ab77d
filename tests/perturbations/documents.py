"""Documents of all kinds, and the DOM that a browser builds from one."""

import re
import sysconfig
from functools import cache
from pathlib import Path

from playwright.sync_api import Page

from stressweb.core import draws

PIECES = (
    "<!doctype html>", "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'>", "<!doctype>", "<html>",
    "<html lang=x>", '<HTML a=">">', "<html/>", "<head>", "<hEaD b='>'>", "<head/>", "</head>", "<body>", "<body class=a>",
    "</body>", "</html>", "<!-- c -->", "<!---->", "<!-->", "<?pi?>", "<![CDATA[x]]>", "</p>", "</br>", "</div>", "</>",
    "<p>", "<b>", "<a href=x>", "<table>", "<tr>", "<td>", "<form>", "<svg>", "<math>", "<template>", "</template>",
    "<template shadowrootmode=open>", "<select>", "<option>", "<frameset>", "<frame>", "</frameset>", "<noscript>",
    "</noscript>", "<textarea>", "<plaintext>", "<title>t</title>", "<style>s</style>",
    "<script>document.write('<i>w</i>')</script>", "<script>document.title = document.scripts.length</script>",
    "<meta name=x>", "<meta charset=latin1>", "<link rel=x>", "<base href=y>", "<image>", "<header>", "<dialog>",
    "<noframes>", "<li>", "<br>", "<input type=hidden>", "<x-y>", " ", "\n", "\t", "\r\n", "\f", "text", "\u00e9",
    "&#32;", "&nbsp;", "&amp;", "&#10;", "&Tab;", "&#0;", "<", "</", "<!", "\0", "\ufeff",
)  # fmt: skip
"""Valid and invalid pieces of documents, to be concatenated."""

DOM = """() => {
  const out = (node) => {
    const inside = [...node.childNodes, ...(node.content?.childNodes ?? []), ...(node.shadowRoot?.childNodes ?? [])].map(out);
    const names = [...(node.attributes ?? [])].map((attribute) => [attribute.namespaceURI, attribute.name, attribute.value]);
    return [node.nodeType, node.namespaceURI, node.nodeName, node.nodeValue, node.publicId, node.systemId, names, inside];
  };
  return JSON.stringify([document.compatMode, document.characterSet, document.contentType, out(document)]);
}"""


def dom(page: Page) -> str:
    """Return every node of the document with its properties, and the document's mode, charset and content type."""
    tree: str = page.evaluate(DOM)
    return tree


@cache
def installed() -> list[tuple[str, str]]:
    """Return name and text of every HTML file of the installed packages."""
    packages = Path(sysconfig.get_path("purelib"))
    files = sorted(path for path in packages.rglob("*.htm*") if path.suffix in (".html", ".htm"))
    return [(str(path.relative_to(packages)), path.read_text(errors="replace")) for path in files]


def mutated(html: str, *key: str | int) -> str:
    """Return a document with a piece in the place of some of its first characters, or of those at a tag."""
    early = draws.unit("early", *key) < 0.7
    tags = [tag.start() for tag in re.finditer("<", html)]
    start = (
        draws.pick(range(min(600, len(html)) + 1), "at", *key) if early or not tags else draws.pick(tags, "at", *key)
    )
    end = start + draws.pick(range(41), "length", *key)
    return html[:start] + draws.pick(PIECES, "piece", *key) + html[end:]
