"""Reads users' YAML files into frozen models; errors have file and line."""

import inspect
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from stressweb.core.choices import offered
from stressweb.core.errors import UserError
from stressweb.core.validation import sentence

MOST_KEYS = 30
"""Longest list of keys in a message: more than any of our files has in one place."""
DEEPEST = 64
"""Deepest nesting of a file: several times that of any of our files."""
_BOOL = "tag:yaml.org,2002:bool"


# PyYAML is sometimes built without its C part, which is several times as fast and otherwise the same.
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads `on`, `yes` and `no` as words, as YAML 1.2 does; only true and false are booleans."""


# A new mapping, because the inherited one is shared by all users of PyYAML in this process.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|false)$"), list("tf"))


def read[M](path: Path, model: type[M]) -> M:
    """Return the YAML file at `path` as `model`; raise UserError with file and line if it is invalid."""
    return validated(load(path), model, lambda where: place(path, where))


def load(path: Path) -> Any:
    """Return the content of a YAML file.

    Raises UserError with file and line if it is not YAML, repeats a key, or is nested deeper than `DEEPEST`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    try:
        _check_depth(path, text)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            _unique(path, node, set())
            return None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(f"{path}:{line}: {error.problem or 'not YAML'}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}:1: not YAML: {str(error).splitlines()[0]}") from None


# A site has many parts of the same type, and building an adapter takes longer than validating with it.
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)

type Placer = Callable[[Sequence[str | int]], str]
"""Returns a place in a document as the beginning of a message: file, line and keys."""


def validated[M](data: Any, model: type[M], says_place: Placer, context: dict[str, Any] | None = None) -> M:
    """Return data as `model`; raise UserError that begins with the place of the first mistake.

    `context` is passed to the model's validators.
    """
    try:
        instance: M = _adapter(model).validate_python(data, context=context)
        return instance
    except ValidationError as error:
        # A misspelt key gives two errors, one unknown and one missing: the one that is in the file helps more.
        first = min(error.errors(), key=lambda mistake: mistake["type"] == "missing")
        known = _known(model, first["loc"]) if first["type"] == "extra_forbidden" else []
        offer = f"; {offered(str(first['loc'][-1]), known, few=MOST_KEYS)}" if known else ""
        raise UserError(f"{says_place(first['loc'])}: {sentence(first)}{offer}") from None


def _known(model: Any, loc: Sequence[str | int]) -> list[str]:
    """Return the known keys at the place of an unknown one; none below other types than models."""
    for part in loc[:-1]:
        if not (inspect.isclass(model) and issubclass(model, BaseModel)) or part not in model.model_fields:
            return []
        model = model.model_fields[part].annotation
    if not (inspect.isclass(model) and issubclass(model, BaseModel)):
        return []
    return [field.alias or name for name, field in model.model_fields.items()]


def place(path: Path, where: Sequence[str | int]) -> str:
    """Return file, line and keys of a place in a YAML file, as the beginning of a message."""
    line, trail = _locate(yaml.compose(path.read_text(encoding="utf-8"), Loader=_Loader), where)
    return f"{path}:{line}: {'.'.join(trail) or 'file'}"


def line_of(path: Path, where: Sequence[str | int]) -> str:
    """Return file and line of a place in a YAML file."""
    return f"{path}:{_locate(yaml.compose(path.read_text(encoding='utf-8'), Loader=_Loader), where)[0]}"


def entry_lines(path: Path) -> list[int]:
    """Return the first line of each entry in a YAML file with a list."""
    root = yaml.compose(path.read_text(encoding="utf-8"), Loader=_Loader)
    return [node.start_mark.line + 1 for node in root.value] if isinstance(root, yaml.SequenceNode) else []


def _check_depth(path: Path, text: str) -> None:
    """Raise UserError if a text is nested deeper than `DEEPEST` levels.

    The reader recurses without a limit: very deep nesting would end the whole process.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise UserError(f"{path}:{line}: is nested deeper than {DEEPEST} levels")


def _unique(path: Path, node: yaml.Node | None, seen: set[int]) -> None:
    """Reject a mapping with a repeated key: YAML would silently keep the last."""
    # An alias is the same node again, and one within its own anchor would never end.
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        keys = set()
        for key, value in node.value:
            # A list as a key has no hash; the loader rejects it with its line.
            if isinstance(key, yaml.ScalarNode) and key.value in keys:
                raise UserError(f"{path}:{key.start_mark.line + 1}: {key.value}: duplicate key")
            keys.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
            _unique(path, value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _unique(path, value, seen)


def _locate(root: yaml.Node | None, loc: Sequence[str | int]) -> tuple[int, list[str]]:
    """Follow a pydantic location as far as possible: tags of unions are not in the document and are skipped."""
    line, trail, node = 1, [], root
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            entries = _entries(node, str(part))
            if entries:
                line, node = entries[0][0].start_mark.line + 1, entries[0][1]
                trail.append(str(part))
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
            trail.append(str(part))
    if loc and str(loc[-1]) not in trail:
        trail.append(str(loc[-1]))
    return line, trail


def _entries(node: yaml.MappingNode, name: str) -> list[tuple[yaml.Node, yaml.Node]]:
    """Return key and value of a name in a mapping, or in the mappings that it merges with `<<`."""
    entries = [(key, value) for key, value in node.value if key.value == name]
    merged = [value for key, value in node.value if key.value == "<<"]
    for mapping in (
        mapping for value in merged for mapping in (value.value if isinstance(value, yaml.SequenceNode) else [value])
    ):
        entries += _entries(mapping, name) if isinstance(mapping, yaml.MappingNode) else []
    return entries
