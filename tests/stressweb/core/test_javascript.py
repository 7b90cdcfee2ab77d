"""A script reaches the browser without its comments, and with all of its code."""

from pathlib import Path

import pytest

from stressweb.core.javascript import source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/** @type {number} */\nlet n = 1;\n", "let n = 1"),
        ("/**\n * Counts.\n */\n// And more.\nlet n = 1;\n", "let n = 1"),
        ("/** @type {number} */ let n = 1;\nlet m = 2;\n/** The end. */\nf(n, m);\n",
         "/** @type {number} */ let n = 1;\nlet m = 2;\nf(n, m)"),
        ("let text = '/** no comment */';\nf(text);\n", "let text = '/** no comment */';\nf(text)"),
    ],
)  # fmt: skip
def test_only_comments_on_lines_of_their_own_are_left_out(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "script.js"
    path.write_text(text, "utf-8")
    assert source(path) == expected
