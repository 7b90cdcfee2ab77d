"""The file of a site's proven test cases: `cases.yaml`, beside its tasks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from stressweb.cases.bugs import BUGS
from stressweb.cases.building import Fault, Rejection
from stressweb.cases.operators import OPERATORS
from stressweb.core import yaml_models
from stressweb.core.choices import unknown
from stressweb.core.task_id import TaskId

NAME = "cases.yaml"
_HEAD = """\
# The test cases of this site whose truth is proven: of each task the failing ones, as operator@step.
# `stressweb verify SITE --cases` proves them anew and writes this file.
"""
_FAULT = re.compile(r"([a-z_]+)@([1-9]\d*)")


def _known(text: str) -> str:
    fault_of(text)
    return text


class CaseFile(BaseModel):
    """The test cases of a site with proven truth."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cases: Mapping[str, tuple[Annotated[str, Field(max_length=80), AfterValidator(_known)], ...]] = {}
    """By the name of each task with a passing case: the faults of its failing ones, `#F1` first, as `wrong_count@3`."""

    rejected: Mapping[str, str] = {}
    """Unproven cases, each with the reason: `checkout` for a passing one, else `checkout wrong_count@3`."""

    def faults(self, task: str) -> tuple[Fault, ...]:
        """Return the faults of the failing cases of a task, by its name."""
        return tuple(map(fault_of, self.cases[task]))


def written(faults: Mapping[str, Sequence[Fault]], rejections: Iterable[Rejection]) -> str:
    """Return the file of cases whose faults stand by the id of their task."""
    cases = {TaskId.read(task).name: [str(fault) for fault in own] for task, own in faults.items()}
    rejected = {_label(rejection): rejection.reason for rejection in rejections}
    return _HEAD + _dump({"cases": cases}, flow=None) + (_dump({"rejected": rejected}, flow=False) if rejected else "")


def _dump(part: Mapping[str, object], flow: bool | None) -> str:
    return yaml.safe_dump(part, sort_keys=False, allow_unicode=True, width=116, default_flow_style=flow)


def _label(rejection: Rejection) -> str:
    name = TaskId.read(rejection.case).name
    return f"{name} {rejection.fault}" if rejection.fault else name


def fault_of(text: str) -> Fault:
    """Return a fault from `wrong_count@3`; raises ValueError for another text."""
    parts = _FAULT.fullmatch(text)
    if parts is None:
        raise ValueError(f"fault {text!r} is not an operator and a step, such as wrong_count@3")
    operator, step = parts.groups()
    if operator not in (known := (*OPERATORS, *BUGS)):
        raise ValueError(unknown("operator", operator, known))
    return Fault(operator, int(step))


def read_cases(folder: Path) -> CaseFile:
    """Return the proven cases of the site in a folder; none without a file.

    Raises UserError with file and line for a malformed file.
    """
    path = folder / NAME
    return yaml_models.read(path, CaseFile) if path.is_file() else CaseFile()
