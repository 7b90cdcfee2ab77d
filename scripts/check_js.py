"""Checks our JavaScript: Biome lints all of it and formats most, and the TypeScript compiler checks types."""

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from scripts import bundle, node

CHECKS = (
    ("biome", "check", "--error-on-warnings", "--colors=off"),
    ("tsc", "--project", "tsconfig.json"),
    # The scripts of the report share their names, because they are joined into one.
    ("tsc", "--project", "tsconfig.report.json"),
)
PACKAGES = ("stressweb", "runner", "perturbations", "sites")
_ANY = re.compile(r"(?:[{<(\[|&:,?]|=>|\.\.\.)\s*any\b(?=\s*(?:[}>)\[\]|&,;=?]|$))")
_REASON = re.compile(r"(?://|-) any: \w")


def bare_anys(root: Path) -> Iterator[str]:
    """Return the lines with a type `any` that no comment explains, on the line itself or before, as `any: why`.

    Neither Biome nor the compiler sees an `any` in a comment.
    """
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.[jt]s")):
        lines = ["", *path.read_text("utf-8").splitlines()]
        for number, (before, line) in enumerate(pairwise(lines), 1):
            if _ANY.search(line) and not _REASON.search(f"{before}\n{line}"):
                yield f"{path.relative_to(root)}:{number}: `any` without `// any: why` before it: {line.strip()}"


def main(root: Path = bundle.ROOT) -> int:
    """Bundle the scripts and print the problems that the checks find below a folder; return 1 if there are any."""
    try:
        node.install()
        bundle.renew()
        runs = [node.node(node.tool(name), *options, cwd=root) for name, *options in CHECKS]
    except (OSError, RuntimeError, ValueError) as error:
        print(f"stressweb: the scripts cannot be checked: {error}", file=sys.stderr)
        return 1
    problems = [done.stdout + done.stderr for done in runs if done.returncode]
    problems += bare_anys(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
