"""Ids of tasks: their grammar and parts. They are stored and shown as text.

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
"""First parts of ids that are not tasks of a site."""
_NAME = "[a-z0-9-]+"
TASK = rf"^[a-z]+/{_NAME}$"
"""The id of a site's task, as in its file."""
PART = rf"^[a-z0-9_-]+/{_NAME}$"
"""The id of a task in a chain."""
CHAIN = rf"^{CHAINS}/{_NAME}$"
"""The id of a chain, as in its file."""
_CASE = re.compile(rf"{CASES}/(?P<site>[a-z0-9_-]+)/(?P<name>[^/#]+)(?:#(?P<fault>[^/#]+))?")


@dataclass(frozen=True, slots=True)
class TaskId:
    """The parts of an id."""

    text: str
    """The id."""
    site: str
    """The owner of its checkpoints: a site, `chains` or `mall`."""
    name: str
    """Its name within the site; a user may type it without the site."""
    kind: str = ""
    """`cases`, `chains` or `mall`; empty for a task of a site."""
    fault: str = ""
    """The fault that a test case looks for."""

    @staticmethod
    def read(text: str) -> "TaskId":
        """Return the parts of an id. Any text is accepted, because recordings are untrusted: the part before the first
        slash is the site."""
        return _read(text)

    def matches(self, pattern: str) -> bool:
        """Return whether a pattern such as `shop/*`, over the id or the short name, matches."""
        # Not `fnmatch`, whose case sensitivity depends on the operating system.
        return any(fnmatchcase(text, pattern) for text in (self.text, self.short))

    @property
    def task(self) -> str:
        """The id of the task; for a test case, that of its original task."""
        return f"{self.site}/{self.name}" if self.kind == CASES else self.text

    @property
    def has_bug(self) -> bool:
        """Whether it is a test case, made by stressweb, that fails because of a bug of its site."""
        return self.fault.startswith("B")

    @property
    def short(self) -> str:
        """The name, with the fault of a test case."""
        return f"{self.name}#{self.fault}" if self.fault else self.name


# Cached, because every cell of a run needs its site many times.
@lru_cache(4096)
def _read(text: str) -> TaskId:
    if case := _CASE.fullmatch(text):
        return TaskId(text, case["site"], case["name"], CASES, case["fault"] or "")
    site, slash, name = text.partition("/")
    return TaskId(text, site, name if slash else text, site if slash and site in (CHAINS, MALL) else "")


def site_of(task: str) -> str:
    """Return the site with the checkpoints of a task: `chains` for a chain."""
    return TaskId.read(task).site


def is_case(task: str) -> bool:
    """Return whether an id is that of a test case."""
    return TaskId.read(task).kind == CASES


def is_chain(task: str) -> bool:
    """Return whether an id is that of a chain."""
    return TaskId.read(task).kind == CHAINS
