"""The page's runtime, put together: the core, the scripts of the active modes, and what they must know."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.html.page import Page
from stressweb.plugins.perturbation import Instruction, ScriptSettings

CORE = Path(__file__).with_name("runtime.js")
ADOPTION = Path(__file__).with_name("adoption.js")
_DESCRIPTION = re.compile(r"^[ \t]*/\*\*.*?\*/[ \t]*\n+", re.MULTILINE | re.DOTALL)
"""A JSDoc comment: it types the script for who writes it, and no page needs it."""
_LOOK = (
    "outline:3px solid #1a6dff!important;outline-offset:2px!important;"
    "box-shadow:0 0 0 6px rgba(26,109,255,.3)!important"
)


class AdoptionSettings(ScriptSettings):
    """What adoption.js reads: it belongs to no mode."""

    mode: str = ""
    prefix: str
    """What every mark of this document begins with."""


def inject(
    page: Page,
    instructed: Sequence[tuple[Sequence[Path], Instruction]],
    this: str,
    report: str,
    read: str,
    attempts: dict[str, dict[str, int]],
    nonce: str,
) -> None:
    """Put the runtime in front of everything else in the head of a page.

    `instructed` are the scripts of the modes, each with its parts and what it must know, in the order in which they
    are asked; `this` is the page's own token and `report` the path that they report to; `read` is the event that
    announces a read of the recorder; `attempts` counts the attempts so far, by mode and token.
    """
    look = page.token()
    css = [f".{look}{{{_LOOK}}}"]
    css += [",".join(f".{token}" for token in tokens) + f"{{{rules}}}" for rules, tokens in page.styles.items()]
    config = {
        "controls": [control.token for control in page.controls],
        "attempts": attempts,
        "page": this,
        "report": report,
        "read": read,
        "look": look,
        "css": "".join(css),
    }
    adopting = AdoptionSettings(prefix=page.marks.prefix(page.document))
    started = [([ADOPTION], adopting.model_dump(mode="json")), *((paths, one.told) for paths, one in instructed)]
    modes = ",".join(
        f"[{','.join([source(paths[0]), _literal(settings), *map(source, paths[1:])])}]" for paths, settings in started
    )
    element = page.body.makeelement("script", {"nonce": nonce})
    element.text = f"({source(CORE)})({_literal(config)},[{modes}])"
    head = page.root.find("head")
    if head is None:
        head = page.body.makeelement("head")
        page.root.insert(0, head)
    # First in the head: no script of the page runs earlier, so none can replace what the runtime builds on.
    head.insert(0, element)


@cache
def source(path: Path) -> str:
    """Return a script without its comments and without the end of its last statement."""
    # Whole lines only: two slashes, or a slash and a star, within a line may belong to a string.
    text = _DESCRIPTION.sub("", path.read_text(encoding="utf-8"))
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return "\n".join(line.strip() for line in lines).rstrip().rstrip(";")


def _literal(value: Any) -> str:
    """Write a value as a JavaScript literal that cannot end the script element."""
    # The parser looks for the end of a script element in its text, also within a string of the script.
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
