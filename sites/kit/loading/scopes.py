"""Checks that the templates of a spec read only existing columns."""

import string
from collections.abc import Iterator, Mapping, Sequence

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.sites.kit.loading.assembly import Assembly, SpecPath
from stressweb.sites.kit.loading.references import Reference
from stressweb.sites.kit.spec.conditions import clauses
from stressweb.sites.kit.spec.entities import EntitySpec, Source
from stressweb.sites.kit.spec.site import SiteSpec
from stressweb.sites.kit.spec.strict import Kind

type Scope = Mapping[str, frozenset[str]]
"""Columns of each name whose row is known at load time; other names are only known when the site runs."""


def check_templates(assembly: Assembly, references: Sequence[Reference]) -> None:
    """Raise UserError with file, line and the nearest column for a template that reads a column that does not exist.

    It checks a page's `rows`, an action's fields that name a row, `me`, and the `row` of a source. Names from functions
    of the site's logic are only known when they run.
    """
    for where, kind, text in references:
        scope: Scope | None = None
        try:
            paths = list(_paths(kind, text))
        except ValueError as error:
            raise UserError(f"{assembly.place(where)}: {error}: {text!r}") from None
        for path in paths:
            first, *rest = path.split(".")
            # Compute it only for texts that read something: most do not, and it takes a walk through the spec.
            scope = _scope(assembly.spec, where) if scope is None else scope
            if rest and first in scope and rest[0] not in scope[first]:
                raise UserError(
                    f"{assembly.place(where)}: {unknown(f'column of {first}', rest[0], sorted(scope[first]))}"
                )


def _paths(kind: Kind, text: str) -> Iterator[str]:
    """Yield the dotted paths in a template, without brackets, or in a condition."""
    if kind == "template":
        yield from (name.partition("[")[0] for _, name, _, _ in string.Formatter().parse(text) if name)
    elif kind == "condition":
        yield from (clause.path for clause in clauses(text))


def _scope(spec: SiteSpec, where: SpecPath) -> Scope:
    """Return the names that are known at a place in the spec, with their columns."""
    scope = {"label": frozenset(spec.labels)}
    if spec.people is not None:
        scope["me"] = _columns(spec, Source(of=spec.people.entity))
    holder: object = spec
    for part in where:
        if isinstance(holder, dict):
            holder = holder.get(part)
        elif isinstance(holder, tuple):
            holder = holder[part] if isinstance(part, int) else None
        else:
            holder = getattr(holder, str(part), None)
        scope |= _named_by(spec, holder, scope)
    return scope


def _named_by(spec: SiteSpec, holder: object, scope: Scope) -> dict[str, frozenset[str]]:
    """Return the names that a part of the spec defines for its content."""
    scope_below: dict[str, frozenset[str]] = {}
    rows = getattr(holder, "rows", None)
    if isinstance(rows, dict):
        scope_below |= {name: _columns(spec, source) for name, source in rows.items() if isinstance(source, Source)}
    source = getattr(holder, "source", getattr(holder, "choices", getattr(holder, "menu", None)))
    if isinstance(source, Source):
        scope_below["row"] = _columns(spec, source)
    elif (name := getattr(holder, "row", None)) and isinstance(name, str) and name in scope:
        scope_below["row"] = scope[name]
    elif isinstance(holder, EntitySpec) and holder.stages:
        scope_below["row"] = frozenset(holder.stored)
    fields = getattr(holder, "fields", None)
    if isinstance(fields, dict):
        keys = {name: getattr(form_field, "row", None) for name, form_field in fields.items() if not form_field.many}
        scope_below |= {name: _columns(spec, Source(of=entity)) for name, entity in keys.items() if entity}
    return scope_below


def _columns(spec: SiteSpec, source: Source) -> frozenset[str]:
    return frozenset([*spec.entities[source.of].readable, *(name for names in source.adds.values() for name in names)])
