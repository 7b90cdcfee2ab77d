"""The docstrings under the fields of a class."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache


def field_docs(kind: type) -> dict[str, str]:
    """Return the docstring under each field of a class and of its bases, on one line."""
    docs: dict[str, str] = {}
    # Read from the source, because Python keeps no docstrings of fields. Bases first: a class can override them.
    for base in reversed(kind.__mro__):
        # Skip the fields of Python's and pydantic's classes.
        if base.__module__.partition(".")[0] not in ("builtins", "abc", "typing", "enum", "pydantic"):
            docs |= _own_docs(base)
    return docs


# Python reads and parses the whole module to find the source of one class.
@cache
def _own_docs(kind: type) -> Mapping[str, str]:
    try:
        source = inspect.getsource(kind)
    # A class from a shell, or from a file that is not a module.
    except (OSError, TypeError):
        return {}
    (tree,) = ast.parse(textwrap.dedent(source)).body
    return dict(_documented_fields(tree.body)) if isinstance(tree, ast.ClassDef) else {}


def _documented_fields(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for position, line in enumerate(body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            after = body[position + 1] if position + 1 < len(body) else None
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield line.target.id, " ".join(str(text).split())
