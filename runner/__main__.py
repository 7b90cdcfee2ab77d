"""`python -m runner` is the command `stressweb`, for a checkout that is not installed."""

import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Run the command line, unless another package hides `stressweb`, which can then say nothing itself."""
    spec = find_spec("stressweb")
    root = Path(__file__).resolve().parents[1]
    if spec is None or not spec.origin or Path(spec.origin).resolve() != root / "stressweb" / "__init__.py":
        module = Path(spec.origin if spec and spec.origin else "stressweb")
        culprit = module.parent if module.name == "__init__.py" else module
        print(f"stressweb: {culprit} hides stressweb's own package 'stressweb' from Python; rename it", file=sys.stderr)
        sys.exit(2)
    from stressweb.__main__ import main as command_line  # noqa: PLC0415 - only once it is ours

    command_line()


if __name__ == "__main__":
    main()
