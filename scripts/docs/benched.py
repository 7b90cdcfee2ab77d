"""The tables of the costs of an episode for the documents, as measured by `make bench`."""

from collections.abc import Mapping, Sequence

from scripts.bench.bench import parts_rows, value
from scripts.bench.episodes import Measured, measure_sample
from scripts.bench.figure import Figure
from scripts.bench.in_flight import measure_in_flight
from scripts.bench.long_page import measure_long_page
from scripts.bench.observing import measure_observing
from scripts.docs.markdown import table
from stressweb.core.cores import cores
from stressweb.runner.browser.settle import REST_MS

ROUNDS = 5


def benched(rounds: int = ROUNDS) -> Mapping[str, str]:
    """Measure episodes, many concurrent episodes, a long page and the observer, and return the tables."""
    others = [*measure_in_flight(), *measure_long_page(rounds), measure_observing(rounds)]
    return tables(measure_sample(rounds), others)


def tables(episodes: Measured, others: Sequence[Figure], core_count: int | None = None) -> dict[str, str]:
    """Return the tables of measurements on so many cores, by default those of this machine."""
    head = ("where the time of an episode goes", "ms", "share", "with pictures, ms", "share", "bare script, ms")
    return {
        "bench-episodes": f"{figures(episodes.figures, core_count)}\n\n{limit(episodes)}",
        "bench-parts": table(head, parts_rows(episodes.parts)),
        "bench-others": figures(others, core_count),
    }


def figures(measured: Sequence[Figure], core_count: int | None = None) -> str:
    """Return figures with their targets as a Markdown table."""
    rows = [
        (figure.name, value(figure), "–" if figure.target is None else f"{figure.target:g}", figure.detail)
        for figure in measured
    ]
    return table((f"measured on {core_count or cores()} cores", "value", "target", "from"), rows)


def limit(episodes: Measured) -> str:
    """Return text about the least cost of an episode: the rest before reads, and the browser's own work."""
    plain, bare = episodes.shares[0], episodes.shares[-1]
    browser, whole = plain.browser / sum(bare), sum(plain) / sum(bare)
    longer = plain.browser / bare.browser
    rest = episodes.reads * REST_MS / episodes.parts[-1].bare
    return (
        f"In wall time, {rest:.2f} x is rest: before each of the {episodes.reads:.1f} reads, an episode waits "
        f"{REST_MS} ms in which the page may still change, and a bare script does not.\n\n"
        f"Of the {whole:.2f} x in CPU time, the browser's own work is {browser:.2f} x: it works {longer:.2f} times as "
        f"long as under the bare script. An episode whose worker and driver took no time at all would still cost "
        f"{browser:.2f} x."
    )
