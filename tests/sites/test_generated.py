"""Columns that sites fill in: any value in new rows, harm in initial rows, unless they are derived from others."""

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange
from stressweb.plugins.expected import Expected
from stressweb.sites import kit


@pytest.mark.sample(4)
@pytest.mark.parametrize("site", kit.names())
def test_a_generated_column_that_changes_in_a_row_of_the_start_is_harm_and_a_derived_one_is_none(site: str) -> None:
    world = kit.load(site, 0)
    nothing, tried = Expected({}, world, {}), 0
    for table, rows in world.initial.rows.items():
        keys = {*world.initial.keys[table]}
        for column in (world.generated.get(table, frozenset()) | world.derived.get(table, frozenset())) - keys:
            for before in [*rows.values()][:1]:
                change = TableChange(("id",), altered=((before, Entity({**before, column: "another"})),))
                derived = column in world.derived.get(table, frozenset())
                wanted = [] if derived else [f"changed {table} {before.id}: {column}"]
                assert nothing.compare({table: change}).harms == wanted
                tried += 1
    # The calendar generates nothing but keys.
    assert tried or site == "calendar"


@pytest.mark.sample(4)
@pytest.mark.parametrize("site", kit.names())
def test_no_column_is_both_generated_and_derived(site: str) -> None:
    world = kit.load(site, 0)
    for table, columns in world.derived.items():
        assert not columns & world.generated[table], table


@pytest.mark.parametrize("site", kit.names())
def test_the_column_of_a_rich_text_field_is_marked_up(site: str) -> None:
    """In every entity with a column named like a rich text field, its lines count."""
    spec = kit.load(site, 0).spec
    rich = {name for action in spec.actions.values() for name, field in action.fields.items() if field.type == "rich"}
    for entity in spec.entities.values():
        if entity.table:
            assert rich & {*entity.stored} <= {*entity.marked_up}, entity.table
