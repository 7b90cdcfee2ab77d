"""Merges the layers of a spec: the kit's labels, mixins, resources, and the site's `site.yaml` on top."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load, place, validated
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.loading import shorthand
from stressweb.sites.kit.loading.resources import ResourceSpec, expanded
from stressweb.sites.kit.spec.kinds import Kinds
from stressweb.sites.kit.spec.site import SiteSpec

type SpecPath = Sequence[str | int]


@dataclass(frozen=True)
class Layer:
    """A layer of a spec, and the file that it comes from."""

    data: Mapping[str, Any]
    path: Path
    origin: tuple[str, ...] | None = None
    """Path of the shorthand in the file that this layer was expanded from."""
    depth: int = 0
    """Number of leading keys of a place in the spec that the file does not have."""


@dataclass(frozen=True)
class Assembly:
    """A spec with its layers, the site's own layer last."""

    spec: SiteSpec
    mixins: Sequence[str]
    """Names of the mixins that the site uses."""
    layers: Sequence[Layer]
    declared: Mapping[shorthand.Place, shorthand.Place]
    """By the place of a page's part: the place of its declaration, if that is elsewhere."""

    def place(self, where: SpecPath) -> str:
        """Return file, line and keys of a place in the spec, for the beginning of a message."""
        for length in range(len(where), 0, -1):
            if declared := self.declared.get(tuple(where[:length])):
                return _location(self.layers, (*declared, *where[length:]))
        return _location(self.layers, where)


def mixins() -> list[str]:
    """Return the names of the mixins of the kit."""
    return sorted(path.parent.name for path in (KIT / "mixins").glob("*/site.yaml"))


def assembled(path: Path, kinds: Kinds) -> Assembly:
    """Return the spec of the site at `path`; raises UserError with file and line if it is malformed."""
    site_data = load(path)
    if not isinstance(site_data, dict):
        raise UserError(f"{path}:1: file: it takes names with values")
    names = site_data.get("use") or []
    mixin_names = names if isinstance(names, list) else [names]
    kit_labels = KIT / "corpora" / "labels.yaml"
    layers = [Layer({"labels": _load_cached(kit_labels)}, kit_labels, depth=1)]
    resources: list[Layer] = []
    for position, name in enumerate(mixin_names):
        if name not in mixins():
            raise UserError(f"{place(path, ('use', position))}: {unknown('mixin', str(name), mixins())}")
        mixin = KIT / "mixins" / name / "site.yaml"
        mixin_data = _load_cached(mixin)
        layers.append(Layer(_without_resources(mixin_data), mixin))
        resources.append(Layer(mixin_data.get("resources") or {}, mixin))
    layers += _resources([*resources, Layer(site_data.get("resources") or {}, path)], kinds)
    site_labels = path.parent / "corpora" / "labels.yaml"
    layers += [Layer({"labels": _load_cached(site_labels)}, site_labels, depth=1)] if site_labels.is_file() else []
    layers.append(Layer(_without_resources(site_data), path))
    data: dict[str, Any] = {}
    for layer in layers:
        data = merged(data, layer.data)
    if isinstance(entities := data.get("entities"), dict):
        # Rows are drawn in this order. The site's order also applies to entities of mixins, because they may need rows
        # of the site.
        own_order = [name for name in _names(site_data) if name in entities]
        order = [*(name for name in entities if name not in own_order), *own_order]
        data["entities"] = _with_corpora({name: entities[name] for name in order}, path, layers, ("entities",))
    locate = partial(_location, layers)
    data, declared = shorthand.expanded(data, kinds, locate)
    spec = validated(data, SiteSpec, locate, kinds.context)
    return Assembly(spec, mixin_names, layers, declared)


@cache
def _load_cached(path: Path) -> Any:
    return load(path)


def _with_corpora(data: Any, path: Path, layers: Sequence[Layer], where: SpecPath) -> Any:
    """Return a part of a spec in which texts such as `corpus.reviews.titles` are replaced by the data that they name.

    A corpus is a YAML file in the folder `corpora` of the kit or the site, with rows or lists of texts to draw from.
    """
    if isinstance(data, dict):
        return {key: _with_corpora(value, path, layers, (*where, key)) for key, value in data.items()}
    if isinstance(data, str) and data.startswith("corpus."):
        _, name, *rest = data.split(".")
        files = {
            file.stem: file for folder in (KIT, path.parent) for file in sorted((folder / "corpora").glob("*.yaml"))
        }
        if name not in files:
            raise UserError(f"{_location(layers, where)}: {unknown('corpus', name, files)}")
        corpus = _load_cached(files[name])
        for part in rest:
            if part not in corpus:
                raise UserError(f"{_location(layers, where)}: {unknown(f'part of the corpus {name}', part, corpus)}")
            corpus = corpus[part]
        return corpus
    return data


def _without_resources(data: Any) -> dict[str, Any]:
    """Return the content of a file without its resources."""
    return {key: value for key, value in data.items() if key != "resources"}


def _names(data: Any) -> list[str]:
    """Return the names of the entities in a file."""
    entities = data.get("entities")
    return list(entities) if isinstance(entities, dict) else []


def _resources(resource_layers: Sequence[Layer], kinds: Kinds) -> list[Layer]:
    """Return a layer for each resource: those of mixins, with the site's changes, and those of the site."""
    whole: dict[str, Any] = {}
    for layer in resource_layers:
        if not isinstance(layer.data, dict):
            raise UserError(f"{place(layer.path, ('resources',))}: it takes names with values")
        whole = merged(whole, layer.data)
    layers = []
    for entity, raw in whole.items():
        # Errors name the last file that defines the resource.
        path = next(layer.path for layer in reversed(resource_layers) if entity in layer.data)
        if isinstance(raw, dict):
            raw = {**raw, "fields": shorthand.as_mapping(raw.get("fields"))}  # noqa: PLW2901 - a list of fields is names
        origin = ("resources", str(entity))
        spec = validated(raw, ResourceSpec, partial(_location_below, path, origin), kinds.context)
        layers.append(Layer(expanded(str(entity), spec, raw), path, origin))
    return layers


def _location_below(path: Path, origin: SpecPath, where: SpecPath) -> str:
    return place(path, (*origin, *where))


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes` merged into it: mappings are merged, null removes, anything else replaces."""
    combined = dict(base)
    for key, value in changes.items():
        if value is None and key in base:
            del combined[key]
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            combined[key] = merged(base[key], value)
        else:
            combined[key] = value
    return combined


def _location(layers: Sequence[Layer], where: SpecPath) -> str:
    # Choose the layer that has most of the keys; of several, the topmost.
    depths = [_depth(layer.data, where) for layer in layers]
    layer = max(zip(depths, range(len(layers)), layers, strict=True), key=lambda ranked: ranked[:2])[2]
    return place(layer.path, layer.origin or where[layer.depth :])


def _depth(data: Any, where: SpecPath) -> int:
    depth = 0
    for part in where:
        # Skip the tags of unions, which files do not have.
        known = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(known, dict) and part in known:
            data, depth = known[part], depth + 1
    return depth
