"""Names of agents: given by the user, short, and unique."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.agent_names import by_name, short_names, split_title

LONG = "model(model=gpt-5.2,observation=tree)"


@pytest.mark.parametrize(
    ("text", "name_and_agent"),
    [
        ("big=model(model=x)", ("big", "model(model=x)")),
        (" big = model(model=x)", ("big", "model(model=x)")),
        ("big=my_pkg.mine:Mine(a=1)", ("big", "my_pkg.mine:Mine(a=1)")),
        ("model(model=x)", ("", "model(model=x)")),
        ("naive", ("", "naive")),
        ("1st=naive", ("", "1st=naive")),
        ("=naive", ("", "=naive")),
        ("big=", ("", "big=")),
        (f"{'a' * 41}=naive", ("", f"{'a' * 41}=naive")),
    ],
)
def test_a_given_name_stands_before_the_agent(text: str, name_and_agent: tuple[str, str]) -> None:
    assert split_title(text) == name_and_agent


def test_only_long_labels_with_options_are_shortened() -> None:
    assert short_names(["naive", "resilient(-gesture)", "my_package_with_a_long_name-agent"]) == {
        name: name for name in ("naive", "resilient(-gesture)", "my_package_with_a_long_name-agent")
    }
    assert short_names([LONG, "naive"]) == {LONG: "model", "naive": "naive"}
    assert short_names([LONG, "model"]) == {LONG: "model-1", "model": "model"}
    assert list(short_names([LONG, LONG.replace("tree", "boxes")]).values()) == ["model-1", "model-2"]


@given(st.lists(st.sampled_from([
    "model", "model-1", "model-2", "big=model(model=x)", "big=model(model=y)", LONG, f"{LONG[:-1]},a=1)", f"{LONG[:-1]},a=2)", f"model-1={LONG}",
])))  # fmt: skip
def test_short_names_are_unique(labels: list[str]) -> None:
    names = short_names(labels)
    assert set(names) == set(labels)
    assert len(set(names.values())) == len(names)


def test_agents_are_found_by_both_names() -> None:
    assert by_name(["big=naive", "null"]) == {"big": "big=naive", "big=naive": "big=naive", "null": "null"}
