"""Checks our JavaScript: Biome lints all of it and formats most, and the TypeScript compiler checks types."""

import sys

from scripts import bundle, node

CHECKS = (
    ("biome", "check", "--error-on-warnings", "--colors=off"),
    ("tsc", "--project", "tsconfig.json"),
    # The scripts of the report share their names, because they are joined into one.
    ("tsc", "--project", "tsconfig.report.json"),
)


def main() -> int:
    """Bundle the scripts and print the problems that the checks find; return 1 if there are any."""
    try:
        node.install()
        bundle.renew()
        runs = [node.node(node.tool(name), *options) for name, *options in CHECKS]
    except (OSError, RuntimeError, ValueError) as error:
        print(f"stressweb: the scripts cannot be checked: {error}", file=sys.stderr)
        return 1
    for done in runs:
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)
    return int(any(done.returncode for done in runs))


if __name__ == "__main__":
    sys.exit(main())
