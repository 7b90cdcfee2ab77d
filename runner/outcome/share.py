"""A process that does a share of the work on a recorded run; `stressweb.runner.outcome.sharing` starts it.

Protocol: a `Share` as JSON on standard input; on standard output a JSON line for each cell, `{"found": …}`, or for the
failure that ended the process.
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
    """Do the share on standard input; return 0, or 1 if it failed."""
    # What a site or a library prints must not get between our lines.
    say = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    share = Share.model_validate_json(sys.stdin.read())
    empty_standard_input()
    die_with_parent(share.parent)
    try:
        if share.extensions:
            from stressweb.runner.registry import load  # noqa: PLC0415 - most runs are of what ships

            load(share.extensions)
        with Store.read(share.database, known=True) as store:
            for answer in _work(share.kind)(store, share.cells, share.settings):
                say.write(json.dumps({"found": answer}) + "\n")
    except Exception as error:
        ours = next((kind.__name__ for kind in ERRORS if isinstance(error, kind)), "")
        # The parent cannot see this stack, so an internal error is sent with its traceback.
        say.write(json.dumps({"failed": str(error) if ours else trace_of(error), "kind": ours}) + "\n")
        return 1
    finally:
        say.close()
    return 0


def _work(kind: Kind) -> Work:
    """Return the function for a kind of work; only its module is imported."""
    match kind:
        case "rows":
            from stressweb.runner.outcome.results import rows_of  # noqa: PLC0415 - only the work that is asked for

            return rows_of
        case "grades":
            from stressweb.runner.outcome.regrading import grades_of  # noqa: PLC0415 - only the work that is asked for

            return grades_of
        case "details":
            from stressweb.runner.outcome.reporting import details_of  # noqa: PLC0415 - only the work that is asked for

            return details_of


if __name__ == "__main__":
    sys.exit(main())
