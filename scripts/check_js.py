"""Check the JavaScript that ships: it parses and keeps a few rules. Playwright brings the node that parses it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("stressweb", "sites", "perturbations", "checkpoints", "runner")
WIDTH = 120
RULES = (
    (re.compile(r"(?<![\w.$])var\s+[\w$\[{]"), "var; use const or let"),
    (re.compile(r"(?<![=!])[=!]=(?!=)"), "loose comparison; use === or !=="),
    (re.compile(r"(?<![\w.$])(?:debugger\b|alert\(|console\.)"), "left-over of debugging"),
    (re.compile(r"(?<![\w.$])(?:eval|Function)\("), "code from text"),
    (re.compile(r"(?<![\w.$])Math\.random\(|Date\.now\("), "chance or clock; draws are keyed"),
    (re.compile(r"\s+$"), "space at the end"),
    (re.compile(rf".{{{WIDTH + 1},}}"), f"longer than {WIDTH}"),
)
_BLOCK = re.compile(r"/\*.*?\*/", re.DOTALL)
# A literal is kept out of the rules for code; a template, which can hold code, is not.
_LITERAL = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|(?<![:\\])//.*$", re.MULTILINE)


def sources(root: Path = ROOT) -> list[Path]:
    """Return our own scripts; what was bundled by others is named `.min.js` or lies in a folder `vendor`."""
    scripts = (path for folder in FOLDERS for path in sorted((root / folder).rglob("*.js")))
    return [path for path in scripts if not path.name.endswith(".min.js") and "vendor" not in path.parts]


def broken_rules(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and reason for each rule that a script breaks."""
    # A comment keeps its line ends, so that the numbers of the lines after it are right.
    code = _LITERAL.sub('""', _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text))
    for number, (line, raw) in enumerate(zip(code.split("\n"), text.split("\n"), strict=True), start=1):
        for rule, reason in RULES:
            # Width and trailing space are those of the line as it is written, literals and comments included.
            if rule.search(raw if "space" in reason or "longer" in reason else line):
                yield number, reason


def syntax_error(path: Path) -> str | None:
    """Return what node says about a script that does not parse; an expression to evaluate in a page is one, too."""
    node, _ = compute_driver_executable()
    text = path.read_text(encoding="utf-8")
    first = None
    # A script handed to `page.evaluate` is a function expression, which is no statement.
    for source in (text, f"({text}\n)"):
        done = subprocess.run([node, "--check", "-"], input=source, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        # The message about the file itself: that about the wrapped text would name a place that is not in it.
        first = first or " ".join(line for line in done.stderr.splitlines() if line)[:300]
    return first


def main() -> int:
    """Print every finding as `file:line: reason`; return 1 if there is any."""
    count = 0
    for path in sources():
        error = syntax_error(path)
        findings = [(1, error)] if error else list(broken_rules(path.read_text(encoding="utf-8")))
        for line, reason in findings:
            print(f"{path.relative_to(ROOT)}:{line}: {reason}", file=sys.stderr)
        count += len(findings)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
