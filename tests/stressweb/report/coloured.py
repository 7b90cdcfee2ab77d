"""Charts with a colour in place of each CSS variable."""

from typing import Any


def coloured(spec: Any) -> Any:
    if isinstance(spec, str) and spec.startswith("var("):
        return "#123456"
    if isinstance(spec, dict):
        return {name: coloured(part) for name, part in spec.items()}
    return [coloured(part) for part in spec] if isinstance(spec, list) else spec
