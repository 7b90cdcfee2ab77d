"""One spec of several layers: the kit's labels, mixins, resources, and the site's own `site.yaml` over them."""

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
    """A part of a spec, and where it comes from."""

    data: Mapping[str, Any]
    path: Path
    origin: tuple[str, ...] | None = None
    """Keys of the shorthand in the file that this layer was expanded from."""
    cut: int = 0
    """How many of the first keys of a place the file does not have."""


@dataclass(frozen=True)
class Assembly:
    """A spec with its layers, the site's own last."""

    spec: SiteSpec
    layers: Sequence[Layer]
    declared: Mapping[shorthand.Place, shorthand.Place]
    """Where the parts of pages stand that are declared elsewhere."""

    def place(self, where: SpecPath) -> str:
        """Return file, line and keys of a place in the spec, as a message begins."""
        for length in range(len(where), 0, -1):
            if declared := self.declared.get(tuple(where[:length])):
                return _place(self.layers, (*declared, *where[length:]))
        return _place(self.layers, where)


def mixins() -> list[str]:
    """Return the names of the mixins of the kit."""
    return sorted(path.parent.name for path in (KIT / "mixins").glob("*/site.yaml"))


def assembled(path: Path, kinds: Kinds) -> Assembly:
    """Return the spec of the site at `path`; raise UserError with file and line for a malformed one."""
    own = load(path)
    if not isinstance(own, dict):
        raise UserError(f"{path}:1: file: it takes names with values")
    used = own.get("use") or []
    labels = KIT / "corpora" / "labels.yaml"
    layers = [Layer({"labels": _loaded(labels)}, labels, cut=1)]
    resources: list[Layer] = []
    for position, name in enumerate(used if isinstance(used, list) else [used]):
        if name not in mixins():
            raise UserError(f"{place(path, ('use', position))}: {unknown('mixin', str(name), mixins())}")
        mixin = KIT / "mixins" / name / "site.yaml"
        mixin_data = _loaded(mixin)
        layers.append(Layer(_plain(mixin_data), mixin))
        resources.append(Layer(mixin_data.get("resources") or {}, mixin))
    layers += _resources([*resources, Layer(own.get("resources") or {}, path)], kinds)
    worded = path.parent / "corpora" / "labels.yaml"
    layers += [Layer({"labels": _loaded(worded)}, worded, cut=1)] if worded.is_file() else []
    layers.append(Layer(_plain(own), path))
    data: dict[str, Any] = {}
    for layer in layers:
        data = merged(data, layer.data)
    if isinstance(entities := data.get("entities"), dict):
        # Rows are drawn in this order. The site says it, also of entities that a mixin began: theirs may need its rows.
        own_order = [name for name in _names(own) if name in entities]
        order = [*(name for name in entities if name not in own_order), *own_order]
        data["entities"] = _with_corpora({name: entities[name] for name in order}, path, layers, ("entities",))
    says = partial(_place, layers)
    data, declared = shorthand.expanded(data, kinds, says)
    spec = validated(data, SiteSpec, says, kinds.context)
    return Assembly(spec, layers, declared)


@cache
def _loaded(path: Path) -> Any:
    return load(path)


def _with_corpora(data: Any, path: Path, layers: Sequence[Layer], where: SpecPath) -> Any:
    """Return a part of a spec with each text such as `corpus.reviews.titles` replaced by the data that it names.

    A corpus is a YAML file in `corpora` of the kit or of the site: rows or lists of texts that data are drawn from.
    """
    if isinstance(data, dict):
        return {key: _with_corpora(value, path, layers, (*where, key)) for key, value in data.items()}
    if isinstance(data, str) and data.startswith("corpus."):
        _, name, *rest = data.split(".")
        files = {
            file.stem: file for folder in (KIT, path.parent) for file in sorted((folder / "corpora").glob("*.yaml"))
        }
        if name not in files:
            raise UserError(f"{_place(layers, where)}: {unknown('corpus', name, files)}")
        corpus = _loaded(files[name])
        for part in rest:
            if part not in corpus:
                raise UserError(f"{_place(layers, where)}: {unknown(f'part of the corpus {name}', part, corpus)}")
            corpus = corpus[part]
        return corpus
    return data


def _plain(data: Any) -> dict[str, Any]:
    """Return what a file says besides resources."""
    return {key: value for key, value in data.items() if key != "resources"}


def _names(data: Any) -> list[str]:
    """Return the entities that a file names."""
    entities = data.get("entities")
    return list(entities) if isinstance(entities, dict) else []


def _resources(resource_layers: Sequence[Layer], kinds: Kinds) -> list[Layer]:
    """Return a layer for each resource: those of mixins, with the site's changes, and the site's own."""
    whole: dict[str, Any] = {}
    for layer in resource_layers:
        if not isinstance(layer.data, dict):
            raise UserError(f"{place(layer.path, ('resources',))}: it takes names with values")
        whole = merged(whole, layer.data)
    layers = []
    for entity, raw in whole.items():
        # An error names the file that has the last word on it.
        path = next(layer.path for layer in reversed(resource_layers) if entity in layer.data)
        if isinstance(raw, dict):
            raw = {**raw, "fields": shorthand.listed(raw.get("fields"))}  # noqa: PLW2901 - a list of fields is names
        origin = ("resources", str(entity))
        spec = validated(raw, ResourceSpec, partial(_place_below, path, origin), kinds.context)
        layers.append(Layer(expanded(str(entity), spec, raw), path, origin))
    return layers


def _place_below(path: Path, origin: SpecPath, where: SpecPath) -> str:
    return place(path, (*origin, *where))


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return one mapping over another: mappings in them are merged, null takes out, and anything else replaces."""
    result = dict(under)
    for key, value in over.items():
        if value is None and key in under:
            del result[key]
        elif isinstance(value, dict) and isinstance(under.get(key), dict):
            result[key] = merged(under[key], value)
        else:
            result[key] = value
    return result


def _place(layers: Sequence[Layer], where: SpecPath) -> str:
    # The layer that has most of the keys; of several, the top one.
    depths = [_depth(layer.data, where) for layer in layers]
    layer = max(zip(depths, range(len(layers)), layers, strict=True), key=lambda ranked: ranked[:2])[2]
    return place(layer.path, layer.origin or where[layer.cut :])


def _depth(data: Any, where: SpecPath) -> int:
    depth = 0
    for part in where:
        # Places contain tags of unions, which files do not have.
        known = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(known, dict) and part in known:
            data, depth = known[part], depth + 1
    return depth
