"""Playwright's own accessibility tree writer, for use in the recorder's world."""

import ast
import re
from functools import cache
from pathlib import Path

import playwright

from stressweb.core.javascript import source

# Playwright's own call copies the tree node by node to and from its driver, which costs as much as finding it.
BUNDLE = Path(playwright.__file__).with_name("driver") / "package" / "lib" / "coreBundle.js"
_INJECTED = r"\n// packages/injected/src/injectedScript.ts\n"
_BEGIN, _END = r"'\nvar __commonJS", "';\n"
_SECTION = re.compile(r"^// packages/(\S+)\.ts\n(.*?)(?=^// packages/|\Z)", re.MULTILINE | re.DOTALL)
_WANTED = (
    "isomorphic/ariaSnapshot", "isomorphic/stringUtils", "isomorphic/yaml", "isomorphic/ariaSnapshotRenderer",
    "isomorphic/cssTokenizer", "injected/src/ariaSnapshotDistiller", "injected/src/domUtils",
    "injected/src/roleUtils", "injected/src/ariaSnapshot",
)  # fmt: skip
_SCOPE = """(() => {{ try {{ return (() => {{
{sections}
setGlobalOptions({{ browserNameForWorkarounds: "chromium" }});
const made = ({ours})(computeBox, (body) => {{
const tree = generateAriaTree(body, {{ mode: "default" }});
return renderAriaSnapshotAsYaml(renderAriaTreeAsJSON(tree, {{ mode: "default" }}).json);
}});
computeBox = made.boxOf;
return made.treeOf;
}})(); }} catch {{ return () => null; }} }})()"""


@cache
def tree_js(bundle: Path = BUNDLE) -> str:
    """Return an expression for the function that writes the tree of the document, as in `aria.js`.

    `bundle` is the file of Playwright's driver. With an unknown build, the function always returns null.
    """
    sections = _sections(bundle)
    if not all(name in sections for name in _WANTED):
        return "() => null"
    lines = (line.strip() for name in _WANTED for line in sections[name].splitlines())
    text = "\n".join(line for line in lines if not line.startswith("//"))
    return _SCOPE.format(sections=text, ours=source(Path(__file__).with_name("aria.js")))


def _sections(file: Path) -> dict[str, str]:
    """Return the parts of the script that Playwright injects into pages, by their source files."""
    try:
        bundle = file.read_text(encoding="utf-8")
        place = bundle.index(_INJECTED)
        begin = bundle.rindex(_BEGIN, 0, place)
        # A JavaScript string that Python reads the same way.
        script = str(ast.literal_eval(bundle[begin : bundle.index(_END, place) + 1]))
    except (OSError, ValueError, SyntaxError):
        return {}
    return dict(_SECTION.findall(script))
