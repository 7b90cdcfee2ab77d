import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check_js.py"
spec = importlib.util.spec_from_file_location("check_js", SCRIPT)
assert spec is not None
assert spec.loader is not None
check_js = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_js)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("const a = 1;\nlet b = a === 1;\n", []),
        ("var a = 1;\n", [1]),
        ("let a;\nif (a == 1) {}\n", [2]),
        ("let a;\nif (a != 1) {}\n", [2]),
        ("const f = (a) => a >= 1 && a <= 2;\n", []),
        ('const a = "var b == c; console.log(1)";\n', []),
        ("// var a == b\n/* var\nvar */ var c;\n", [3]),
        ("console.log(1);\n", [1]),
        ("debugger;\n", [1]),
        ("const a = 1; \n", [1]),
        ("const a = Math.random();\n", [1]),
        (f"const a = '{'x' * 120}';\n", [1]),
    ],
)
def test_rules(text: str, lines: list[int]) -> None:
    assert [line for line, _ in check_js.broken_rules(text)] == lines


@pytest.mark.parametrize(
    ("text", "parses"),
    [
        ("const a = 1;", True),
        ("(key) => { return key; }", True),
        ("() => 1\n", True),
        ("const = 1;", False),
        ("{", False),
    ],
)
def test_syntax(tmp_path: Path, text: str, parses: bool) -> None:
    path = tmp_path / "a.js"
    path.write_text(text)
    assert (check_js.syntax_error(path) is None) == parses


def test_scripts_of_others_are_left_alone(tmp_path: Path) -> None:
    for name in ("runner/a.js", "sites/kit/static/vendor/b.js", "sites/kit/static/c.min.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in check_js.sources(tmp_path)] == ["a.js"]
