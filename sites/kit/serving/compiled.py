"""Cache of compiled templates, shared by all sites of a process."""

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """Caches the compiled code of templates by file, until the text changes.

    Environments that share it must have the same options and filters; their globals may differ.
    """

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load compiled code from the cache."""
        if known := self._codes.get((bucket.key, bucket.checksum)):
            bucket.code = known

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store compiled code in the cache."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


COMPILED = CompiledTemplates()
"""The cache that all sites share."""
