"""A registry of extensions by name: shipped ones, entry points, and those that a user loads."""

import inspect
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError, first_line


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
    """Whether entries are objects: a site needs its folder. Else they are classes."""

    def fits(self, value: Any) -> bool:
        """Return whether a class or an object is of this kind."""
        return isinstance(value, self.base) or self._derived(value)

    def name_of(self, value: Any) -> str:
        """Return the name that an entry declares."""
        return str(getattr(value, self.named_by, ""))

    def checked(self, name: str, value: Any) -> Any:
        """Return the object of an entry point or a user's module, ready for use; raises TypeError or ValueError."""
        # A class is instantiated if it needs no arguments.
        if self.objects and self._derived(value):
            value = value()
        if not (isinstance(value, self.base) if self.objects else self._derived(value)):
            raise TypeError(f"{value!r} is no {self.base.__name__}")
        # Names are listed without importing anything, so the entry point must have the true one.
        if self.name_of(value) != name:
            raise ValueError(f"it calls itself {self.name_of(value)!r}; the entry point must have the same name")
        return value

    def _derived(self, value: Any) -> bool:
        return inspect.isclass(value) and issubclass(value, self.base)


@dataclass(frozen=True)
class Broken:
    """A plug-in that cannot be used."""

    group: str
    name: str
    reason: str
    """The problem: its origin, with file and line where possible."""


@dataclass
class _Entry:
    """A plug-in: an entry point until it is imported, then its value or its problem."""

    origin: str
    point: EntryPoint | None = None
    value: Any = None
    wrong: str = ""


class Registry[T]:
    """The extensions of one kind in this process.

    Shipped ones come first, so that no plug-in can change the meaning of our names. Names are listed without importing;
    the import happens on access.
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
        """Take the shipped names and a function that returns one; `check` raises ValueError for an invalid plug-in.

        Without `ship`, shipped entries belong to a layer above the registry, which asks it for plug-ins only.
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
        """Return the entry for a name; raises UserError if it does not exist, or is a plug-in that fails."""
        return self._ship(name) if name in self.shipped() else self.plugin(name)

    def plugin(self, name: str) -> T:
        """Return a plug-in by name; raises UserError if it does not exist, or fails."""
        if name not in self._plugins:
            command = f"stressweb list {self.kind.listed}" if self.kind.listed else ""
            raise UserError(unknown(self.kind.noun, name, self.names(), command=command))
        entry = self._plugins[name]
        if entry.point is not None and entry.value is None and not entry.wrong:
            try:
                entry.value = self.checked(name, entry.point.load())
            # Imports run untrusted code, which can raise anything. One broken plug-in must not break commands that only
            # list names or use another one, so the error is kept until this one is used.
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
        """Add a plug-in that a user loads."""
        self._plugins[name] = _Entry(origin, value=value)

    def origin(self, name: str) -> str:
        """Return the origin of an entry, in a few words."""
        return "ships" if name in self.shipped() else self._plugins[name].origin

    def working(self) -> list[str]:
        """Return the names without plug-ins that do not import; they are imported for this."""
        shipped = self.shipped()
        return [name for name in self.names() if name in shipped or self._works(name)]

    def plugins(self) -> list[str]:
        """Return every working plug-in with its kind: `agent mine`, `mode slow`, `site library`."""
        shipped = self.shipped()
        return [f"{self.kind.noun} {name}" for name in self.working() if name not in shipped]

    def broken(self) -> list[Broken]:
        """Import every plug-in and return the broken ones, each with the reason."""
        broken = []
        for name, entry in self._plugins.items():
            # An installed entry point of that name cannot be rejected like `--load`. It is never used, so it is
            # reported.
            if name in self.shipped():
                reason = f"{self.kind.noun} {name!r} ({entry.origin}): stressweb ships one of this name"
                broken.append(Broken(self.kind.group, name, reason))
            elif not self._works(name):
                broken.append(Broken(self.kind.group, name, entry.wrong))
        return broken

    def _works(self, name: str) -> bool:
        try:
            self.get(name)
        except UserError:
            return False
        return True

    @property
    def _plugins(self) -> dict[str, _Entry]:
        # Once per process: scanning all installed packages takes long, and they do not change.
        if self._entries is None:
            self._entries = {
                point.name: _Entry(f"entry point {point.name} = {point.value}", point)
                for point in self.points(group=f"stressweb.{self.kind.group}")
            }
        return self._entries


def where(error: BaseException) -> str:
    """Return an error in one line, with the file and line of the user's code that raised it."""
    message = f"{type(error).__name__}: {first_line(error)}"
    # A file that does not parse never ran, so no frame of the traceback is in it.
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: {message}"
    # The user's own line is in the innermost frame that belongs neither to Python's import system nor to this folder.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    own = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    return f"{own[-1].filename}:{own[-1].lineno}: {message}" if own else message
