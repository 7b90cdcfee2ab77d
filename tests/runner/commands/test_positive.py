"""Amounts in options and files: anything except a finite number above 0 is refused in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

type Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("option", ["--cost-limit", "--agent-seconds"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e999", "much"])
def test_invalid_amounts_are_refused(call: Call, option: str, value: str) -> None:
    status, out, err = call("run", "--agent", "naive", "--limit", "1", "--dry-run", f"{option}={value}")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"Invalid value for '{option}'" in err


def test_a_model_without_a_price_is_named_before_anything_runs(call: Call) -> None:
    options = ("run", "--agent", "model", "--model", "my-own", "--limit", "1")
    status, out, err = call(*options, "--cost-limit", "0.5")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("stressweb: cost-limit needs the price of model my-own")
    assert not Path("runs").exists()


@pytest.mark.parametrize("value", ["0", "-0.5", ".nan", ".inf", "much"])
def test_an_invalid_amount_in_a_file_is_refused_with_its_line(call: Call, tmp_path: Path, value: str) -> None:
    (tmp_path / "mine.yaml").write_text(f"agents: [naive]\ncost_limit: {value}\n")
    status, _, err = call("sweep", "mine.yaml", "--dry-run")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("stressweb: mine.yaml:2: cost_limit: ")
