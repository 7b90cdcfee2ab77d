"""The card of a run: its plan, versions, models, hashes and counts, computed from its recording alone."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stressweb.core.draws import digest
from stressweb.log.episode import Episode
from stressweb.log.store_reader import StoreReader

VERSION = 1
"""Version of the card's layout."""

type Card = dict[str, Any]


def card(store: StoreReader, name: str, *, pictures_left_out: bool) -> Card:
    """Return the card of a run that is called `name`; the same recording gives the same card.

    Figures are counts only: rates and intervals follow from the recording. Raises AlteredError.
    """
    meta, cells, identities, counts = store.meta(), store.cells(), store.identities(), _count(store)
    checks = {part.partition(" ")[2]: value for part, value in _parts(meta).items() if part.startswith("checks ")}
    made_with = {"stressweb": "version", "engine": "engine", "browser": "browser", "packages": "packages"}
    return {
        "card": VERSION,
        "run": name,
        "suite": meta.get("suite"),
        "revisions": meta.get("revisions"),
        "made_with": {label: meta.get(noted) for label, noted in made_with.items()},
        "dates": {"started": meta.get("started"), "finished": meta.get("finished")},
        "plan": meta.get("plan"),
        "seeds": {
            "world": sorted({cell.world for cell in cells}),
            "stress": sorted({cell.stress for cell in cells if cell.stress is not None}),
            "epochs": sorted({cell.epoch for cell in cells}),
        },
        "episodes": {
            "planned": len(cells),
            "finished": counts.statuses.total(),
            **dict(sorted(counts.statuses.items())),
        },
        "errors": counts.errors,
        "models": [
            {"agent": agent, "model": model, "fingerprint": fingerprint}
            for agent, used in sorted(counts.models.items())
            for model, fingerprint in sorted(used)
        ],
        "cost": dict(sorted(counts.cost.items())),
        "pictures": "left out" if pictures_left_out else "as recorded",
        "figures": [
            {"agent": agent, "condition": condition, **dict(sorted(figures.items()))}
            for (agent, condition), figures in counts.figures.items()
        ],
        "hashes": {
            "cells": digest("cells", *(f"{key} {identity}" for key, identity in identities.items()), size=16).hex(),
            "prompt": meta.get("prompt"),
            "checks": checks,
        },
        "cells": identities,
    }


@dataclass(frozen=True)
class _Counts:
    """Totals over the episodes of a run."""

    statuses: Counter[str] = field(default_factory=Counter)
    errors: list[dict[str, str]] = field(default_factory=list)
    figures: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By agent and condition."""
    models: dict[str, dict[tuple[str, str], None]] = field(default_factory=lambda: defaultdict(dict))
    """Models with their fingerprints, by agent."""
    cost: Counter[str] = field(default_factory=Counter)


def _count(store: StoreReader) -> _Counts:
    """Count in one pass with one episode in memory at a time: a run may be larger than memory."""
    counts = _Counts()
    for episode in store.each():
        counts.statuses[episode.status] += 1
        if episode.status == "error":
            counts.errors.append({"episode": episode.cell.key, "message": episode.message})
        counts.figures[episode.cell.agent, episode.cell.condition].update(_figures(episode))
        counts.cost.update(_cost(episode))
        # Only episodes that called a model have any; reading every step of the others would waste time.
        if episode.usage.tries:
            counts.models[episode.cell.agent].update(_models(store, episode))
    return counts


def _parts(meta: Mapping[str, Any]) -> Mapping[str, str]:
    parts = meta.get("parts")
    # The recording is untrusted and may hold any value here.
    return parts if isinstance(parts, dict) else {}


def _figures(episode: Episode) -> dict[str, int]:
    """Return an episode's contribution to the counts of its agent and condition.

    An error counts only as an error, and an episode whose outcome was not observed not at all.
    """
    error = episode.status == "error"
    counts = not error and not (episode.grade and episode.grade.undecided)
    grade = episode.grade if counts else None
    success = grade is not None and grade.success
    return {
        "episodes": int(counts),
        "errors": int(error),
        "successes": int(success),
        "false_claims": int(counts and episode.claim == "done" and not success),
        "checkpoints_passed": 0 if grade is None else sum(grade.passed.values()),
        "checkpoints": 0 if grade is None else len(grade.passed),
    }


def _cost(episode: Episode) -> dict[str, int]:
    usage = episode.usage
    return {
        "actions": episode.steps,
        # Sums of integers do not depend on the order; sums of floats do.
        "milliseconds": round(1000 * episode.seconds),
        "requests": usage.tries,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
    }


def _models(store: StoreReader, episode: Episode) -> dict[tuple[str, str], None]:
    """Return the models that answered in an episode, with their fingerprints: a server may change them during a run."""
    used = (step.usage for step in store.trajectory(episode.cell))
    return {(usage.model, usage.fingerprint): None for usage in used if usage.model or usage.fingerprint}
