"""`stressweb gallery`: writes a page with pictures of sites in several worlds and under every mode."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from stressweb.core.suite import SUITE
from stressweb.core.whole_file import write_atomically
from stressweb.report.gallery import gallery
from stressweb.runner import registry
from stressweb.runner.api.start import Place
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import progress
from stressweb.runner.verify.gallery import pictured, play


def make_gallery(
    names: Sequence[str], worlds: int, output: Path, runs_dir: Path, workers: int | None, *, as_json: bool
) -> int:
    """Play the episodes, write the page and print its path; raises UserError for an unknown site."""
    for name in names:
        registry.check_site(name)
    sites, library = tuple(names) or tuple(registry.SITES.working()), registry.Library()
    with progress(quiet=as_json) as tally:
        runs = play(sites, worlds, Place(runs_dir=runs_dir, workers=workers), library, tally)
        write_atomically(output, gallery(pictured(sites, *runs, library), SUITE))
    # The page contains everything that is needed from these runs.
    for run in runs:
        shutil.rmtree(run)
    say(json.dumps({"gallery": str(output), "sites": sites}) if as_json else str(output))
    return 0
