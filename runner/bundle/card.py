"""The card of a run: its plan, versions, models, hashes and counts, computed from its recording alone."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from stressweb.core.draws import digest
from stressweb.log.store_reader import StoreReader
from stressweb.log.told import Episode

VERSION = 1
"""Version of the card's layout."""

type Card = dict[str, Any]


def card(store: StoreReader, name: str, *, pictures_left_out: bool) -> Card:
    """Return the card of a run that is called `name`; the same recording gives the same card.

    Figures are counts only: rates and intervals follow from the recording. Raises AlteredError.
    """
    meta, cells, identities = store.meta(), store.cells(), store.identities()
    statuses: Counter[str] = Counter()
    errors: list[dict[str, str]] = []
    figures: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    models: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    cost: Counter[str] = Counter()
    # One pass over the episodes, each forgotten before the next: a run may be larger than the memory.
    for episode in store.each():
        statuses[episode.status] += 1
        if episode.status == "error":
            errors.append({"episode": episode.cell.key, "message": episode.message})
        figures[episode.cell.agent, episode.cell.condition].update(_figures(episode))
        cost.update(_cost(episode))
        # Only an episode that asked a model has any; for the others, reading every step would take time for nothing.
        if episode.usage.tries:
            models[episode.cell.agent].update(_models(store, episode))
    checks = {part.partition(" ")[2]: value for part, value in _parts(meta).items() if part.startswith("checks ")}
    return {
        "card": VERSION,
        "run": name,
        "suite": meta.get("suite"),
        "revisions": meta.get("revisions"),
        "made_with": {
            "stressweb": meta.get("version"),
            "engine": meta.get("engine"),
            "browser": meta.get("browser"),
            "packages": meta.get("packages"),
        },
        "dates": {"started": meta.get("started"), "finished": meta.get("finished")},
        "plan": meta.get("plan"),
        "seeds": {
            "world": sorted({cell.world for cell in cells}),
            "stress": sorted({cell.stress for cell in cells if cell.stress is not None}),
            "epochs": sorted({cell.epoch for cell in cells}),
        },
        "episodes": {"planned": len(cells), "finished": statuses.total(), **dict(sorted(statuses.items()))},
        "errors": errors,
        "models": [
            {"agent": agent, "model": model, "fingerprint": fingerprint}
            for agent, found in sorted(models.items())
            for model, fingerprint in sorted(found)
        ],
        "cost": dict(sorted(cost.items())),
        "pictures": "left out" if pictures_left_out else "as recorded",
        "figures": [
            {"agent": agent, "condition": condition, **dict(sorted(found.items()))}
            for (agent, condition), found in figures.items()
        ],
        "hashes": {
            "cells": digest("cells", *(f"{key} {identity}" for key, identity in identities.items()), size=16).hex(),
            "prompt": meta.get("prompt"),
            "checks": checks,
        },
        "cells": identities,
    }


def _parts(meta: Mapping[str, Any]) -> Mapping[str, str]:
    found = meta.get("parts")
    # The recording may be a stranger's and hold any value here.
    return found if isinstance(found, dict) else {}


def _figures(episode: Episode) -> dict[str, int]:
    """Return what an episode adds to the counts of its agent and condition; an error adds to none but its own."""
    counts = episode.status != "error"
    grade = episode.grade if counts else None
    success = grade is not None and grade.success
    return {
        "episodes": int(counts),
        "errors": int(not counts),
        "successes": int(success),
        "false_claims": int(counts and episode.claim == "done" and not success),
        "checkpoints_passed": 0 if grade is None else sum(grade.passed.values()),
        "checkpoints": 0 if grade is None else len(grade.passed),
    }


def _cost(episode: Episode) -> dict[str, int]:
    usage = episode.usage
    return {
        "actions": episode.steps,
        # Whole numbers have the same sum in any order; fractions do not.
        "milliseconds": round(1000 * episode.seconds),
        "requests": usage.tries,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
    }


def _models(store: StoreReader, episode: Episode) -> dict[tuple[str, str], None]:
    """Return the models that answered in an episode, with their fingerprints: a server may change them meanwhile."""
    used = (step.usage for step in store.trajectory(episode.cell))
    return {(usage.model, usage.fingerprint): None for usage in used if usage.model or usage.fingerprint}
