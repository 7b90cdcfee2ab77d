"""The calls of Playwright's MCP tools that play a script; it stands beside programs of other environments."""

import json
import re
from collections.abc import Generator
from typing import Any

TOOLS = {"click": "browser_click", "fill": "browser_type", "select": "browser_select_option"}

type Call = tuple[str, dict[str, Any]]


def reference(snapshot: str, role: str, name: str, nth: int) -> str | None:
    """Return how a snapshot refers to an element; None if the page has none."""
    # A line with a colon in the name stands in quotes, in which apostrophes are doubled.
    quoted = re.escape(json.dumps(name, ensure_ascii=False)).replace("'", "''?")
    references = re.findall(rf"- '?{role} {quoted}[^\n]*?\[ref=(\w+)\]", snapshot)
    return references[nth] if nth < len(references) else None


def calls(start_url: str, script: list[dict[str, Any]]) -> Generator[Call, str]:
    """Yield each call, a tool and its arguments, as long as they succeed; what the tool answers is to be sent."""
    yield "browser_navigate", {"url": start_url}
    for gesture in script:
        snapshot = yield "browser_snapshot", {}
        target = reference(snapshot, gesture["role"], gesture["name"], gesture["nth"])
        if target is None:
            return
        texts = {"click": {}, "fill": {"text": gesture["text"]}, "select": {"values": [gesture["text"]]}}
        answer = yield TOOLS[gesture["does"]], {"target": target, **texts[gesture["does"]]}
        if "### Error" in answer:
            return
