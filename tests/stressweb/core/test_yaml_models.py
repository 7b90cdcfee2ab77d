"""Files that users write are refused with file and line, and never end the process."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.core.yaml_models import DEEPEST, load


@pytest.mark.parametrize("text", ["[" * 50_000 + "]" * 50_000, "{a: " * 50_000 + "}" * 50_000, "- " * 50_000 + "x"])
def test_what_is_nested_without_end_is_refused(tmp_path: Path, text: str) -> None:
    # Without a limit the reader recurses in C, and the process is gone without a word.
    (tmp_path / "site.yaml").write_text(f"a: 1\nb:\n  {text}\n")
    with pytest.raises(UserError, match=rf"site.yaml:3: is nested deeper than {DEEPEST} levels"):
        load(tmp_path / "site.yaml")


def test_what_people_nest_is_read(tmp_path: Path) -> None:
    (tmp_path / "site.yaml").write_text("[" * DEEPEST + "]" * DEEPEST)
    nested = load(tmp_path / "site.yaml")
    for _ in range(DEEPEST - 1):
        (nested,) = nested
    assert nested == []
