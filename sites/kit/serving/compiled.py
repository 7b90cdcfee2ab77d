"""Templates of the kit, compiled once for all sites of a process."""

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """Keeps what Jinja makes of a template: by its file, and as long as its text is the same.

    Environments that share it must have the same options and filters; their globals may differ.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what was compiled before."""
        if known := self._codes.get((bucket.key, bucket.checksum)):
            bucket.code = known

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled now."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


COMPILED = CompiledTemplates()
"""What the applications of all sites share."""
