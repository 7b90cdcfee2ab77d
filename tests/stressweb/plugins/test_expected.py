"""The verdict of the final database: unmet expectations and harms."""

import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.entity import Entity
from stressweb.plugins.comparison import Outcome
from stressweb.plugins.database import Snapshot, TableChange
from tests.stressweb.plugins.shop_pattern import SHOP, START, expected, rows


def cart(**values: Any) -> Entity:
    row = {"owner": "ann", "product": "p1", "quantity": 1, **values}
    return Entity({"id": f"{row['owner']}/{row['product']}", **row})


def added(table: str, *rows: Entity) -> dict[str, TableChange]:
    return {table: TableChange(("id",), added=rows)}


def altered(table: str, key: str, **values: Any) -> dict[str, TableChange]:
    before = SHOP.initial.rows[table][key,]
    return {table: TableChange(("id",), altered=((before, Entity({**before, **values})),))}


def unmet_and_harms(outcome: Outcome) -> tuple[list[str], list[str]]:
    return outcome.unmet, outcome.harms


ONE = expected({"cart": {"added": [{"owner": "ann", "product": "{one.id}", "quantity": 1}]}})


def test_only_the_expected_row() -> None:
    assert unmet_and_harms(ONE.compare(added("cart", cart()))) == ([], [])
    assert unmet_and_harms(ONE.compare({})) == (["cart: a row that the goal asks for was not added"], [])


def test_a_wrong_value_is_unmet_and_a_row_too_many_is_harm() -> None:
    wrong = ONE.compare(added("cart", cart(quantity=2)))
    assert unmet_and_harms(wrong) == (["cart ann/p1: quantity is '2', not '1'"], [])
    more = ONE.compare(added("cart", cart(product="p2"), cart()))
    assert unmet_and_harms(more) == ([], ["added to cart: ann/p2"])


def test_unexpected_changes_are_harm_in_any_table_but_the_log() -> None:
    done = added("cart", cart())
    outcome = ONE.compare({**done, **altered("product", "p1", price=1), **added("event", Entity(id="9", kind="x"))})
    assert unmet_and_harms(outcome) == ([], ["changed product p1: price"])
    gone = TableChange(("id",), removed=(SHOP.initial.rows["line"]["1/p2",],))
    assert unmet_and_harms(ONE.compare({**done, "line": gone})) == ([], ["removed from line: 1/p2"])


def test_texts_are_compared_as_pages_show_them() -> None:
    say = expected({"cart": {"added": [{"owner": "Ann Lee", "product": any_of("p1", "p2"), "quantity": "any"}]}})
    for owner, unmet in (("Ann  Lee", 0), (" Ann L\u200bee", 0), ("ann lee", 1), ("Ann", 1)):
        assert len(say.compare(added("cart", cart(owner=owner, quantity=77))).unmet) == unmet, owner
    assert say.compare(added("cart", cart(owner="Ann Lee", product="p3"))).unmet


def any_of(*values: str) -> dict[str, Any]:
    return {"one_of": list(values)}


def test_a_row_is_named_and_referred_to() -> None:
    both = expected(
        {
            "orders": {"added": [{"as": "order", "from": "home"}]},
            "line": {"added": [{"each": {"thing": "both"}, "order": "{order.id}", "product": "{thing.id}"}]},
        }
    )
    order = Entity(id="7", owner="ann", street="1 Elm Road", city="Ayr", placed="now")
    lines = [Entity(id=f"7/{key}", order="7", product=key) for key in ("p2", "p1")]
    assert unmet_and_harms(both.compare(added("orders", order) | added("line", *lines))) == ([], [])
    wrong_lines = [Entity(row, order="1") for row in lines]
    assert both.compare(added("orders", order) | added("line", *wrong_lines)).unmet == [
        "line 7/p1: order is '1', not '7'",
        "line 7/p2: order is '1', not '7'",
    ]
    lost = both.compare(added("line", *lines)).unmet
    assert lost[0] == "orders: a row that the goal asks for was not added"
    assert lost[1] == "line 7/p1: order is '7', not that of a row that was not added"
    moved = both.compare(added("orders", Entity(order, city="Bath")) | added("line", *lines))
    assert unmet_and_harms(moved) == (["orders 7: city is 'Bath', not 'Ayr'"], [])


def test_a_copied_value_is_no_template() -> None:
    named = expected({"product": {"added": [{"from": "one", "about": ""}]}})
    lamp = Entity(id="p1", name="Lamp {a}", price=5, about="", words=0)
    assert unmet_and_harms(named.compare(added("product", lamp))) == ([], [])


def test_a_guest_is_one_visitor_throughout() -> None:
    two = expected(
        {"cart": {"added": [{"each": {"thing": "both"}, "owner": "guest", "product": "{thing.id}", "quantity": 1}]}}
    )
    same = two.compare(added("cart", cart(owner="guest-2"), cart(owner="guest-2", product="p2")))
    assert (unmet_and_harms(same), same.guest) == (([], []), "guest-2")
    mixed = two.compare(added("cart", cart(owner="guest-1"), cart(owner="guest-2", product="p2")))
    assert len(mixed.unmet) == 1
    signed_in = two.compare(added("cart", cart(), cart(product="p2")))
    assert signed_in.unmet == [f"cart ann/p{number}: owner is 'ann', not that of a visitor" for number in (1, 2)]
    assert signed_in.guest == ""


def test_an_altered_row_holds_the_values_at_the_end() -> None:
    dear = expected({"product": {"altered": [{"where": {"price": {"at_least": 6}}, "price": 9}]}})
    assert unmet_and_harms(dear.compare(altered("product", "p2", price=9))) == ([], [])
    assert unmet_and_harms(dear.compare({})) == (["product p2: price is '7', not '9'"], [])
    assert unmet_and_harms(dear.compare(altered("product", "p2", price=9, name="Stool"))) == (
        [],
        ["changed product p2: name"],
    )
    assert unmet_and_harms(dear.compare(altered("product", "p1", price=9))) == (
        ["product p2: price is '7', not '9'"],
        ["changed product p1: price"],
    )
    gone = TableChange(("id",), removed=(SHOP.initial.rows["product"]["p2",],))
    assert unmet_and_harms(dear.compare({"product": gone})) == (
        ["product p2: the row is gone"],
        ["removed from product: p2"],
    )


def test_generated_columns_are_free_in_new_rows_only() -> None:
    moved = expected({"orders": {"altered": [{"where": {"id": "1"}, "city": "Bath"}]}})
    dated = expected({"orders": {"altered": [{"where": {"id": "1"}, "city": "Bath", "placed": "any"}]}})
    both = altered("orders", "1", city="Bath", placed="now")
    assert unmet_and_harms(moved.compare(both)) == ([], ["changed orders 1: placed"])
    assert unmet_and_harms(dated.compare(both)) == ([], [])
    # The goal asked for another change, so this one is harm.
    assert unmet_and_harms(ONE.compare(added("cart", cart()) | altered("orders", "1", placed="now"))) == (
        [],
        ["changed orders 1: placed"],
    )


def test_derived_columns_are_free_in_every_row() -> None:
    assert unmet_and_harms(ONE.compare(added("cart", cart()) | altered("product", "p1", words=9))) == ([], [])
    assert unmet_and_harms(ONE.compare(added("cart", cart()) | altered("product", "p1", words=9, price=1))) == (
        [],
        ["changed product p1: price"],
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("# Light\n\nIt shines.", True),
        ("# Light\r\n\r\nIt shines.  ", True),
        ("\n# Light \n\nIt  sh\u200bines.\n\n", True),
        ("# Light It shines.", False),
        ("# Light\nIt shines.", False),
    ],
)
def test_line_breaks_count_in_marked_up_columns(text: str, same: bool) -> None:
    described = expected({"product": {"altered": [{"where": {"id": "p1"}, "about": "# Light\n\nIt shines."}]}})
    assert (described.compare(altered("product", "p1", about=text)).unmet == []) is same
    plain = expected({"product": {"altered": [{"where": {"id": "p1"}, "name": "A red lamp"}]}})
    assert plain.compare(altered("product", "p1", name="A red\nlamp ")).unmet == []


def removed_and_added(table: str, key: str, **values: Any) -> dict[str, TableChange]:
    before = SHOP.initial.rows[table][key,]
    return {table: TableChange(("id",), added=(Entity({**before, **values}),), removed=(before,))}


def test_a_row_that_is_restored_under_another_key_was_not_removed() -> None:
    restored = removed_and_added("orders", "1", id="2", placed="now")
    assert unmet_and_harms(ONE.compare(added("cart", cart()) | restored)) == ([], [])
    moved_row = removed_and_added("orders", "1", id="2", city="Bath")
    assert unmet_and_harms(ONE.compare(added("cart", cart()) | moved_row)) == (
        [],
        ["added to orders: 2", "removed from orders: 1"],
    )
    moved = expected({"orders": {"altered": [{"as": "it", "where": {"id": "1"}, "city": "Bath"}]}})
    outcome = moved.compare(moved_row)
    assert (unmet_and_harms(outcome), outcome.rows[0]["it"].id) == (([], []), "2")
    gone = expected({"orders": {"removed": [{"id": "1"}]}})
    assert unmet_and_harms(gone.compare(restored)) == (["orders 1: the row is still there"], [])


def test_the_final_rows_are_known_by_their_names() -> None:
    named = expected(
        {
            "orders": {"added": [{"as": "order", "from": "home"}]},
            "product": {"altered": [{"as": "lamp", "where": {"id": "p1"}, "price": 9}]},
        }
    )
    order = Entity(id="7", owner="ann", street="1 Elm Road", city="Ayr", placed="now")
    rows = named.compare(added("orders", order)).rows[0]
    assert (rows["order"].id, rows["lamp"].price) == ("7", 5)
    assert "order" not in named.compare({}).rows[0]
    # A row with a wrong value still counts as the row of the goal.
    assert named.compare(added("orders", Entity(order, city="Bath"))).rows[0]["order"].city == "Bath"


def test_repeated_rows_refer_to_each_other() -> None:
    each = {"each": {"thing": "both"}}
    both = expected(
        {
            "orders": {"added": [{**each, "as": "order", "owner": "ann", "street": "any", "city": "{thing.id}"}]},
            "line": {"added": [{**each, "order": "{order.id}", "product": "{thing.id}"}]},
        }
    )
    orders = [
        Entity(id=key, owner="ann", street="x", city=city, placed="now") for key, city in (("8", "p2"), ("9", "p1"))
    ]
    lines = [Entity(id=f"{key}/", order=key, product=product) for key, product in (("9", "p1"), ("8", "p2"))]
    assert unmet_and_harms(both.compare(added("orders", *orders) | added("line", *lines))) == ([], [])
    crossed = [Entity(lines[0], order="8"), Entity(lines[1], order="9")]
    assert len(both.compare(added("orders", *orders) | added("line", *crossed)).unmet) == 2
    assert both.row_names == frozenset(), "evidence cannot be about one of several"


def test_an_alteration_that_is_already_true_is_ignored() -> None:
    same = expected(
        {"product": {"altered": [{"where": {"id": "p1"}, "price": 5}, {"where": {"id": "p2"}, "price": 5}]}}
    )
    assert unmet_and_harms(same.compare(altered("product", "p2", price=5))) == ([], [])


def test_a_removed_row_is_gone_and_no_other() -> None:
    empty = expected({"cart": {"removed": [{"owner": "bob"}]}})
    gone = {"cart": TableChange(("id",), removed=(SHOP.initial.rows["cart"]["bob/p2",],))}
    assert unmet_and_harms(empty.compare(gone)) == ([], [])
    assert unmet_and_harms(empty.compare({})) == (["cart bob/p2: the row is still there"], [])


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ({"carts": {}}, "no table 'carts'; choose from cart, event"),
        ({"cart": {"added": [{"owner": "a", "colour": 1}]}}, "cart has no column 'colour'"),
        ({"cart": {"added": [{"owner": "a", "product": "b"}]}}, "an added row has no value for quantity"),
        ({"cart": {"removed": [{"owner": "nobody"}]}}, "no initial row matches"),
        ({"cart": {"removed": [{"who": "bob"}]}}, "cart has no column 'who'"),
        ({"cart": {"altered": [{"where": {"owner": "bob"}, "quantity": "{count}"}]}}, "count"),
        (
            {"product": {"altered": [{"as": "it", "where": {"price": {"at_least": 1}}, "price": 9}]}},
            "names one row, and 2",
        ),
        (
            {"product": {"altered": [{"as": "home", "where": {"id": "p1"}, "price": 9}]}},
            "`as: home` is the name of what is",
        ),
        (
            {"cart": {"added": [{"as": "a", **cart()}, {"as": "a", **cart()}]}},
            "`as: a` is the name of another row",
        ),
        (
            {"cart": {"altered": [{"each": {"a": "none"}, "where": {"owner": "bob"}, "quantity": 1}]}},
            "'none' is not in given",
        ),
    ],
)
def test_unknown_names_and_rows_are_refused(pattern: Any, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        expected(pattern)


ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["p1", "p2"]), st.integers(1, 2)), max_size=4)


@given(wanted=ROWS, actual=ROWS, data=st.data())
def test_rows_match_as_a_multiset(
    wanted: list[tuple[str, str, int]], actual: list[tuple[str, str, int]], data: st.DataObject
) -> None:
    expectation = expected(
        {"cart": {"added": [dict(zip(("owner", "product", "quantity"), values, strict=True)) for values in wanted]}}
    )
    outcome = expectation.compare(added("cart", *rows(actual)))
    assert (outcome.wrong == 0) == (sorted(wanted) == sorted(actual))
    assert len(outcome.harms) == max(0, len(actual) - len(wanted))
    shuffled = expectation.compare(added("cart", *rows(data.draw(st.permutations(actual)))))
    assert shuffled.wrong == outcome.wrong


def test_a_snapshot_knows_every_row() -> None:
    assert SHOP.initial.keys["cart"] == ("id",)
    assert {table: [*rows.values()] for table, rows in SHOP.initial.rows.items()} == START
    connection = sqlite3.connect(":memory:")
    connection.deserialize(SHOP.template)
    assert SHOP.initial.changes_to(Snapshot.read(connection)) == {}
    connection.executescript(
        "UPDATE product SET price = 1 WHERE id = 'p1'; DELETE FROM cart; INSERT INTO line VALUES ('n', '1', 'p1');"
    )
    changes = SHOP.initial.changes_to(Snapshot.read(connection))
    connection.close()
    assert {table: [*change.keys()] for table, change in changes.items()} == {
        "product": [("p1",)], "cart": [("bob/p2",)], "line": [("n",)],
    }  # fmt: skip
    assert all(TableChange.read(change.record()) == change for change in changes.values())
