"""The calls of Playwright's MCP tools that play a script; imported by programs of other environments."""

import json
import re
from collections.abc import Generator
from typing import Any

TOOLS = {"click": "browser_click", "fill": "browser_type", "select": "browser_select_option"}

type Call = tuple[str, dict[str, Any]]


def reference(snapshot: str, role: str, name: str, nth: int) -> str | None:
    """Return the reference of an element in a snapshot; None if the page has no such element."""
    # A line with a colon in the name is quoted, with apostrophes doubled.
    quoted = re.escape(json.dumps(name, ensure_ascii=False)).replace("'", "''?")
    references = re.findall(rf"- '?{role} {quoted}[^\n]*?\[ref=(\w+)\]", snapshot)
    return references[nth] if nth < len(references) else None


def calls(start_url: str, script: list[dict[str, Any]]) -> Generator[Call, str]:
    """Yield each call (tool and arguments) while they succeed; send the tool's answer back."""
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
