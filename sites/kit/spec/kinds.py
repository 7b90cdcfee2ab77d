"""The kinds of widgets, parts and fields that a site can use: the kit's, and those in the site's folder."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from operator import or_
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Discriminator, TypeAdapter

from stressweb.core.errors import UserError
from stressweb.core.proxies import is_of_type
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.spec.fields import Field
from stressweb.sites.kit.spec.widgets import Part, Widget

type Drawn = Widget | Part | Field
_GROUPS: Mapping[str, tuple[type[Drawn], str]] = {
    "widgets": (Widget, "widget"),
    "parts": (Part, "part"),
    "fields": (Field, "type"),
}
"""By folder of a group: the base class of its kinds, and the key in a spec that names a kind."""

type Importer = Callable[[Path], ModuleType]
"""Imports the Python file at a path."""


@dataclass(frozen=True)
class Kinds:
    """The kinds of widgets, parts and fields by name, and the folder of each."""

    models: Mapping[str, Mapping[str, type[Drawn]]]
    """Model of each kind, by group and name."""
    folders: Mapping[str, Mapping[str, Path]]
    roots: tuple[Path, ...]
    """Folders to search for templates: the kit's and the site's."""

    @cached_property
    def widget(self) -> TypeAdapter[Widget]:
        """Validates a widget of a spec: the union of all kinds, discriminated by `widget`."""
        return _union(self.models["widgets"], "widget")

    @cached_property
    def part(self) -> TypeAdapter[Part]:
        """Validates a part of a spec: the union of all kinds, discriminated by `part`."""
        return _union(self.models["parts"], "part")

    @cached_property
    def field(self) -> TypeAdapter[Field]:
        """Validates a field of a spec: the union of all kinds, discriminated by `type`."""
        return _union(self.models["fields"], "type")

    @property
    def context(self) -> dict[str, Any]:
        """Validation context, with which nested widgets, parts and fields are read as one of these kinds."""
        return {"kinds": self}

    def template(self, drawn: Drawn) -> tuple[str, str]:
        """Return the template file of a kind, relative to `roots`, and the name of its macro."""
        group, name = next(
            (group, getattr(drawn, key)) for group, (kind, key) in _GROUPS.items() if isinstance(drawn, kind)
        )
        return f"{group}/{self.folders[group][name].name}/template.html", name

    def files(self, name: str) -> Iterator[Path]:
        """Yield the file with this name from each folder that has it, in the order of the kinds."""
        folders = dict.fromkeys(folder for group in self.folders.values() for folder in group.values())
        yield from (folder / name for folder in folders if (folder / name).is_file())

    def scripts(self) -> dict[str, str]:
        """Return the script of each folder that has one, by folder name; raises UserError if two have the same name."""
        paths: dict[str, Path] = {}
        for path in self.files("script.js"):
            if earlier := paths.get(path.parent.name):
                raise UserError(f"{path}: {earlier} is in a folder with the same name; rename one of the folders")
            paths[path.parent.name] = path
        return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


def _union[S](models: Mapping[str, type[Any]], key: str) -> TypeAdapter[S]:
    kinds = tuple(models.values())
    return TypeAdapter(Annotated[reduce(or_, kinds), Discriminator(key)])


def kind_name(model: type[Drawn], key: str) -> str:
    """Return the name of a model's kind, which is the value of its key; empty if the key is not a literal."""
    annotation = model.model_fields[key].annotation
    return str(get_args(annotation)[0]) if get_origin(annotation) is Literal else ""


@cache
def shipped() -> Kinds:
    """Return the kinds of the kit."""
    return _extend(
        None, KIT, lambda path: importlib.import_module(f"stressweb.sites.kit.{path.parts[-3]}.{path.parts[-2]}.model")
    )


def kinds_of(folder: Path, load: Importer) -> Kinds:
    """Return the kit's kinds and those in a site's folder; `load` imports the folder's files.

    Raises UserError for a folder without a model or template, and for a duplicate name.
    """
    return _extend(shipped(), folder, load)


def _extend(base: Kinds | None, root: Path, load: Importer) -> Kinds:
    models = {group: dict(base.models[group]) if base else {} for group in _GROUPS}
    folders = {group: dict(base.folders[group]) if base else {} for group in _GROUPS}
    for group, (kind, key) in _GROUPS.items():
        for path in sorted((root / group).glob("*/model.py")):
            template = path.with_name("template.html")
            if not template.is_file():
                raise UserError(f"{path.parent} has a model.py but no template.html")
            used_names = {folder.name for folder in (base.folders[group].values() if base else ())}
            if path.parent.name in used_names:
                raise UserError(f"{path.parent}: the kit has {group} with this name; rename the folder")
            for name, model in _kinds_in(path, load, kind, key):
                if name in models[group]:
                    raise UserError(f"{path}: there is already a {key} {name!r}; rename this one")
                if f"macro {name}(" not in template.read_text(encoding="utf-8"):
                    raise UserError(f"{template}: has no macro {name} for the {key} of this name")
                models[group][name], folders[group][name] = model, path.parent
    return Kinds(models, folders, (*(base.roots if base else ()), root))


def _kinds_in(path: Path, load: Importer, kind: type[Drawn], key: str) -> Iterator[tuple[str, type[Drawn]]]:
    """Yield name and model of each kind that a file defines; raises UserError if it defines none."""
    module = load(path)
    any_defined = False
    for value in vars(module).values():
        # Skip imported classes.
        if is_of_type(value, type) and issubclass(value, kind) and value.__module__ == module.__name__:
            name = kind_name(value, key)
            if name:
                any_defined = True
                yield name, value
    if not any_defined:
        raise UserError(f"{path}: defines no {key}; add a subclass of {kind.__name__} with `{key}: Literal[...]`")
