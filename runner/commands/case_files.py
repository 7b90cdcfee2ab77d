"""`stressweb list cases --output`: writes test cases to files that `--load` can read."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stressweb.cases.own_case import OwnCase
from stressweb.cases.own_writing import as_blocks, as_table, as_yaml
from stressweb.core.errors import UserError
from stressweb.core.whole_file import check_folder, write_atomically
from stressweb.core.words import counted
from stressweb.runner import registry
from stressweb.runner.commands.output import say

_ENDINGS = (".csv", ".yaml", ".yml")


class Export(NamedTuple):
    """A file to write test cases to."""

    path: Path
    seed: int
    """The world seed that determines their wording."""
    pinata: bool = False
    """Whether to write PinATA's blocks."""

    def write(self, site: str | None) -> None:
        """Write the cases of a site, or of all sites; print the path, and the cases that were left out.

        Raises UserError for an unknown file name extension, and if there is no case.
        """
        ending = self.path.suffix.lower()
        if ending not in _ENDINGS:
            raise UserError(f"output {self.path} must end with one of {', '.join(_ENDINGS)}")
        if self.pinata and ending != ".csv":
            raise UserError(f"--pinata writes CSV, and output {self.path} is YAML; name it {self.path.stem}.csv")
        check_folder(self.path)
        sites = registry.SITES.working() if site is None else [site]
        cases = [case for name in sites for case in self._cases(name)]
        if not cases:
            raise UserError(f"there is no test case {f'of {site}' if site else 'of any site'} in world {self.seed}")
        if self.pinata:
            write_atomically(self.path, as_blocks(cases, self.path.stem))
        else:
            write_atomically(self.path, as_table(cases) if ending == ".csv" else as_yaml(cases))
        say(f"{counted(len(cases), 'test case')} of world {self.seed}", err=True)
        say(self.path)

    def _cases(self, site: str) -> Iterator[OwnCase]:
        library = registry.Library()
        bugs = 0
        for task, case in library.cases(site).items():
            if isinstance(case, OwnCase):
                yield case
                continue
            # A case file cannot contain the site's bug, without which the case passes.
            if case.fault and case.fault.is_bug:
                bugs += 1
                continue
            try:
                goal = library.goal(task, self.seed)
            except UserError as error:
                say(f"left out: {error}", err=True)
                continue
            assert goal.case is not None
            yield OwnCase.of(goal.case, self.seed)
        if bugs:
            say(
                f"left out: {counted(bugs, 'case')} of {site} that fail because of a bug in the site, not their text",
                err=True,
            )
