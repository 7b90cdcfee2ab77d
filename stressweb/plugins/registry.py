"""A registry of extensions by name: shipped ones, entry points, and those loaded by the user."""

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError, first_line
from stressweb.core.proxies import is_of_type


@dataclass(frozen=True)
class Kind:
    """The kind of a registry's entries."""

    group: str
    """Group of entry points for plug-ins: `stressweb.<group>`."""
    noun: str
    """Word for an entry in messages: agent, mode."""
    base: type
    """The base class of all entries."""
    listed: str = ""
    """The argument of `stressweb list`."""
    named_by: str = "name"
    """The attribute with an entry's name."""
    objects: bool = False
    """Whether entries are objects, such as sites, or classes."""

    def fits(self, value: Any) -> bool:
        """Return whether a class or an object is of this kind."""
        return is_of_type(value, self.base) or self._is_subclass(value)

    def name_of(self, value: Any) -> str:
        """Return the name that an entry declares."""
        return str(getattr(value, self.named_by, ""))

    def checked(self, name: str, value: Any) -> Any:
        """Return an entry from an entry point or a user's module, ready for use.

        Raises TypeError if it is of another kind, ValueError if it has another name.
        """
        # A class is instantiated if it needs no arguments.
        if self.objects and self._is_subclass(value):
            value = value()
        if not (isinstance(value, self.base) if self.objects else self._is_subclass(value)):
            raise TypeError(f"{value!r} is not a {self.base.__name__}")
        # Names are listed without importing anything, so the entry point must have the right one.
        if self.name_of(value) != name:
            raise ValueError(f"its name is {self.name_of(value)!r}; the entry point must have the same name")
        return value

    def _is_subclass(self, value: Any) -> bool:
        return is_of_type(value, type) and issubclass(value, self.base)


@dataclass(frozen=True)
class Broken:
    """A plug-in that cannot be used."""

    group: str
    name: str
    reason: str
    """The problem, with file and line if possible."""


@dataclass
class _Entry:
    """A plug-in: an entry point until its import, then its value, or the problem."""

    origin: str
    point: EntryPoint | None = None
    value: Any = None
    wrong: str = ""


class Registry[T]:
    """The extensions of one kind in this process.

    Shipped ones take precedence, so that no plug-in can change the meaning of our names. Names are listed without
    imports; a plug-in is imported on access.
    """

    points: Callable[..., Sequence[EntryPoint]] = staticmethod(lambda group: tuple(entry_points(group=group)))
    """Returns the entry points of a group."""

    def __init__(
        self,
        kind: Kind,
        shipped: Callable[[], Sequence[str]],
        ship: Callable[[str], T] | None = None,
        check: Callable[[str, T], None] = lambda _name, _value: None,
    ) -> None:
        """Take functions for the shipped names and entries; `check` raises ValueError for an invalid plug-in.

        Without `ship`, a layer above provides shipped entries, and uses the registry for plug-ins only.
        """
        self.kind = kind
        self.shipped = shipped
        self._ship = ship or self.plugin
        self._check = check
        self._entries: dict[str, _Entry] | None = None

    def names(self) -> list[str]:
        """Return all names, shipped ones first, without importing anything."""
        shipped = self.shipped()
        return [*shipped, *sorted(name for name in self._plugins if name not in shipped)]

    def get(self, name: str) -> T:
        """Return the entry for a name; raises UserError if it does not exist or is a broken plug-in."""
        return self._ship(name) if name in self.shipped() else self.plugin(name)

    def plugin(self, name: str) -> T:
        """Return a plug-in by name; raises UserError if it does not exist or is broken."""
        if name not in self._plugins:
            command = f"stressweb list {self.kind.listed}" if self.kind.listed else ""
            raise UserError(unknown(self.kind.noun, name, self.names(), command=command))
        entry = self._plugins[name]
        if entry.point is not None and entry.value is None and not entry.wrong:
            try:
                entry.value = self.checked(name, entry.point.load())
            # Imports run a plug-in's code, which can raise anything. The error is raised only when this plug-in is
            # used, so that it does not break other commands.
            except (Exception, SystemExit) as error:
                entry.wrong = f"{self.kind.noun} {name!r} ({entry.origin}) cannot be used: {where(error)}"
        if entry.wrong:
            raise UserError(entry.wrong)
        value: T = entry.value
        return value

    def checked(self, name: str, value: Any) -> T:
        """Return a plug-in, ready for use; raises TypeError or ValueError if it is invalid."""
        ready: T = self.kind.checked(name, value)
        self._check(name, ready)
        return ready

    def add(self, name: str, value: T, origin: str) -> None:
        """Add a plug-in that the user loads."""
        self._plugins[name] = _Entry(origin, value=value)

    def origin(self, name: str) -> str:
        """Return the origin of an entry, in a few words."""
        return "ships" if name in self.shipped() else self._plugins[name].origin

    def working(self) -> list[str]:
        """Return the names without broken plug-ins; imports all plug-ins."""
        shipped = self.shipped()
        return [name for name in self.names() if name in shipped or self._works(name)]

    def plugins(self) -> list[str]:
        """Return every working plug-in with its kind: `agent mine`, `mode slow`, `site library`."""
        shipped = self.shipped()
        return [f"{self.kind.noun} {name}" for name in self.working() if name not in shipped]

    def broken(self) -> list[Broken]:
        """Import every plug-in and return the broken ones, each with the reason."""
        problems = []
        for name, entry in self._plugins.items():
            # An entry point with a shipped name is never used, so it is reported.
            if name in self.shipped():
                reason = f"{self.kind.noun} {name!r} ({entry.origin}): stressweb ships one with this name"
                problems.append(Broken(self.kind.group, name, reason))
            elif not self._works(name):
                problems.append(Broken(self.kind.group, name, entry.wrong))
        return problems

    def _works(self, name: str) -> bool:
        try:
            self.get(name)
        except UserError:
            return False
        return True

    @property
    def _plugins(self) -> dict[str, _Entry]:
        # Once per process, because scanning all installed packages takes long.
        if self._entries is None:
            self._entries = {
                point.name: _Entry(f"entry point {point.name} = {point.value}", point)
                for point in self.points(group=f"stressweb.{self.kind.group}")
            }
        return self._entries


def where(error: BaseException) -> str:
    """Return an error in one line, with file and line of the user's code."""
    message = f"{type(error).__name__}: {first_line(error)}"
    # A file with a syntax error never ran, so it is not in the traceback.
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: {message}"
    # The innermost frame that is neither in Python's import system nor in this folder.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    own = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    return f"{own[-1].filename}:{own[-1].lineno}: {message}" if own else message
