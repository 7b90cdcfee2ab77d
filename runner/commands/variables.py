"""What make was given that is no variable of it: standard library only, run by any Python from 3.12 on."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def problems(environ: Mapping[str, str]) -> list[str]:
    """Return one line for each unknown name; make gives them, and the names that it knows, in the environment."""
    # Late, because a lone script finds our packages only once `main` has put the tree on the path.
    from stressweb.core.choices import offered  # noqa: PLC0415

    known = environ.get("STRESSWEB_VARIABLES", "").split()
    unknown = sorted(environ.get("STRESSWEB_UNKNOWN", "").split())
    said = ((f"{name[:80]} is no variable of make", offered(name, known, few=len(known))) for name in unknown)
    return ["; ".join(parts) for parts in said]


def main() -> int:
    """Print what is unknown, one line each; return 2 if anything is."""
    sys.path.insert(0, str(ROOT))
    found = problems(os.environ)
    for problem in found:
        print(f"stressweb: {problem}", file=sys.stderr)
    return 2 if found else 0


if __name__ == "__main__":
    sys.exit(main())
