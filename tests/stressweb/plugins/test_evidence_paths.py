"""Evidence paths that name rows of the final database."""

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.evidence_paths import named, resolved

NAMES = {"place": Entity(id="p1", name="A {brace}"), "lone": Entity(id="a { b")}
ROWS = frozenset({"made"})


@pytest.mark.parametrize(
    ("path", "name", "final"),
    [
        ("/cart", "/cart", "/cart"),
        ("/f/{place.id}", "/f/p1", "/f/p1"),
        ("/t/{made.id}", "/t/{made.id}", "/t/m7"),
        ("/f/{place.id}/{made.id}?tab=x", "/f/p1/{made.id}?tab=x", "/f/p1/m7?tab=x"),
        ("/s?q={place.name}", "/s?q=A {brace}", "/s?q=A {brace}"),
        ("/s?q={lone.id}", "/s?q=a { b", "/s?q=a { b"),
        ("/s?q={place.name}&at={made.id}", "/s?q=A {{brace}}&at={made.id}", "/s?q=A {brace}&at=m7"),
    ],
)
def test_a_path_names_a_row_and_resolves_to_it(path: str, name: str, final: str) -> None:
    assert [*named([path], NAMES, ROWS)] == [name]
    assert dict(resolved([name], ROWS, {"made": Entity(id="m7")})) == {name: final}


def test_the_page_of_a_row_that_was_not_added_is_left_out() -> None:
    assert dict(resolved(["/cart", "/t/{made.id}"], ROWS, {})) == {"/cart": "/cart"}


def test_a_misspelt_name_or_column_is_refused() -> None:
    with pytest.raises(KeyError):
        [*named(["/t/{mode.id}"], NAMES, ROWS)]
