"""An external client as an agent: its label, and that no run can start it."""

import pytest

from stressweb.core.errors import UserError
from stressweb.runner.agents import build, parse
from stressweb.runner.agents.client import spec_of


@pytest.mark.parametrize(
    ("title", "version", "label"),
    [
        ("client", "", "client"),
        ("mine", "", "mine=client"),
        ("mine", "browser-use 0.7", "mine=client(version=browser-use 0.7)"),
    ],
)
def test_its_label_says_all_of_it(title: str, version: str, label: str) -> None:
    spec = spec_of(title, version)
    assert spec.label == label
    # A continued run reads the agent back from its label.
    assert parse(label) == spec
    assert not spec.deterministic


def test_a_version_is_a_plain_text() -> None:
    with pytest.raises(UserError, match=r"agent-version 'a\(b' must not contain '\('"):
        spec_of("mine", "a(b")


def test_a_run_cannot_start_it() -> None:
    with pytest.raises(
        UserError, match="a run cannot start the agent client: it opens episodes through `stressweb host --out FOLDER`"
    ):
        build(parse("mine=client")).ready({})
