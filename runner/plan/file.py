"""Experiment files: YAML that states an experiment, with every mistake at its line."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.validation import sentence
from stressweb.core.yaml_models import line_of, read
from stressweb.runner import registry
from stressweb.runner.plan.experiment import Experiment

_NESTED = ("budget", "prices")
"""Entries that have entries of their own."""


def read_experiment(
    path: Path, sets: Sequence[str] = (), changes: Mapping[str, Any] = {}, *, check_tasks: bool = True
) -> Experiment:
    """Return the experiment that a file states.

    `sets` are changes as a user types them, `epochs=3` or `budget.usd=5`, each value written as in the file; `changes`
    are values by name of the field. Raises UserError that names file and line, or the change that is wrong.
    Without `check_tasks` a task need not exist today: nights go on without the tasks of a site that is gone.
    """
    # Checked as it stands before anything is changed: a mistake then has its line.
    stated = read(path, Experiment)
    # Before the names are looked up, since some may be of what is loaded here.
    registry.load(_beside(path, stated.load))
    _check_names(path, stated if check_tasks else stated.model_copy(update={"tasks": (), "exclude": ()}))
    fields = stated.model_dump(exclude_unset=True)
    for change in sets:
        _set(fields, change)
    fields["load"] = _beside(path, fields.get("load", ()))
    fields.setdefault("name", path.stem)
    # Last, because options come before the file and before --set.
    fields.update(changes)
    try:
        return Experiment.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if isinstance(part, str))
        named_change = next((text for text in sets if text.partition("=")[0].strip() == where), "")
        raise UserError(f"{f'--set {named_change}' if named_change else path}: {where} {sentence(first)}") from None


def _check_names(path: Path, experiment: Experiment) -> None:
    """Look up every agent, task and condition that a file names; raises UserError with the line of one there is not."""
    looked_up: Mapping[str, Callable[[str], object]] = {
        "agents": lambda text: registry.chosen_agents(text, experiment.model),
        "tasks": registry.chosen_tasks,
        "conditions": registry.conditions,
    }
    for field, look_up in looked_up.items():
        for index, text in enumerate(getattr(experiment, field)):
            # A default is right, and has no line that could be named.
            if field in experiment.model_fields_set:
                try:
                    look_up(text)
                except UserError as error:
                    raise UserError(f"{line_of(path, (field, index))}: {error}") from None


def _set(data: dict[str, Any], change: str) -> None:
    """Change an entry of what a file states; raises UserError for a key that there is not."""
    key, equals, text = (part.strip() for part in change.partition("="))
    if not equals:
        raise UserError(f"--set {change!r} is not of the form key=value, such as epochs=3 or budget.usd=5")
    first, _, rest = key.partition(".")
    if first not in Experiment.model_fields:
        raise UserError(f"--set {change}: {unknown('key', first, list(Experiment.model_fields))}")
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        raise UserError(f"--set {change[:100]}: the value is not YAML") from None
    if rest:
        if first not in _NESTED:
            raise UserError(f"--set {change}: {first} has no entries of its own; {' and '.join(_NESTED)} have")
        # Only the one entry changes: the others of `budget` stay as the file has them.
        value = {**data.get(first, {}), rest: value}
    data[first] = value


def _beside(path: Path, sources: Sequence[str]) -> tuple[str, ...]:
    """Return plug-ins with their files where the experiment file says: paths in a file are from its own folder."""
    return tuple(str(path.parent / source) if (path.parent / source).exists() else source for source in sources)
