"""A test case from a table, with the line of each of its rows."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stressweb.cases.own_case import OwnCase
from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES
from stressweb.core.validation import sentence

_LONGEST_NAME = 60
_FAULT = re.compile(r"(?<=\w)#([^\W_]+)$")


@dataclass
class Draft:
    """A test case before validation."""

    path: Path
    line: int
    """The line of its first row."""
    name: str
    """An id, or the words for its name."""
    title: str = ""
    site: str = ""
    start: str = ""
    seed: str = ""
    truth: Mapping[str, Any] = field(init=False, default_factory=lambda: {"verdict": "unknown"})
    steps: list[Mapping[str, str]] = field(init=False, default_factory=list)
    step_lines: list[int] = field(init=False, default_factory=list)

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def called(self) -> str:
        """Its name in messages."""
        return f"test case {self.name[:60]!r}"

    def add(self, line: int, index: str, action: str, expected: str) -> None:
        """Add a step; raises UserError if its number is not the next one."""
        due = len(self.steps) + 1
        if index.rstrip(".") not in ("", str(due)):
            raise UserError(f"{self.path}:{line}: {self.called}: step {index[:20]!r} stands where step {due} is due")
        self.steps.append({"action": action, "expected": expected})
        self.step_lines.append(line)

    def name_on(self, site: str) -> None:
        """Give the case its id on a site; raises UserError for a name without a letter or digit."""
        fault = _FAULT.search(self.name)
        words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", _FAULT.sub("", self.name)).lower())
        name = "-".join(words)[:_LONGEST_NAME].rstrip("-")
        if not name:
            raise UserError(f"{self.place}: {self.called} has no letter and no digit; give it another name")
        self.name = f"{CASES}/{site}/{name}{f'#{fault[1]}' if fault else ''}"

    def case(self) -> OwnCase:
        """Return the case; raises UserError with the line of the first mistake."""
        if not self.steps:
            raise UserError(f"{self.place}: {self.called} has no step; write each step in a row of its own below it")
        stated = {"start": self.start, "seed": self.seed}
        try:
            return OwnCase.model_validate(
                {"id": self.name, "title": self.title, "steps": self.steps, "truth": self.truth}
                | {name: text for name, text in stated.items() if text}
            )
        except ValidationError as error:
            mistake = error.errors()[0]
            keys = [*mistake["loc"]]
            line, number = self.line, keys[1] if keys[0] == "steps" and len(keys) > 1 else None
            if isinstance(number, int):
                line, keys = self.step_lines[number], [f"step {number + 1}", *keys[2:]]
            path_text = ": ".join(map(str, keys))
            raise UserError(f"{self.path}:{line}: {self.called}: {path_text} {sentence(mistake)}") from None
