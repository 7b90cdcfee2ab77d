"""A registry: the things of one kind by name, those that ship, then entry points, then what a user loads."""

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
    """What the things of a registry are."""

    group: str
    """The entry points of others are in the group `stressweb.<group>`."""
    noun: str
    """What messages call one: agent, mode."""
    base: type
    """The class that each is derived from, or an object of."""
    listed: str = ""
    """What `stressweb list` calls them."""
    named_by: str = "name"
    """The attribute that has its name."""
    objects: bool = False
    """Whether each is an object: a site of a folder has to know which. Else it is a class."""

    def fits(self, value: Any) -> bool:
        """Return whether a class or an object is one of them."""
        return isinstance(value, self.base) or self._derived(value)

    def name_of(self, value: Any) -> str:
        """Return how it calls itself."""
        return str(getattr(value, self.named_by, ""))

    def checked(self, name: str, value: Any) -> Any:
        """Return what an entry point or a user's module holds, ready for use; raises TypeError or ValueError."""
        # A class without arguments stands for its object.
        if self.objects and self._derived(value):
            value = value()
        if not (isinstance(value, self.base) if self.objects else self._derived(value)):
            raise TypeError(f"{value!r} is no {self.base.__name__}")
        # Names are listed without importing anything, so the entry point has to say the true one.
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
    """What is wrong: where it comes from, and file and line where there is one."""


@dataclass
class _Entry:
    """A plug-in: an entry point until it is imported, then its value, or what is wrong with it."""

    origin: str
    point: EntryPoint | None = None
    value: Any = None
    wrong: str = ""


class Registry[T]:
    """The things of one kind in this process.

    What ships comes first, so that no plug-in can change what a name of ours means. Names are found without importing
    what they stand for; that happens when it is asked for.
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
        """Take the names that ship and what returns one of them; `check` raises ValueError for a plug-in.

        Without `ship`, what ships stands above the registry, and whoever has it asks for plug-ins alone.
        """
        self.kind = kind
        self.shipped = shipped
        self._ship = ship or self.plugin
        self._check = check
        self._entries: dict[str, _Entry] | None = None

    def names(self) -> list[str]:
        """Return all names, those that ship first; nothing is imported."""
        shipped = self.shipped()
        return [*shipped, *sorted(name for name in self._plugins if name not in shipped)]

    def get(self, name: str) -> T:
        """Return what a name stands for; raises UserError if it is nothing, or a plug-in that fails."""
        return self._ship(name) if name in self.shipped() else self.plugin(name)

    def plugin(self, name: str) -> T:
        """Return what a user added by a name; raises UserError if it is nothing, or fails."""
        if name not in self._plugins:
            command = f"stressweb list {self.kind.listed}" if self.kind.listed else ""
            raise UserError(unknown(self.kind.noun, name, self.names(), command=command))
        entry = self._plugins[name]
        if entry.point is not None and entry.value is None and not entry.wrong:
            try:
                entry.value = self.checked(name, entry.point.load())
            # Importing runs a stranger's code, which can raise anything. One broken plug-in must not end commands that
            # only list names or use another one, so the reason is kept until somebody asks for this one.
            except (Exception, SystemExit) as error:
                entry.wrong = f"{self.kind.noun} {name!r} ({entry.origin}) cannot be used: {where(error)}"
        if entry.wrong:
            raise UserError(entry.wrong)
        value: T = entry.value
        return value

    def checked(self, name: str, value: Any) -> T:
        """Return a plug-in, ready for use; raises TypeError or ValueError if it is something else."""
        ready: T = self.kind.checked(name, value)
        self._check(name, ready)
        return ready

    def add(self, name: str, value: T, origin: str) -> None:
        """Add what a user loads from somewhere."""
        self._plugins[name] = _Entry(origin, value=value)

    def origin(self, name: str) -> str:
        """Return where something comes from, in a few words."""
        return "ships" if name in self.shipped() else self._plugins[name].origin

    def working(self) -> list[str]:
        """Return the names without those of plug-ins that do not import; these are imported to find out."""
        shipped = self.shipped()
        return [name for name in self.names() if name in shipped or self._works(name)]

    def plugins(self) -> list[str]:
        """Return every plug-in that works, as a user would name it: `agent mine`, `mode slow`, `site library`."""
        shipped = self.shipped()
        return [f"{self.kind.noun} {name}" for name in self.working() if name not in shipped]

    def broken(self) -> list[Broken]:
        """Import every plug-in and return those that cannot be used, each with the reason."""
        broken = []
        for name, entry in self._plugins.items():
            # An installed entry point of that name cannot be refused like `--load`. It is never used, so it is
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
        # Once in a process: looking through all installed packages takes long, and they do not change meanwhile.
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
    # The user's own line is the innermost one that is neither of Python's import nor of this folder.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    own = [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent]
    return f"{own[-1].filename}:{own[-1].lineno}: {message}" if own else message
