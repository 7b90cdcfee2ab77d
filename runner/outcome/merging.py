"""Merges the shards of a plan, run on several machines, into one run."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from stressweb.core.errors import UserError
from stressweb.log.parcel import whole
from stressweb.log.plan import Plan
from stressweb.log.run_folder import new_folder, recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.goals import joined
from stressweb.runner.registry import graders
from stressweb.runner.registry.about_tasks import GOALS
from stressweb.runner.registry.engine import major

_SAME = ("suite", "version", "engine", "modes")
"""Metadata that must be the same in all shards, so that their episodes are comparable."""


def merge(folders: Sequence[Path], runs_dir: Path, name: str | None) -> Path:
    """Write the episodes of all shards of a plan into a new run and return its folder.

    A shard may be unfinished: its missing episodes run when the new run is resumed. Raises UserError, and writes
    nothing, unless the runs are all the shards of one plan, each once.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(Store.read(folder / FILE)) for folder in folders]
        plans = [recorded_plan(store) for store in stores]
        for store in stores:
            store.check_whole()
        plan = _joined_plan(folders, plans)
        meta = _common(folders, [store.meta() for store in stores])
        identities = {key: identity for store in stores for key, identity in store.identities().items()}
        # Created only after the shards have been checked.
        folder = new_folder(runs_dir, name, "merged")
        try:
            merged = {**meta, "plan": plan.model_dump(mode="json"), "merged": [path.name for path in folders]}
            with Store.create(folder / FILE, merged, plan.cells(), identities) as target:
                for store in stores:
                    _copy(store, target)
        # Also after Ctrl-C: a half-merged run would look like an interrupted run that can be resumed.
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return folder


def _joined_plan(folders: Sequence[Path], plans: Sequence[Plan]) -> Plan:
    """Return the plan without shards; raises UserError unless the runs are all its shards, each once."""
    shards: dict[int, Path] = {}
    first = plans[0]
    for folder, plan in zip(folders, plans, strict=True):
        if plan.shard is None:
            raise UserError(f"run {folder} is not a shard; merge takes runs that were started with --shard")
        number, count = plan.shard
        # Shards differ only in their number.
        if plan.model_copy(update={"shard": first.shard}) != first or count != (first.shard or (0, 0))[1]:
            raise UserError(f"runs {folders[0]} and {folder} are shards of different plans")
        if number in shards:
            raise UserError(f"runs {shards[number]} and {folder} are both shard {number} of {count}; pass each once")
        shards[number] = folder
    missing = [str(number) for number in range(1, count + 1) if number not in shards]
    if missing:
        raise UserError(f"shard {', '.join(missing)} of {count} is missing; pass the run of each shard")
    return first.model_copy(update={"shard": None})


def _common(folders: Sequence[Path], metas: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the metadata of the merged run; raises UserError if the runs were recorded with different software."""
    for folder, meta in zip(folders, metas, strict=True):
        if major(meta.get("browser")) != major(metas[0].get("browser")):
            part = f"{meta.get('browser')}, and run {folders[0]} with {metas[0].get('browser')}"
            raise UserError(f"run {folder} was made with {part}; they cannot be merged")
        for field in _SAME:
            if meta.get(field) != metas[0].get(field):
                part = f"another {'severity table' if field == 'modes' else field}"
                raise UserError(f"run {folder} was made with {part} than run {folders[0]}; they cannot be merged")
    # A shard records only the parts of its own cells.
    parts: dict[str, str] = {}
    for folder, meta in zip(folders, metas, strict=True):
        for name, digest in meta.get("parts", {}).items():
            if parts.setdefault(name, digest) != digest:
                raise UserError(f"run {folder} was made with another {name} than other shards; they cannot be merged")
    return {**metas[0], "parts": parts, GOALS: joined(metas), graders.REGRADED_HASHES: graders.merged(metas)}


def _copy(store: Store, target: Store) -> None:
    for episode in store.episodes():
        target.save(whole(store, episode.cell))
