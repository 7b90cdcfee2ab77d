"""`make lint` finds mistakes in the scripts: in types, in style, draws that no key decides, and bare `any`s."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import check_js, node

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with our settings and one script of the page."""
    for name in ("biome.json", "tsconfig.json", "tsconfig.report.json", "scripts/keyed_draws.grit"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "perturbations").mkdir()
    return tmp_path


def checked(folder: Path, tool: str, *options: str, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "perturbations" / "a.js").write_text(text, "utf-8")
    return node.node(node.tool(tool), *options, cwd=folder)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("export const a = 1;\n", ""),
        ("export var a = 1;\n", "noVar"),
        ("export const f = (a) => a == 1;\n", "noDoubleEquals"),
        ("export const f = () => console.log(1);\n", "noConsole"),
        ("export const f = () => {\n  debugger;\n};\n", "noDebugger"),
        ("export const a = Math.random();\n", "Draws are keyed"),
        ("export const a = Date.now();\n", "Draws are keyed"),
        ('export const f = new Function("a", "return a");\n', "Draws are keyed"),
        ("export const f = (a) => 1;\n", "noUnusedFunctionParameters"),
        ("export const a = 1; \n", "format"),
        ("export const = 1;\n", "parse"),
    ],
)
def test_biome_finds(folder: Path, text: str, rule: str) -> None:
    done = checked(folder, "biome", "check", "--error-on-warnings", "--colors=off", text=text)
    assert (done.returncode == 0) == (not rule), done.stdout + done.stderr
    assert rule in done.stdout + done.stderr


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("/** @param {Element} a */\nexport const f = (a) => a.localName.length;\n", ""),
        ("/** @param {Element} a */\nexport const f = (a) => a.localNam;\n", "TS2551"),
        ("/** @param {Element | null} a */\nexport const f = (a) => a.localName;\n", "TS18047"),
        ('import { missing } from "./missing.js";\nexport const f = missing;\n', "TS2307"),
    ],
)
def test_the_compiler_finds(folder: Path, text: str, error: str) -> None:
    done = checked(folder, "tsc", "--project", "tsconfig.json", text=text)
    assert (done.returncode == 0) == (not error), done.stdout
    assert error in done.stdout


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("place", "project"),
    [
        ("runner/browser/actions", "tsconfig.json"),
        ("runner/external", "tsconfig.json"),
        ("runner/view/static", "tsconfig.json"),
        ("runner/world/overlay", "tsconfig.json"),
        ("sites/kit/widgets/board", "tsconfig.json"),
        ("stressweb/html", "tsconfig.json"),
        ("stressweb/sources", "tsconfig.json"),
        ("stressweb/report/static", "tsconfig.report.json"),
    ],
)
def test_the_compiler_checks_each_folder(folder: Path, place: str, project: str) -> None:
    (folder / place).mkdir(parents=True)
    # One function without a name, as most of these scripts are.
    (folder / place / "b.js").write_text("/** @param {Element} a */\n(a) => a.localNam;\n", "utf-8")
    done = node.node(node.tool("tsc"), "--project", project, cwd=folder)
    assert f"{place}/b.js" in done.stdout
    assert "TS2551" in done.stdout


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/** @type {any} */\nlet a;\n", [1]),
        ("/** @typedef {any} Root - A document. */\n", [1]),
        ("let a;\n/** @type {(a: any, b: any[]) => Promise<any>} */\n", [2]),
        ("/**\n * @param {string} a\n * @param {Map<Node, any> | null} b\n */\n", [3]),
        ("const a = [/** @type {any} */ (b), (/** @type {any} */ c) => c];\n", [1]),
        ("/**\n * @returns {{\n *   a: any,\n *   b?: any | null\n * }}\n */\n", [3, 4]),
        ("/** @type {() => any} */\nlet a;\n/** @type {(...a: unknown[]) => any} */\n", [1, 3]),
        ("/** @type {any} - Of the page. */\n", [1]),
        ("/** @type {{many: any}} */\n", [1]),
        ("// any: a symbol names it.\n\n/** @type {any} */\n", [3]),
        ("// any: a symbol names it.\n/** @type {any} */\nlet a;\n/** @type {any} */\n", [4]),
        ("// any: a symbol names it.\n/** @type {any} */\n", []),
        ("/** @type {any} - any: a symbol names it. */\n", []),
        ("/** Roots at any depth, if any. */\n// If not, any of them: each has any.\n", []),
        ("Promise.any([many, anyOf]);\n/** @type {unknown} */\n", []),
    ],
)
def test_the_lint_finds_each_any_without_a_reason(tmp_path: Path, text: str, lines: list[int]) -> None:
    script = tmp_path / "runner" / "external" / "a.js"
    script.parent.mkdir(parents=True)
    script.write_text(text, "utf-8")
    places = [line.partition(": ")[0] for line in check_js.bare_anys(tmp_path)]
    assert places == [f"runner/external/a.js:{number}" for number in lines]


@pytest.mark.parametrize("place", ["runner/view/static", "stressweb/report/static", "perturbations/page", "sites/kit"])
def test_an_any_needs_a_reason_in_each_package(tmp_path: Path, place: str) -> None:
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "a.js").write_text("/** @type {any} */\nlet a;\n", "utf-8")
    assert len(list(check_js.bare_anys(tmp_path))) == 1


def test_make_lint_fails_for_an_any_without_a_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "stressweb/report/static").mkdir(parents=True)
    script = folder / "stressweb/report/static/b.js"
    (folder / "perturbations" / "a.js").write_text("export const a = 1;\n", "utf-8")
    script.write_text("/** @type {any} */\nlet b;\n", "utf-8")
    assert check_js.main(folder) == 1
    # The only problem, so no other check is why it fails.
    assert re.fullmatch(r"stressweb/report/static/b\.js:1: `any` without .*\n", capsys.readouterr().err)
