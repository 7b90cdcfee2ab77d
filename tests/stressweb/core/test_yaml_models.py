"""Malformed YAML files of users are refused with file and line, and never crash the process."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.core.yaml_models import DEEPEST, load


@pytest.mark.parametrize("text", ["[" * 50_000 + "]" * 50_000, "{a: " * 50_000 + "}" * 50_000, "- " * 50_000 + "x"])
def test_deep_nesting_is_refused(tmp_path: Path, text: str) -> None:
    # Without a limit the parser recurses in C and crashes the process.
    (tmp_path / "site.yaml").write_text(f"a: 1\nb:\n  {text}\n")
    with pytest.raises(UserError, match=rf"site.yaml:3: is nested deeper than {DEEPEST} levels"):
        load(tmp_path / "site.yaml")


def test_moderate_nesting_is_read(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text("[" * DEEPEST + "]" * DEEPEST)
    nested = load(tmp_path / "site.yaml")
    for _ in range(DEEPEST - 1):
        (nested,) = nested
    assert nested == []
