"""Files to upload."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field as Limits

from stressweb.core.entity import Entity
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.documents import cleaned, ending, is_text, read
from stressweb.sites.kit.spec.fields import Answers, Field

_MOST = 20
"""Maximum number of files in a field."""


class Upload(Field):
    """One or several files: operations read name, bytes, size in kilobytes, type, digest and text of each.

    If the form is refused, people must choose the files again, because a page cannot restore them.
    """

    type: Literal["file"]
    sends_files: ClassVar[bool] = True
    endings: tuple[str, ...] = ()
    """Accepted file extensions in lower case, such as `pdf`; all if empty."""
    largest: Annotated[int, Limits(gt=0, le=500_000)] = 200_000
    """Maximum size of a file in bytes."""
    several: bool = False
    """Whether the field takes several files; operations then read a list."""

    @property
    def accepts(self) -> str:
        """HTML's `accept` value: the file extensions that the browser offers."""
        return ",".join(f".{suffix}" for suffix in self.endings)

    def sent(self, name: str, answers: Answers) -> list[str]:
        """Return the names of the uploaded files."""
        return [cleaned(file.filename or "") for file in answers.files.getlist(name)[:_MOST] if file.filename]

    def accept(self, name: str, answers: Answers) -> Entity | list[Entity] | None:
        """Return the file, or the list of files; None if no file was sent and none is required.

        Raises RefusedError for a missing file, and for too many, too large or unreadable files.
        """
        # Browsers send an empty file field as a file without a name.
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
            # Read one byte more than the maximum, to detect files that are too large.
            content = part.stream.read(self.largest + 1)
            if len(content) > self.largest:
                raise RefusedError("error_file_large")
            file = read(name, content)
            # Refuse a text file whose content is not text: it could not be returned unchanged.
            if content and not file.text and is_text(name):
                raise RefusedError("error_file_type")
            yield file
