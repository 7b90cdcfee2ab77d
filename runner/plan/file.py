"""Reads experiment files in YAML; errors name the file and line."""

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
"""Entries that are mappings."""


def read_experiment(
    path: Path, sets: Sequence[str] = (), changes: Mapping[str, Any] = {}, *, check_tasks: bool = True
) -> Experiment:
    """Return the experiment in a file.

    `sets` are changes as a user types them, `epochs=3` or `budget.usd=5`, with values as in the file; `changes` are
    values by field name. Raises UserError that names the file and line, or the invalid change. Without `check_tasks`,
    unknown tasks are accepted, since nights continue without the tasks of a removed site.
    """
    # Checked before any change, so that errors have a line.
    unchanged = read(path, Experiment)
    # Loaded before names are checked, since some may be of these plug-ins.
    registry.load(_relative_to(path, unchanged.load))
    _check_names(path, unchanged if check_tasks else unchanged.model_copy(update={"tasks": (), "exclude": ()}))
    fields = unchanged.model_dump(exclude_unset=True)
    for change in sets:
        _set(fields, change)
    fields["load"] = _relative_to(path, fields.get("load", ()))
    fields.setdefault("name", path.stem)
    # Last, because options override the file and --set.
    fields.update(changes)
    try:
        return Experiment.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if isinstance(part, str))
        named_change = next((text for text in sets if text.partition("=")[0].strip() == where), "")
        raise UserError(f"{f'--set {named_change}' if named_change else path}: {where} {sentence(first)}") from None


def _check_names(path: Path, experiment: Experiment) -> None:
    """Check every agent, task and condition in a file; raises UserError with the line of an unknown one."""
    looked_up: Mapping[str, Callable[[str], object]] = {
        "agents": lambda text: registry.chosen_agents(text, experiment.model),
        "tasks": registry.chosen_tasks,
        "conditions": registry.conditions,
    }
    for field, look_up in looked_up.items():
        for index, text in enumerate(getattr(experiment, field)):
            # Defaults are valid and have no line.
            if field in experiment.model_fields_set:
                try:
                    look_up(text)
                except UserError as error:
                    raise UserError(f"{line_of(path, (field, index))}: {error}") from None


def _set(fields: dict[str, Any], change: str) -> None:
    """Set an entry; raises UserError for an unknown key."""
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
            raise UserError(f"--set {change}: {first} is not a mapping; {' and '.join(_NESTED)} are")
        # The other entries of the mapping stay as in the file.
        value = {**fields.get(first, {}), rest: value}
    fields[first] = value


def _relative_to(path: Path, sources: Sequence[str]) -> tuple[str, ...]:
    """Return plug-ins with paths resolved relative to the experiment file's folder."""
    return tuple(str(path.parent / source) if (path.parent / source).exists() else source for source in sources)
