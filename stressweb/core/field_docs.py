"""The documentation of a class's fields: the docstring under each."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence


def field_docs(kind: type) -> dict[str, str]:
    """Return the docstring under each field of a class and of its bases, on one line."""
    docs: dict[str, str] = {}
    # From the source, because Python keeps no docstrings of fields. Bases come first, so that a class can override
    # them.
    for base in reversed(kind.__mro__):
        # The classes of Python and pydantic document nothing that a reader needs.
        if base.__module__.partition(".")[0] not in ("builtins", "abc", "typing", "enum", "pydantic"):
            docs |= _said(base)
    return docs


def _said(kind: type) -> dict[str, str]:
    try:
        source = inspect.getsource(kind)
    # A class from a shell, or from a file that Python does not know as a module.
    except (OSError, TypeError):
        return {}
    (tree,) = ast.parse(textwrap.dedent(source)).body
    return dict(_documented(tree.body)) if isinstance(tree, ast.ClassDef) else {}


def _documented(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for position, line in enumerate(body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            after = body[position + 1] if position + 1 < len(body) else None
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield line.target.id, " ".join(str(text).split())
