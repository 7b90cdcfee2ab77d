"""Checks the references of a spec: entities, actions, pages, labels and functions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAliasType, Union, get_args, get_origin

from pydantic import BaseModel

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.sites.kit.loading.assembly import Assembly, SpecPath
from stressweb.sites.kit.serving.functions import Functions
from stressweb.sites.kit.spec.site import SiteSpec
from stressweb.sites.kit.spec.strict import Kind, Names
from stressweb.sites.kit.wording.labels import WORD

_PLAIN = frozenset((str, int, float, bool, NoneType))


type Reference = tuple[SpecPath, Kind, str]
"""Place, kind and name of a reference in a spec."""


def check(assembly: Assembly, functions: Functions, references: Sequence[Reference]) -> None:
    """Raise UserError with file, line and the nearest name if the spec refers to something that does not exist.

    `references` are those that `references_in` yields.
    """
    spec = assembly.spec
    # Checked at load time: a wrong name would otherwise fail when an agent opens the page.
    known: Mapping[Kind, Collection[str]] = {
        "action": spec.actions,
        "entity": spec.entities,
        "entity with stages": [name for name, entity in spec.entities.items() if entity.stages],
        "function": functions.names(),
        "label": spec.labels,
        "page": spec.pages,
    }
    # The text of the banner is a label that only the frame's template reads.
    banner: list[Reference] = [(("frame", "banner"), "label", "banner")] if spec.frame.banner else []
    for where, kind, name in (*references, *banner, *_words(spec)):
        if kind in known and name not in known[kind]:
            raise UserError(f"{assembly.place(where)}: {unknown(kind, name, known[kind])}")


def _words(spec: SiteSpec) -> Iterator[Reference]:
    """Yield the labels that wordings refer to as `{word.NAME}`."""
    for label, wordings in spec.labels.items():
        for wording in (wordings,) if isinstance(wordings, str) else wordings:
            yield from ((("labels", label), "label", f"word_{name}") for name in WORD.findall(wording))


def references_in(spec: SiteSpec) -> Iterator[Reference]:
    """Yield all references in a spec."""
    yield from _references_in_model(spec, ())


def _references_in_model(model: BaseModel, where: SpecPath) -> Iterator[Reference]:
    for name, key, annotation in _fields(type(model)):
        yield from _references_in(annotation, getattr(model, name), (*where, key))


@cache
def _fields(model: type[BaseModel]) -> list[tuple[str, str, Any]]:
    """Return name, key and annotation of each field that may contain references."""
    fields = []
    for name, field in model.model_fields.items():
        # Pydantic moves metadata out of the annotation. Put it back, because `Names` may be in either.
        annotation = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        if not _is_plain(annotation):
            fields.append((name, field.alias or name, annotation))
    return fields


def _is_plain(annotation: Any) -> bool:
    """Return whether values of this type contain no references. Most do not, and a spec has a hundred thousand."""
    if annotation in _PLAIN or annotation is Ellipsis or get_origin(annotation) is Literal:
        return True
    return get_origin(annotation) in (Union, UnionType, dict, tuple) and all(map(_is_plain, get_args(annotation)))


def _references_in(annotation: Any, value: Any, where: SpecPath) -> Iterator[Reference]:
    """Yield the references in a value, according to its annotation."""
    # Return early for speed: most values are plain, and a spec has a hundred thousand.
    if type(annotation) is type and annotation in _PLAIN:
        return
    origin = get_origin(annotation)
    if isinstance(value, BaseModel):
        yield from _references_in_model(value, where)
    elif isinstance(annotation, TypeAliasType):
        yield from _references_in(annotation.__value__, value, where)
    elif origin is Annotated:
        # An empty name is that of a field which the spec omits.
        kinds = [note.kind for note in annotation.__metadata__ if isinstance(note, Names) and value]
        yield from ((where, kind, value) for kind in kinds if isinstance(value, str))
        yield from _references_in(annotation.__origin__, value, where)
    elif origin in (Union, UnionType):
        for member in get_args(annotation):
            yield from _references_in(member, value, where)
    elif isinstance(value, dict | tuple) and origin in (dict, tuple):
        yield from _of_many(origin, get_args(annotation), value, where)


def _of_many(origin: Any, types: tuple[Any, ...], value: Any, where: SpecPath) -> Iterator[Reference]:
    if isinstance(value, dict) and origin is dict:
        for key, element in value.items():
            yield from _references_in(types[0], key, (*where, key))
            yield from _references_in(types[1], element, (*where, key))
    elif isinstance(value, tuple) and origin is tuple:
        for position, element in enumerate(value):
            yield from _references_in(types[0], element, (*where, position))
