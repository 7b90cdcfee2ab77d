"""The benchmark tables of the documents."""

from scripts.bench.cpu import Shares
from scripts.bench.episodes import Measured
from scripts.bench.figure import Figure
from scripts.bench.parts import Part
from scripts.docs import benched, markers

EPISODES = Measured(
    [Figure("episode / bare", 1.5, "x", 1.25, "3 s against 2 s")],
    [Part("actions", 75.0, 90.0, 50.0), Part("total", 100.0, 120.0, 50.0)],
    [Shares(12.0, 2.0, 1.0), Shares(13.0, 2.0, 1.0), Shares(8.0, 1.0, 1.0)],
    reads=0.5,
)
OTHERS = [Figure("memory", 73.4, "MiB", 110.0, "32 in flight"), Figure("a click", 0.05, "s")]


def test_every_table_has_a_place_in_the_documents() -> None:
    places = [name for path in markers.documents() for name in markers.read(path.read_text("utf-8"))]
    assert [places.count(name) for name in benched.tables(EPISODES, OTHERS)] == [1, 1, 1]


def test_the_tables_have_targets_and_shares() -> None:
    tables = benched.tables(EPISODES, OTHERS, 2)
    assert tables["bench-episodes"].splitlines()[2] == "| episode / bare | 1.50 x | 1.25 | 3 s against 2 s |"
    assert tables["bench-parts"].splitlines()[2:] == [
        "| actions | 75 | 75% | 90 | 75% | 50 |",
        "| total | 100 | 100% | 120 | 100% | 50 |",
    ]
    assert tables["bench-others"].splitlines() == [
        "| measured on 2 cores | value | target | from |",
        "| --- | --- | --- | --- |",
        "| memory | 73 MiB | 110 | 32 in flight |",
        "| a click | 0.050 s | – |  |",
    ]


def test_the_rest_and_the_browsers_own_cost_are_stated() -> None:
    rest, _, text = benched.limit(EPISODES).partition("\n\n")
    # Half a read of 24 ms each, of 50 ms.
    assert rest.startswith("In wall time, 0.24 x is rest: before each of the 0.5 reads, an episode waits 24 ms ")
    assert text.startswith("Of the 1.50 x in CPU time, the browser's own work is 1.20 x: it works 1.50 times as long ")
    assert text.endswith("would still cost 1.20 x.")
