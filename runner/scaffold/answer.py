"""Reads the files in a language model's answer, and checks their names and their Python."""

import ast
import re
from collections.abc import Iterator, Mapping

_FILE = re.compile(r"^FILE (\S+)[ \t]*\n+```[\w-]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"site\.yaml|tasks\.yaml|checks\.py|logic\.py|corpora/[a-z_]{1,30}\.yaml")
_IMPORTS = (
    "collections.abc", "datetime", "re", "stressweb.sites.kit", "stressweb.core.entity", "stressweb.plugins.checks",
    "stressweb.plugins.query", "stressweb.plugins.task", "typing",
)  # fmt: skip
_FORBIDDEN = frozenset({
    "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals", "memoryview", "open",
    "setattr", "vars",
})  # fmt: skip
LARGEST = 200_000
"""Maximum number of characters of a file."""


class WrongAnswerError(Exception):
    """The answer is invalid; the message is for the model."""


def files_in(answer: str, wanted: Mapping[str, bool]) -> dict[str, str]:
    """Return the files of an answer by name; `wanted` maps the allowed names to whether each is required.

    Raises WrongAnswerError if a file is missing, has another name, or contains Python that is not allowed.
    """
    files = dict(_FILE.findall(answer))
    if not files:
        raise WrongAnswerError("the answer has no file: write FILE and its name on a line, then the file between ```")
    for name, text in files.items():
        if not _NAME.fullmatch(name) or not any(
            name == wanted_name or name.startswith(f"{wanted_name}/") for wanted_name in wanted
        ):
            raise WrongAnswerError(f"the answer has a file {name!r}; there may be {', '.join(wanted)}")
        if len(text) > LARGEST:
            raise WrongAnswerError(f"{name} has {len(text)} characters; a file may have {LARGEST}")
        if name.endswith(".py"):
            for problem in forbidden_code(text):
                raise WrongAnswerError(f"{name}: {problem}")
    missing = [name for name, needed in wanted.items() if needed and name not in files]
    if missing:
        raise WrongAnswerError(f"the answer lacks {', '.join(missing)}")
    return files


def forbidden_code(source: str) -> Iterator[str]:
    """Yield what is not allowed in a module: other imports, access to files, names with a leading underscore.

    This prevents accidents. It is not a sandbox and does not stop malicious code.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        yield f"line {error.lineno}: {error.msg}"
        return
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        for name in _imported_names(node):
            if name not in _IMPORTS:
                yield f"{line}: imports {name}; a site may import {', '.join(_IMPORTS)}"
        if isinstance(node, ast.Name) and (node.id in _FORBIDDEN or node.id.startswith("__")):
            yield f"{line}: {node.id} is not allowed"
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            yield f"{line}: .{node.attr} is not allowed"


def _imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or "."] if isinstance(node, ast.ImportFrom) else []
