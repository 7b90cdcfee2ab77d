"""The outcome of a kill storm, for the documents."""

from collections.abc import Mapping

from scripts.docs.markdown import table
from scripts.storm import DISTURBANCES, KILLS, Tally, storm
from stressweb.core.words import counted


def stormed(kills: int = KILLS) -> Mapping[str, str]:
    """Run a storm and return its outcome; raises SystemExit if it did harm."""
    tally = storm(kills)
    # Write no table if the storm did harm: the fault must be fixed, not documented.
    if tally.harm:
        raise SystemExit(f"docs: the storm did harm: {tally}")
    return {"storm": report(tally)}


def report(tally: Tally) -> str:
    """Return a sentence and a table about a storm."""
    done = sum(tally.disturbances.values())
    sentence = (
        f"{counted(done, 'disturbance')} in {counted(tally.runs, 'run')}, which were resumed {tally.resumed} times: "
        f"{counted(tally.errors, 'error')}, all run again, {tally.lost} finished episodes lost, "
        f"{tally.different} episodes different from the undisturbed run, "
        f"{tally.left_behind} processes left behind, {len(tally.refused)} runs that could not be continued."
    )
    rows = [[disturbance, tally.disturbances[disturbance]] for disturbance in DISTURBANCES]
    return f"{sentence}\n\n{table(['disturbance', 'times'], rows)}"
