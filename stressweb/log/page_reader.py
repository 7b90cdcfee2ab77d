"""Reads an episode's pages from a run database: those of its steps, and the evidence pages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from stressweb.log import boxes
from stressweb.log.blobs import Blobs
from stressweb.log.recording import Shown, StepRecord
from stressweb.log.sealing import Rows, Stored
from stressweb.log.store_rows import browser_in, outcome_in, sources_in, usage_in
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Box, Usage
from stressweb.plugins.observation_source import NOTHING_READ, SourceValues


class BareStep(NamedTuple):
    """One step, without its page."""

    action: Action | None
    """None for step 0, which is the first page."""
    outcome: Outcome | None
    url: str
    """Address of the page after the action."""
    seconds: float
    """As `StepRecord.seconds`."""
    usage: Usage
    """What the decision cost."""
    sources: SourceValues
    """Values of third-party observation sources, by name."""


class PageReader:
    """Reads the pages of episodes from their rows; raises AlteredError for a content that does not match its hash."""

    def __init__(self, blobs: Blobs) -> None:
        """Take the contents of the run."""
        self._blobs = blobs
        self._unpacked: dict[bytes, tuple[Box | None, ...]] = {}
        """Boxes of the current episode, by hash; equal ones are unpacked once."""

    def steps(self, rows: Rows, actions: Sequence[Action | None], *, bare: bool = False) -> list[StepRecord]:
        """Return the steps of an episode, in order; `rows` are theirs, and `actions` has the action of each.

        `bare` steps have only an action and a page with address and document; the rest of the recorded page is still
        checked.
        """
        pages = rows.of("url", "state", "screenshot", "tree", "boxes", "browser")
        # Unpacked boxes are large, so they are cached for one episode at a time.
        self._unpacked.clear()
        self._blobs.read({page[1] for page in pages})
        if bare:
            return [StepRecord(self._bare(*page), action) for page, action in zip(pages, actions, strict=True)]
        return [
            StepRecord(
                page=self._page(*page),
                action=action,
                outcome=outcome_in(outcome),
                seconds=seconds,
                usage=usage_in(usage),
            )
            for page, action, (outcome, seconds, usage) in zip(
                pages, actions, rows.of("outcome", "seconds", "usage"), strict=True
            )
        ]

    def _page(
        self, url: str, state: bytes, shot: bytes | None, tree: bytes | None, drawn: bytes | None, browser: str | None
    ) -> Shown:
        dialog, tabs, tab = browser_in(browser)
        return replace(
            Shown.of(url, self._blobs.text(state)),
            screenshot=None if shot is None else self._blobs.get(shot),
            tree="" if tree is None else self._blobs.text(tree),
            boxes=() if drawn is None else self._boxes(drawn),
            dialog=dialog,
            tabs=tabs,
            tab=tab,
            sources=self._sources(browser),
        )

    def _bare(
        self, url: str, state: bytes, shot: bytes | None, tree: bytes | None, drawn: bytes | None, browser: str | None
    ) -> Shown:
        """Return a page as checkpoints need it: unpacking boxes takes longer than the rest of an episode."""
        # Most pages have none of these, and this runs for each page of a run.
        if shot is not None:
            self._blobs.get(shot)
        if tree is not None:
            self._blobs.get(tree)
        if drawn is not None:
            self._blobs.get(drawn, boxes.WEIGHT)
        if browser:
            for digest in sources_in(browser).values():
                self._blobs.get(digest)
        return Shown(url, "", copy=self._blobs.text(state))

    def _sources(self, browser: str | None) -> SourceValues:
        read = {name: self._blobs.get(digest) for name, digest in sources_in(browser).items()}
        return SourceValues.of_packed(read) if read else NOTHING_READ

    def _boxes(self, digest: bytes) -> tuple[Box | None, ...]:
        if digest not in self._unpacked:
            self._unpacked[digest] = boxes.unpack(self._blobs.get(digest, boxes.WEIGHT))
        return self._unpacked[digest]

    def trajectory(self, rows: Rows, actions: Sequence[Action | None]) -> list[BareStep]:
        """Return the steps of an episode without their pages; `rows` are theirs, `actions` has the action of each."""
        return [
            BareStep(action, outcome_in(outcome), url, seconds, usage_in(usage), self._sources(browser))
            for action, (outcome, url, seconds, usage, browser) in zip(
                actions, rows.of("outcome", "url", "seconds", "usage", "browser"), strict=True
            )
        ]

    def closings(self, rows: Rows, *, bare: bool = False) -> dict[str, Shown]:
        """Return the evidence pages of an episode, by path; `rows` are theirs, and `bare` is as in `steps`."""
        documents = {path: (url, self._blobs.text(state)) for path, url, state in rows.of("path", "url", "state")}
        if bare:
            return {path: Shown(url, "", copy=text) for path, (url, text) in documents.items()}
        return {path: Shown.of(url, text) for path, (url, text) in documents.items()}

    def check(self, episode: Stored) -> None:
        """Check every content of an episode against its hash."""
        digests = self.contents(episode)
        # One query for the existing ones; missing ones raise below.
        self._blobs.read(digests)
        for digest in digests:
            self._blobs.get(digest)

    def contents(self, episode: Stored) -> set[bytes]:
        """Return the hashes of all contents of an episode."""
        steps, closings = episode["step"], episode["closing"]
        digests = {
            digest for row in steps.of("state", "screenshot", "tree", "boxes") for digest in row if digest is not None
        }
        # The hashes of sources are inside JSON, because a step may have any number of them.
        digests.update(digest for (text,) in steps.of("browser") for digest in sources_in(text).values())
        return digests | {digest for (digest,) in closings.of("state")}
