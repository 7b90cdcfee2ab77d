"""A process that does a share of the work on a recorded run. `stressweb.runner.outcome.sharing` starts it.

Protocol: a `Share` as JSON on standard input; JSON Lines on standard output, `{"answer": …}` for each cell, or
`{"failed": …, "kind": …}` for the failure that ended the process.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from stressweb.core.process_tree import die_with_parent
from stressweb.core.standard_input import empty_standard_input
from stressweb.core.tracebacks import trace_of
from stressweb.log.recording import Cell
from stressweb.log.store import Store
from stressweb.runner.outcome.sharing import ERRORS, Kind, Share

type Work = Callable[[Store, Sequence[Cell], Mapping[str, Any]], Iterator[Any]]


def main() -> int:
    """Do the share read from standard input; return 0, or 1 if it failed."""
    # Output of sites and libraries must not mix with the protocol.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    share = Share.model_validate_json(sys.stdin.read())
    empty_standard_input()
    die_with_parent(share.parent)
    try:
        if share.extensions:
            from stressweb.runner.registry import load  # noqa: PLC0415 - most runs have no extensions

            load(share.extensions)
        with Store.read(share.database, known=True) as store:
            for answer in _work(share.kind)(store, share.cells, share.settings):
                answers.write(json.dumps({"answer": answer}) + "\n")
    except Exception as error:
        kind = next((kind.__name__ for kind in ERRORS if isinstance(error, kind)), "")
        # The parent cannot see the traceback, so an internal error is sent with it.
        answers.write(json.dumps({"failed": str(error) if kind else trace_of(error), "kind": kind}) + "\n")
        return 1
    finally:
        answers.close()
    return 0


def _work(kind: Kind) -> Work:
    """Return the function for a kind of work, importing only its module."""
    match kind:
        case "rows":
            from stressweb.runner.outcome.results import rows_of  # noqa: PLC0415 - only the requested work

            return rows_of
        case "grades":
            from stressweb.runner.outcome.regrading import grades_of  # noqa: PLC0415 - only the requested work

            return grades_of
        case "details":
            from stressweb.runner.outcome.reporting import details_of  # noqa: PLC0415 - only the requested work

            return details_of


if __name__ == "__main__":
    sys.exit(main())
