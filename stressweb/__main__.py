"""`python -m stressweb` and the command `stressweb`: the command line, unless another package hides one of ours."""

import sys
from importlib import import_module

from stressweb.core.package_names import hidden_package


def main() -> None:
    """Run the command line and exit with its status, which is 2 if a package is hidden."""
    # Before anything of ours is imported: it would be somebody else's.
    if problem := hidden_package():
        print(f"stressweb: {problem}", file=sys.stderr)
        sys.exit(2)
    import_module("runner.commands.cli").main()


if __name__ == "__main__":
    main()
