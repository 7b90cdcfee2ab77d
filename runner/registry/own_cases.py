"""Test cases that a user loads from files."""

from collections.abc import Collection, Mapping
from pathlib import Path

from stressweb.cases.own_case import OwnCase
from stressweb.cases.own_file import ENDINGS, PlacedCase, read_own_cases
from stressweb.core.errors import UserError

__all__ = ["ENDINGS", "OWN_CASES", "OwnCases"]


class OwnCases:
    """The user's own test cases, by id."""

    def __init__(self) -> None:
        """Start empty."""
        self._placed: dict[str, PlacedCase] = {}

    def __contains__(self, task: str) -> bool:
        """Return whether a task is one of these cases."""
        return task in self._placed

    def load(self, path: Path, sites: Collection[str]) -> list[str]:
        """Add the cases of a file and return their ids; `sites` are the names of all sites.

        Raises UserError with file and line for an invalid case, and for an id that another file has.
        """
        placed = {case.id: PlacedCase(case, place) for case, place in read_own_cases(path, sites)}
        for case, place in placed.values():
            if case.id in self._placed:
                first_place = self._placed[case.id].place
                raise UserError(
                    f"{place}: {case.id}: two test cases have this id, the other is at {first_place}; rename one"
                )
        self._placed |= placed
        return [*placed]

    def of_site(self, site: str, proven: Collection[str] = ()) -> Mapping[str, OwnCase]:
        """Return the cases of a site by id; raises UserError if a case in `proven` has the same id."""
        cases = {case.id: (case, place) for case, place in self._placed.values() if case.site == site}
        if clash := next((task for task in cases if task in proven), None):
            raise UserError(f"{cases[clash][1]}: {clash}: a test case of stressweb has this id; give yours another")
        return {task: case for task, (case, _) in cases.items()}


OWN_CASES = OwnCases()
"""The cases loaded in this process; worker processes load those of their run."""
