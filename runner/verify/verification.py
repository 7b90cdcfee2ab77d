"""The proof of a site in parts: tasks and pages without a browser, pages in a browser, and whole episodes."""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from stressweb.cases.case_file import NAME
from stressweb.core.errors import UserError
from stressweb.core.event_loop import run
from stressweb.core.words import counted
from stressweb.runner import registry
from stressweb.runner.api.start import Listener, Place
from stressweb.runner.episode.playground import playground
from stressweb.runner.verify.cases import WORLDS
from stressweb.runner.verify.checks import DETOURS, Job, Kind, Problems, check
from stressweb.runner.verify.crawling import one_of_each_kind
from stressweb.runner.verify.episodes import play, pretending, solving, undeserved_passes, unsolved_tasks
from stressweb.runner.verify.findings import Finding, Part, Places
from stressweb.runner.verify.in_browser import WIDTHS, Looks, axe
from stressweb.runner.verify.pages import NOWHERE, visitors
from stressweb.runner.verify.part_names import PARTS
from stressweb.walking.walker import Walker

BROWSER_WORLDS = 3
"""Maximum number of worlds whose pages are opened in a browser."""
PEOPLE = 2
"""Number of people as whom pages are opened: a visitor, and a signed-in person."""
NO_AXE = "without axe, which is not installed: pip install 'stressweb[verify]'"


@dataclass(frozen=True)
class Verification:
    """The proof of a site in a number of worlds, from world 0 on."""

    site: str
    worlds: int
    runs_dir: Path = Path("runs")
    workers: int | None = None
    """Number of processes (default: one per core)."""
    only: Collection[str] = ()
    """Names of the parts to prove (default: all)."""

    def parts(self, listener: Listener) -> Iterator[Part]:
        """Yield each part of the proof when it is done.

        Raises UserError for a malformed spec or task, and if `only` names the cases of a site that has none.
        """
        library = registry.Library()
        if "cases" in self.only and not library.cases(self.site):
            raise UserError(f"site {self.site} has no {NAME}, so there is no part 'cases'; make it with --cases")
        tasks, places = [*library.tasks(self.site)], Places(registry.SITES.get(self.site))
        for task in tasks:
            library.checklist(self.site).check(library.goal(task, 0))
        # Spawned like workers, because a fork would inherit threads and open files.
        with ProcessPoolExecutor(
            self.workers,
            mp_context=get_context("spawn"),
            initializer=registry.load,
            initargs=(registry.EXTENSIONS.sources,),
        ) as pool:

            def proven(
                part: Kind, tried: str, among: Iterable[str], worlds: int, place: Callable[[str], str]
            ) -> Iterator[Part]:
                if self._has(part):
                    jobs = [Job(part, self.site, task, seed) for seed in range(worlds) for task in among]
                    yield _part(part, tried, pool.map(check, jobs), place)

            task_count, worlds = counted(len(tasks), "task"), counted(self.worlds, "world")
            tried = f"{task_count} in {worlds}, every way"
            yield from proven("tasks", tried, tasks, self.worlds, places.task)
            tried = "a step left out, another value, for every step"
            yield from proven("mistakes", tried, tasks, 1, places.task)
            tried = f"a breach of each limiting word of a goal, in {worlds}"
            yield from proven("limits", tried, tasks, self.worlds, places.task)
            tried = "every further action after a goal is reached"
            yield from proven("further", tried, tasks, 1, places.task)
            tried = f"other ways that a person would take, at most {DETOURS} for each task"
            yield from proven("detours", tried, tasks, 1, places.task)
            tried = f"links, forms and documents in {worlds}"
            yield from proven("pages", tried, [""], self.worlds, places.page)
            tried = f"every form in {worlds}: valid, invalid and odd values"
            yield from proven("forms", tried, [""], self.worlds, places.page)
            if cases := library.cases(self.site):
                in_worlds = min(self.worlds, len(WORLDS))
                tried = f"{counted(len(cases), 'test case')} of cases.yaml in {counted(in_worlds, 'world')}"
                yield from proven("cases", tried, tasks, in_worlds, places.cases)
        if self._has("browser"):
            yield run(self._browser(library, places))
        yield from self._episodes(library, listener, places)

    def _has(self, part: str) -> bool:
        return part in (self.only or PARTS)

    async def _browser(self, library: registry.Library, places: Places) -> Part:
        script, count, problems = axe(), 0, list[tuple[str, str]]()
        worlds = range(min(self.worlds, BROWSER_WORLDS))
        async with playground() as ground:
            looks = Looks(ground, script)
            for seed in worlds:
                site = library.world(self.site, seed)
                for person in visitors(library.goal(task, seed) for task in library.tasks(self.site))[:PEOPLE]:
                    paths = [*one_of_each_kind(Walker(site, person)), NOWHERE]
                    count += len(paths)
                    wrong = looks.wrong_pages(site, person, paths)
                    problems += [(path, f"world {seed}: {problem}") async for path, problem in wrong]
        tried = f"{counted(count, 'page')} at {WIDTHS[0]} and {WIDTHS[1]} pixels in {counted(len(worlds), 'world')}"
        return _part("browser", tried, [problems], places.page, "" if script else NO_AXE)

    def _episodes(self, library: registry.Library, listener: Listener, places: Places) -> Iterator[Part]:
        everything = solving(self.site, range(self.worlds))
        for name, description, experiment, findings_of in (
            ("solvable", "resilient, clean and under every mode at 3", everything, unsolved_tasks),
            ("unearned", "null, talker and wander", pretending(self.site), undeserved_passes),
        ):
            if not self._has(name):
                continue
            played = play(experiment, Place(runs_dir=self.runs_dir, workers=self.workers), library, listener)
            tried = f"{counted(len(played.episodes), 'episode')}: {description}"
            part = _part(name, tried, [list(findings_of(played))], places.task)
            # Episodes without findings are not needed, and those of twenty worlds take a gigabyte.
            if not part.findings:
                shutil.rmtree(played.folder)
            else:
                part.note = f"these episodes are in {played.folder}"
            yield part


def _part(
    name: str, tried: str, problem_lists: Iterable[Problems], place: Callable[[str], str], note: str = ""
) -> Part:
    return Part(
        name, tried, [Finding(place(about), problem) for problems in problem_lists for about, problem in problems], note
    )
