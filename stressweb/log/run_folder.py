"""The folder of a run: creating it, finding it by name, and resuming it with its original plan."""

import contextlib
import fcntl
import os
import re
import shlex
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from stressweb.core.choices import FEW, unknown
from stressweb.core.errors import UserError
from stressweb.core.validation import first
from stressweb.core.words import NOT_PLAIN, PLAIN
from stressweb.log.limits import LIMITS
from stressweb.log.plan import MOST_CELLS, Plan
from stressweb.log.recording import Cell
from stressweb.log.run_file import PRIVATE_FOLDER
from stressweb.log.store import FILE, Store
from stressweb.log.store_reader import StoreReader

_PLANNED = {
    "mode": "conditions",
    "task": "tasks",
    "limit": "tasks",
    "exclude": "tasks",
    "agent": "agents",
    "seed": "worlds",
    "stress_seeds": "stress",
    "epochs": "epochs",
    **{name: name for name in LIMITS},
    "shard": "shard",
    "tags": "tasks",
    "difficulty": "tasks",
    "screenshots": "screenshots",
}
"""The part of a plan that each option determines."""


def check_name(name: str) -> None:
    """Raise UserError for a name that is not a plain folder name."""
    if not PLAIN.fullmatch(name):
        raise UserError(f"run {name[:120]!r} {NOT_PLAIN}")


def check_free(folder: Path) -> None:
    """Raise UserError if the folder of a new run exists, whatever it contains."""
    # `lexists`, since a broken link also occupies the name.
    if os.path.lexists(folder):
        raise _name_taken(folder)


def _name_taken(folder: Path) -> UserError:
    return UserError(f"run {folder} exists; choose another name, or continue it with --resume")


def new_folder(runs_dir: Path, name: str | None, mode: str) -> Path:
    """Create the folder of a new run; an existing one is never reused, whatever it contains."""
    # A condition's label may contain characters that are special in paths or in a shell.
    stem = name or f"{time.strftime('%Y-%m-%d')}-{re.sub(r'[^A-Za-z0-9]+', '-', mode).strip('-')}"
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        for number in range(1, 10_000):
            folder = runs_dir / (stem if number == 1 else f"{stem}-{number}")
            try:
                # Creating it is the test: a separate check could race with another run.
                folder.mkdir(PRIVATE_FOLDER)
                # Whatever the umask is.
                folder.chmod(PRIVATE_FOLDER)
            except FileExistsError:
                if name:
                    # A name that the user chose is never changed; a generated one gets a number.
                    raise _name_taken(folder) from None
                continue
            return folder
    except OSError as error:
        raise UserError(f"run folder {runs_dir} cannot be written: {error.strerror or error}") from None
    raise UserError(f"too many runs of the name {stem} in {runs_dir}; choose another with --run")


def run_folder(name: str, runs_dir: Path) -> Path:
    """Return the folder of a run, given by name or by path; raises UserError if it does not exist."""
    # Names of runs take precedence over folders of the same name here.
    for folder in (runs_dir / name, Path(name)):
        if (folder / FILE).exists():
            return folder
    there = sorted(path.parent.name for path in runs_dir.glob(f"*/{FILE}"))
    raise UserError(f"{unknown('run', name, there, command=f'ls {runs_dir}')} in {runs_dir}")


def resuming(folder: Path) -> str:
    """Return the arguments after `--run` that continue a run, with the folder of its runs if that is not the
    default."""
    name, parent = folder.resolve().name, folder.absolute().parent
    runs = "" if parent == Path("runs").absolute() else f" --runs-dir {shlex.quote(str(folder.parent))}"
    return shlex.quote(name) + runs


def recorded_plan(store: StoreReader) -> Plan:
    """Return the plan of a run; nothing that it names has to be installed.

    Raises UserError if there is none, or if it has the format of an earlier version.
    """
    try:
        return Plan.model_validate(store.meta().get("plan"))
    except ValidationError as error:
        problem = f"holds no plan that this version of stressweb can read: {first(error, 'plan')}; start a new run"
        raise UserError(f"{store.path} {problem}") from None


def resumed_plan(folder: Path, requested: Plan, typed: Collection[str]) -> Plan:
    """Return the plan of a run to resume; raises UserError if its cells are not exactly those of the plan.

    An injected episode would run, and call a model with the user's key.
    """
    with Store.read(folder / FILE) as store:
        plan = recorded_plan(store)
        # The size comes first, because creating the cells of an untrusted plan could fill the memory.
        if plan.size > MOST_CELLS or store.cells() != plan.cells():
            raise UserError(f"{store.path} does not hold exactly the episodes of its plan; it cannot be continued")
        # A removed episode would run again, and be taken for the original.
        store.check_whole()
    for option, part in _PLANNED.items():
        # Only options that the user typed are compared: a default says nothing about the resumed run.
        if option in typed and getattr(requested, part) != getattr(plan, part):
            planned_part = getattr(plan, part)
            planned = _written(planned_part, part)
            name = option.replace("_", "-")
            difference = f"{name} differs from what run {folder} was made with: {planned}"
            raise UserError(f"{difference}; leave {name} out, or give the new run another name")
    return plan


def _written(value: object, part: str) -> str:
    """Return a part of a plan as text: a short list in full, else its length."""
    if not isinstance(value, tuple):
        return str(value)
    return ", ".join(map(str, value)) if len(value) <= FEW else f"{len(value)} {part}"


class Left(NamedTuple):
    """The remaining cells of a run."""

    failed: tuple[Cell, ...]
    """Cells whose episode ended in an error."""
    unrun: tuple[Cell, ...]
    """Cells without an episode, because the run stopped before."""


def left_in(folder: Path) -> Left:
    """Return the remaining cells.

    Read from the store: an episode that a worker stored before it died is not lost, whether it was reported or not.
    """
    with Store.open(folder / FILE) as store:
        pending = store.pending()
        failed = tuple(cell for cell in pending if store.has(cell))
    return Left(failed, tuple(cell for cell in pending if cell not in failed))


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Lock a run's folder for this process; raises UserError if another one holds it. Locks of dead processes are
    void."""
    # The folder itself is locked, so no lock file has to be created or removed.
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            # The kernel releases this lock with the process, however it dies: no stale lock file remains.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another process is executing the run in {folder}") from None
        yield
    finally:
        os.close(handle)
