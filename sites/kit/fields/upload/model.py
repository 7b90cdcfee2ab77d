"""Files that a form sends."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field as Limits

from stressweb.core.entity import Entity
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.documents import cleaned, ending, is_text, read
from stressweb.sites.kit.spec.fields import Answers, Field

_MOST = 20
"""Files that a field takes at once."""


class Upload(Field):
    """A file, or several: operations read name, bytes, size in kilobytes, type, digest and text of each.

    A form that is refused must be given its files again: no page can put them back.
    """

    type: Literal["file"]
    sends_files: ClassVar[bool] = True
    endings: tuple[str, ...] = ()
    """Endings that are taken, such as `pdf`, in small letters; any if none are named."""
    largest: Annotated[int, Limits(gt=0, le=500_000)] = 200_000
    """Most bytes of a file."""
    several: bool = False
    """Whether it takes more than one; operations then read a list."""

    @property
    def accepts(self) -> str:
        """What the browser offers to choose from, as HTML says it."""
        return ",".join(f".{suffix}" for suffix in self.endings)

    def sent(self, name: str, answers: Answers) -> list[str]:
        """Return the names of the files that were sent."""
        return [cleaned(file.filename or "") for file in answers.files.getlist(name)[:_MOST] if file.filename]

    def accept(self, name: str, answers: Answers) -> Entity | list[Entity] | None:
        """Return the file, or the files; None where none was sent and none is needed."""
        # A browser sends a field without a file as one without a name.
        parts = [part for part in answers.files.getlist(name) if part.filename]
        if self.required and not parts:
            raise RefusedError("error_required")
        if len(parts) > (_MOST if self.several else 1):
            raise RefusedError("error_uploads_many")
        files = list(self._read(name, answers))
        return files if self.several else (files[0] if files else None)

    def _read(self, field: str, answers: Answers) -> Iterator[Entity]:
        for part in answers.files.getlist(field):
            if not part.filename:
                continue
            name = cleaned(part.filename)
            if not name:
                raise RefusedError("error_file_name")
            if self.endings and ending(name) not in self.endings:
                raise RefusedError("error_file_type")
            # One byte more than is taken shows that there are too many.
            content = part.stream.read(self.largest + 1)
            if len(content) > self.largest:
                raise RefusedError("error_file_large")
            file = read(name, content)
            # What calls itself a text and is none could not be given back as it was.
            if content and not file.text and is_text(name):
                raise RefusedError("error_file_type")
            yield file
