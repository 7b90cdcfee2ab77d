"""`stressweb merge`: merges the shards of a plan into one run."""

from collections.abc import Sequence
from pathlib import Path

from stressweb.core.program_name import program_name
from stressweb.core.words import counted
from stressweb.log.run_folder import check_name, run_folder
from stressweb.log.store import FILE, Store
from stressweb.runner.api.share import merge
from stressweb.runner.commands.output import say
from stressweb.runner.commands.show import show


def merge_runs(names: Sequence[str], name: str | None, runs_dir: Path, *, as_json: bool, explain: bool) -> int:
    """Merge runs and print the table of the new one; return 1 if an episode is missing or ended in error, else 0."""
    if name:
        check_name(name)
    folder = merge([run_folder(shard, runs_dir) for shard in names], runs_dir, name)
    with Store.read(folder / FILE) as store:
        pending = store.pending()
        errors = sum(map(store.has, pending))
    # The table counts episodes with status error, but not missing ones.
    if len(pending) > errors and not as_json:
        missing = counted(len(pending) - errors, "episode")
        cure = f"run the missing episodes with: {program_name()} run --resume --run {folder.name}"
        say(f"stressweb: {missing} of {folder} were not run; {cure}", err=True)
    return show(folder, runs_dir, errors, as_json=as_json, explain=explain) or int(bool(pending))
