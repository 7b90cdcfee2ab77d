"""Python source reduced to its effect: without comments, layout, docstrings, `pass` and line numbers."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

# Contexts of expressions follow from their position; the rest is for type comments.
_LEFT_OUT = frozenset(("ctx", "type_comment", "type_ignores", "kind"))

type Tree = Any
"""JSON values: a node is a list of its class's name and its non-empty fields."""


@cache
def reduced(text: str) -> Tree:
    """Return a module as JSON values that are equal for two sources with the same effect; raises SyntaxError.

    Each text is parsed once, because all sites share the files of the kit.
    """
    return reduced_node(ast.parse(text))


@cache
def parsed(text: str) -> "Module":
    """Return a module by its text, parsed once."""
    return Module(text)


class Module:
    """The source of one module, by the names that its statements bind."""

    def __init__(self, text: str) -> None:
        """Parse the source; raises SyntaxError."""
        self.statements = [statement for statement in ast.parse(text).body if not _idle(statement)]
        self._bound: dict[str, list[ast.stmt]] = {}
        for statement in self.statements:
            for name in dict.fromkeys(_binds(statement)):
                self._bound.setdefault(name, []).append(statement)

    def marked(self, word: str) -> list[str]:
        """Return the functions that have a decorator with the argument `word`, such as `@checks("shop/profile")`."""
        functions = [
            statement for statement in self.statements if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        return [
            function.name
            for function in functions
            if any(_has_argument(mark, word) for mark in function.decorator_list)
        ]

    def bound(self, name: str) -> list[ast.stmt]:
        """Return the statements that bind a name, without imports."""
        return self._bound.get(name, [])

    def imported(self, name: str) -> tuple[str, str] | None:
        """Return module and name behind an imported name; the second is "" for a whole module."""
        for statement in self.statements:
            if isinstance(statement, ast.ImportFrom) and not statement.level:
                imported_name = next(
                    (alias.name for alias in statement.names if (alias.asname or alias.name) == name), None
                )
                if imported_name:
                    return statement.module or "", imported_name
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    if (alias.asname or alias.name.partition(".")[0]) == name:
                        return alias.name, ""
        return None


def imports(text: str) -> set[str]:
    """Return all modules that a source may import, including names imported from packages, which may be modules."""
    nodes = [*ast.walk(ast.parse(text))]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return (
        plain | {f"{node.module}" for node in froms} | {f"{node.module}.{a.name}" for node in froms for a in node.names}
    )


@cache
def used(statement: ast.stmt) -> frozenset[str]:
    """Return every name that a statement mentions."""
    return frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def marked_code_with_dependencies(module: str, word: str, sources: Mapping[str, str]) -> Tree:
    """Return, as JSON values, the functions marked with `word` and everything in `sources` that they use.

    `sources` maps names of modules to their text; `module` contains the marked functions. Imports from other modules
    are returned as module and name only.
    """
    pending = [(module, name) for name in parsed(sources[module]).marked(word)]
    trees: dict[tuple[str, str], Tree] = {}
    while pending:
        where, name = pending.pop()
        # Functions may use each other in a cycle.
        if (where, name) in trees:
            continue
        if statements := parsed(sources[where]).bound(name):
            trees[where, name] = [reduced_node(statement) for statement in statements]
            pending += [(where, used_name) for statement in statements for used_name in used(statement)]
        elif origin := parsed(sources[where]).imported(name):
            origin_module, imported_name = origin
            if (whole := f"{origin_module}.{imported_name}".rstrip(".")) in sources:
                # Names alone do not reveal which attributes are used, so the whole module counts.
                trees[whole, ""] = reduced(sources[whole])
            elif origin_module in sources:
                pending.append((origin_module, imported_name))
            else:
                trees[where, name] = ["Import", origin_module, imported_name]
    # Sorted by name: moving a function within its module has no effect.
    return [[*key, tree] for key, tree in sorted(trees.items())]


def reduced_node(node: object) -> Tree:
    """Return a node of a syntax tree as JSON values."""
    if isinstance(node, ast.Constant):
        # Type and text, because JSON has no bytes and complex numbers, and 1, 1.0 and True are equal in Python.
        return ["Constant", type(node.value).__name__, repr(node.value)]
    if isinstance(node, ast.JoinedStr):
        # Python 3.12 adds empty texts to some f-strings; Python 3.13 does not.
        texts = [text for text in node.values if not (isinstance(text, ast.Constant) and text.value == "")]
        return ["JoinedStr", [reduced_node(text) for text in texts]]
    if isinstance(node, ast.AST):
        fields = {}
        for name in node._fields:
            # Newer versions of Python add fields to nodes; they are empty in code that does not use them, and must not
            # change a hash.
            if name not in _LEFT_OUT and (tree := reduced_node(getattr(node, name, None))) not in (None, []):
                fields[name] = tree
        return [type(node).__name__, fields]
    if isinstance(node, list):
        return [reduced_node(child) for child in node if not _idle(child)]
    return node


def _idle(node: object) -> bool:
    """Whether a statement does nothing: a docstring, or `pass`."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Pass)


def _has_argument(mark: ast.expr, word: str) -> bool:
    arguments = [*mark.args, *(keyword.value for keyword in mark.keywords)] if isinstance(mark, ast.Call) else []
    return any(isinstance(argument, ast.Constant) and argument.value == word for argument in arguments)


# Imports also bind names, but `closure` follows them instead.
def _binds(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif not isinstance(statement, ast.Import | ast.ImportFrom):
        nodes = ast.walk(statement)
        yield from (node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        if isinstance(statement, ast.TypeAlias):
            yield statement.name.id
