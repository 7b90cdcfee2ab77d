"""Checks that actions write only existing columns, and every column that a new row needs."""

from collections.abc import Iterator
from string import Formatter

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.sites.kit.loading.assembly import Assembly, SpecPath
from stressweb.sites.kit.spec.entities import EntitySpec
from stressweb.sites.kit.spec.site import Operation


def check_columns(assembly: Assembly) -> None:
    """Raise UserError with file and line for an operation that would fail when its form is sent."""
    entities = assembly.spec.entities
    for name, action in assembly.spec.actions.items():
        for position, operation in enumerate(action.do):
            entity = operation.insert or operation.update or operation.delete
            # `references` reports unknown entities, with the nearest name.
            if entity in entities:
                for where, problem in _problems(operation, entity, entities[entity]):
                    raise UserError(
                        f"{assembly.place(('actions', name, 'do', position, *where))}: action {name}: {problem}"
                    )


def _problems(operation: Operation, entity: str, spec: EntitySpec) -> Iterator[tuple[SpecPath, str]]:
    """Yield each problem of an operation, with its place in the operation."""
    for part in ("values", "where"):
        for column, written in getattr(operation, part).items():
            if column not in spec.stored:
                yield (part, column), unknown(f"column of {entity}", column, spec.stored)
            # Templates cannot be nested: `{label[{brand}]}` would look for a label with the name `{brand}`.
            if isinstance(written, str) and any("{" in name for _, name, _, _ in Formatter().parse(written) if name):
                yield (
                    (part, column),
                    f"nested braces in {written!r}; use a function of the site's logic",
                )
    if operation.insert is not None:
        # A row that has an id needs no key.
        made_of = [spec.key] if spec.key and "id" not in operation.values else []
        for column in dict.fromkeys([*made_of, *spec.unique]):
            if column not in operation.values:
                yield ("values",), f"a new row of {entity} needs a value for {column}"
