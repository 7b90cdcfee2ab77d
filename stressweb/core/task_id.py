"""Ids of tasks: their grammar, and what each part of one says. They are stored and shown as text.

    shop/checkout          a task of a site
    chains/an-evening-out  a task over several sites
    mall/cheapest-lamp     a task over a catalogue of shops
    cases/shop/name#F2     a test case of a site, here with fault F2 of its application

Only the standard library is imported, as by `choices`.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

CASES, CHAINS, MALL = "cases", "chains", "mall"
"""What an id begins with that is no task of a site."""
_NAME = "[a-z0-9-]+"
TASK = rf"^[a-z]+/{_NAME}$"
"""The id of a task of a site, as its file says it."""
PART = rf"^[a-z0-9_-]+/{_NAME}$"
"""The id of a task as a part of a chain."""
CHAIN = rf"^{CHAINS}/{_NAME}$"
"""The id of a chain, as its file says it."""
_CASE = re.compile(rf"{CASES}/(?P<site>[a-z0-9_-]+)/(?P<name>[^/#]+)(?:#(?P<fault>[^/#]+))?")


@dataclass(frozen=True, slots=True)
class TaskId:
    """What an id says."""

    text: str
    """The id."""
    site: str
    """Who has its checkpoints: a site, `chains` or `mall`."""
    name: str
    """Its name there: what a user may type alone."""
    kind: str = ""
    """`cases`, `chains` or `mall`; empty for a task of a site."""
    fault: str = ""
    """The fault that a test case looks for."""

    @staticmethod
    def read(text: str) -> "TaskId":
        """Return what an id says. A recording may hold any text: all up to the first slash is a site then."""
        return _read(text)

    def matches(self, pattern: str) -> bool:
        """Return whether a pattern such as `shop/*`, or one over the name alone, stands for it too."""
        # Not `fnmatch`, which follows the operating system in whether upper and lower case are the same.
        return any(fnmatchcase(text, pattern) for text in (self.text, self.short))

    @property
    def task(self) -> str:
        """The id of the task; of a test case, that of the task from which it was made."""
        return f"{self.site}/{self.name}" if self.kind == CASES else self.text

    @property
    def short(self) -> str:
        """The name, with the fault of a test case."""
        return f"{self.name}#{self.fault}" if self.fault else self.name


# Every cell of a run asks for its site, again and again.
@lru_cache(4096)
def _read(text: str) -> TaskId:
    if case := _CASE.fullmatch(text):
        return TaskId(text, case["site"], case["name"], CASES, case["fault"] or "")
    site, slash, name = text.partition("/")
    return TaskId(text, site, name if slash else text, site if slash and site in (CHAINS, MALL) else "")


def site_of(task: str) -> str:
    """Return the site that has the checkpoints of a task: `chains` for a chain."""
    return TaskId.read(task).site


def is_case(task: str) -> bool:
    """Return whether an id is that of a test case."""
    return TaskId.read(task).kind == CASES


def is_chain(task: str) -> bool:
    """Return whether an id is that of a chain."""
    return TaskId.read(task).kind == CHAINS
