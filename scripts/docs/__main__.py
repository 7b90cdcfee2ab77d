"""`make docs`: lists, tables, pictures, and runs of every mode and agent; arguments select groups of parts."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from scripts.docs import markers

PROOFS = ("proof", "proof-severities", "proof-tree", "proof-coordinates")
"""Settings of `scripts.docs.proven`."""


def _lists() -> Mapping[str, str]:
    from scripts.docs import schemas  # noqa: PLC0415 - imported late, so that an unknown name is reported at once
    from scripts.docs.parts import PARTS  # noqa: PLC0415 - likewise

    schemas.write()
    return {name: part() for name, part in PARTS.items()}


def _pictures() -> Mapping[str, str]:
    from scripts.docs.pictures import gallery, sites  # noqa: PLC0415 - needs browser and proxy

    return {"pictures": gallery(), "sites": sites()}


def _runs() -> Mapping[str, str]:
    from scripts.docs.runs import runs  # noqa: PLC0415 - needs the command line's imports

    return runs()


def _agents() -> Mapping[str, str]:
    from scripts.docs.abilities import abilities  # noqa: PLC0415 - likewise

    return abilities()


def _breaking() -> Mapping[str, str]:
    from scripts.docs.breaking import breaking  # noqa: PLC0415 - likewise

    return breaking()


def _report() -> Mapping[str, str]:
    from scripts.docs.report_size import report_size  # noqa: PLC0415 - likewise

    return report_size()


def _simulator() -> Mapping[str, str]:
    from scripts.docs.simulated import simulated  # noqa: PLC0415 - likewise

    return simulated()


def _curves() -> Mapping[str, str]:
    from scripts.docs.curve_coverage import curve_coverage  # noqa: PLC0415 - likewise

    return curve_coverage()


def _nights() -> Mapping[str, str]:
    from scripts.docs.nights import nights  # noqa: PLC0415 - likewise

    return nights()


def _tells() -> Mapping[str, str]:
    from scripts.docs.tells import tells  # noqa: PLC0415 - likewise

    return tells()


def _proof(name: str) -> Mapping[str, str]:
    from scripts.docs.proven import proven  # noqa: PLC0415 - likewise

    return proven(name)


def _storm() -> Mapping[str, str]:
    from scripts.docs.stormed import stormed  # noqa: PLC0415 - likewise

    return stormed()


def _bench() -> Mapping[str, str]:
    from scripts.docs.benched import benched  # noqa: PLC0415 - likewise

    return benched()


def _audits() -> Mapping[str, str]:
    from scripts.docs.audited import audited  # noqa: PLC0415 - likewise

    return audited()


GROUPS: Mapping[str, Callable[[], Mapping[str, str]]] = {
    "lists": _lists,
    "pictures": _pictures,
    "runs": _runs,
    "agents": _agents,
    "breaking": _breaking,
    "report": _report,
    "simulator": _simulator,
    "curves": _curves,
    "nights": _nights,
    "tells": _tells,
    **{name: partial(_proof, name) for name in PROOFS},
    "storm": _storm,
    "bench": _bench,
    "audits": _audits,
}


def main(arguments: Sequence[str]) -> int:
    """Write the given groups of parts, by default all; return the exit status."""
    # Check all names before anything runs, because some groups take long.
    unknown = [name for name in arguments if name not in GROUPS]
    if unknown:
        print(f"docs: unknown part {', '.join(unknown)}; choose from {', '.join(GROUPS)}", file=sys.stderr)
        return 2
    for name in arguments or GROUPS:
        parts = GROUPS[name]()
        missing = write(parts)
        if missing:
            print(f"docs: no document has a place for {', '.join(missing)}", file=sys.stderr)
            return 2
    return 0


def write(parts: Mapping[str, str]) -> list[str]:
    """Put parts into the documents; return those without a place."""
    placed: set[str] = set()
    for path in markers.documents():
        text = path.read_text(encoding="utf-8")
        placed.update(markers.read(text))
        path.write_text(markers.replace(text, parts), encoding="utf-8")
    return sorted(parts.keys() - placed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
