"""Files in a language model's answer: which there are, and what their Python may hold."""

import ast
import re
from collections.abc import Iterator, Mapping

_FILE = re.compile(r"^FILE (\S+)[ \t]*\n+```[\w-]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"site\.yaml|tasks\.yaml|checks\.py|logic\.py|corpora/[a-z_]{1,30}\.yaml")
_IMPORTS = (
    "collections.abc", "datetime", "re", "sites.kit", "stressweb.core.entity", "stressweb.plugins.checks",
    "stressweb.plugins.query", "stressweb.plugins.task", "typing",
)  # fmt: skip
_FORBIDDEN = frozenset({
    "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals", "memoryview", "open",
    "setattr", "vars",
})  # fmt: skip
LARGEST = 200_000
"""Characters that a file may have."""


class WrongAnswerError(Exception):
    """An answer that cannot be used; the message is for the model."""


def files_in(answer: str, wanted: Mapping[str, bool]) -> dict[str, str]:
    """Return the files of an answer by name; `wanted` are their names, and whether each must be there.

    Raises WrongAnswerError if one is missing, has another name, or holds Python that a site needs not.
    """
    found = dict(_FILE.findall(answer))
    if not found:
        raise WrongAnswerError("the answer has no file: write FILE and its name on a line, then the file between ```")
    for name, text in found.items():
        if not _NAME.fullmatch(name) or not any(name == one or name.startswith(f"{one}/") for one in wanted):
            raise WrongAnswerError(f"the answer has a file {name!r}; there may be {', '.join(wanted)}")
        if len(text) > LARGEST:
            raise WrongAnswerError(f"{name} has {len(text)} characters; a file may have {LARGEST}")
        if name.endswith(".py"):
            for problem in dangers(text):
                raise WrongAnswerError(f"{name}: {problem}")
    missing = [name for name, needed in wanted.items() if needed and name not in found]
    if missing:
        raise WrongAnswerError(f"the answer lacks {', '.join(missing)}")
    return found


def dangers(source: str) -> Iterator[str]:
    """Yield what a module of a site needs not and may not hold: other imports, files, names with a leading underscore.

    This keeps a careless model from doing harm. It is no sandbox: whoever wants to do harm finds a way.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        yield f"line {error.lineno}: {error.msg}"
        return
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        for name in _imported(node):
            if name not in _IMPORTS:
                yield f"{line}: imports {name}; a site may import {', '.join(_IMPORTS)}"
        if isinstance(node, ast.Name) and (node.id in _FORBIDDEN or node.id.startswith("__")):
            yield f"{line}: {node.id} is not allowed"
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            yield f"{line}: .{node.attr} is not allowed"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or "."] if isinstance(node, ast.ImportFrom) else []
