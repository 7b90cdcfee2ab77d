"""Heat maps have the figures of each site with n, in distinguishable colours with readable text."""

import re
from collections.abc import Callable
from itertools import combinations

import pytest

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.report.assets import STATIC
from stressweb.report.chart import Chart
from stressweb.report.heat_maps import heat_maps
from tests.support.small_reports import recorded

type Colour = tuple[float, float, float]


def drawn(episodes: list[Graded]) -> dict[str, Chart]:
    return {chart.name: chart for chart in heat_maps(measure(episodes), episodes)}


def episode(task: str, condition: str, steps: int, *, success: bool) -> Graded:
    return recorded(task=task, condition=condition, success=success)[0].model_copy(update={"steps": steps})


def two_sites() -> list[Graded]:
    """Return three shop tasks, one of which survives remap, and an unsolved mail task."""
    episodes = []
    for n in range(3):
        episodes += [
            episode(f"shop/{n}", "clean", 4, success=True),
            episode(f"shop/{n}", "remap@3", 4 + n, success=n == 0),
        ]
    return [*episodes, episode("mail/0", "clean", 5, success=False), episode("mail/0", "remap@3", 3, success=False)]


def repeated(task: str, condition: str, times: int, *, success: bool) -> list[Graded]:
    return [recorded(task=task, condition=condition, success=success, epoch=epoch)[0] for epoch in range(times)]


def test_success_is_shown_by_site() -> None:
    episodes = [
        *repeated("shop/a", "remap@3", 2, success=False),
        *repeated("mail/a", "remap@3", 3, success=True),
        *repeated("mail/b", "clean", 1, success=True),
    ]
    (naive,) = drawn(episodes)["sites"].spec["data"]
    assert (naive["x"], naive["y"]) == (["mail", "shop"], ["clean", "remap@3"])
    assert naive["text"] == [["1/1", "–"], ["3/3", "0/2"]]
    # A single episode has the middle colour.
    assert naive["z"] == [[50.0, None], [100.0, 0.0]]


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_map_of_single_episodes_is_not_drawn(epochs: int) -> None:
    episodes = [
        episode
        for site in ("mail", "shop", "notes")
        for label in ("clean", "remap@3")
        for episode in repeated(f"{site}/a", label, epochs, success=label == "clean")
    ]
    assert set(drawn(episodes)) == (set() if epochs == 1 else {"sites"})


def test_a_map_is_drawn_if_at_least_half_of_its_cells_have_more_than_one_episode() -> None:
    few = [*repeated("mail/a", "remap@3", 2, success=True), *repeated("shop/a", "remap@3", 1, success=True)]
    assert set(drawn(few)) == {"sites"}
    assert set(drawn([*few, *repeated("notes/a", "remap@3", 1, success=True)])) == set()


def test_retention_and_extra_steps_have_their_n_and_no_row_for_clean() -> None:
    maps = drawn(two_sites())
    (retention,), (steps,) = maps["retention"].spec["data"], maps["extra-steps"].spec["data"]
    assert retention["y"] == steps["y"] == ["remap@3"]
    # Mail has no clean success, so it has no retention.
    assert retention["text"] == [["–<br>n=1", "33 %<br>n=3"]]
    assert retention["z"] == [[None, pytest.approx(100 / 3)]]
    assert (retention["zmin"], retention["zmax"]) == (0.0, 100.0)
    assert steps["text"] == [["−2.0<br>n=1", "+1.0<br>n=3"]]
    assert steps["z"] == [[0.0, 1.0]]
    assert (steps["zmin"], steps["zmax"]) == (-2.0, 2.0)


def test_tables_of_heat_maps_have_the_same_numbers() -> None:
    rows = {name: chart.table.rows for name, chart in drawn(two_sites()).items() if chart.table}
    (mail, shop) = rows["retention"]
    assert mail == ("naive", "mail", "remap@3", None, 0.0, 1)
    assert (*shop[:3], shop[-1]) == ("naive", "shop", "remap@3", 3)
    assert shop[3:-1] == pytest.approx((100 / 3, -200 / 3))
    assert [row[3:] for row in rows["extra-steps"]] == [(-2.0, 3.0, 1), (1.0, 5.0, 3)]
    assert [row[1:4] for row in rows["sites"]] == [
        ("mail", "clean", 0.0),
        ("mail", "remap@3", 0.0),
        ("shop", "clean", 100.0),
        ("shop", "remap@3", pytest.approx(100 / 3)),
    ]


def test_without_clean_episodes_there_is_no_retention() -> None:
    assert set(drawn(repeated("shop/a", "remap@3", 2, success=True))) == {"sites"}


def test_many_sites_have_the_whole_width_and_room_for_their_numbers() -> None:
    episodes = [
        recorded(task=f"site-{n:02}/{task}", condition=label)[0]
        for n in range(12)
        for task in "ab"
        for label in ("clean", "remap@3")
    ]
    chart = drawn(episodes)["retention"]
    assert chart.wide
    assert chart.least >= 12 * 40


def channel(level: float) -> float:
    return level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4


def linear(code: str) -> Colour:
    red, green, blue = (channel(int(code[start : start + 2], 16) / 255) for start in (1, 3, 5))
    return red, green, blue


def contrast(a: Colour, b: Colour) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it."""
    high, low = sorted((0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (a, b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes 2009, table 1, severity 1: vision without one kind of cone.
LACKING = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(kind: str, colour: Colour) -> Colour:
    red, green, blue = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in LACKING[kind])
    return red, green, blue


def lab(colour: Colour) -> Colour:
    """Return a colour in OKLab (Ottosson 2020), where a distance of 0.02 is just noticeable."""
    red, green, blue = (max(0.0, level) for level in colour)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def palette(scheme: int) -> dict[str, Colour]:
    css = (STATIC / "report.css").read_text(encoding="utf-8")
    definitions = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", css)
    return {name: linear(pair[scheme]) for name, *pair in definitions}


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_numbers_can_be_read_on_every_colour(scheme: int) -> None:
    colours = palette(scheme)
    for name in ("heat-0", "heat-1", "heat-2"):
        assert contrast(colours["ink"], colours[name]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("kind", [None, *LACKING])
def test_the_ends_and_the_middle_are_distinguishable_with_colour_blindness(scheme: int, kind: str | None) -> None:
    look: Callable[[Colour], Colour] = (lambda colour: seen(kind, colour)) if kind else (lambda colour: colour)
    ends = [lab(look(palette(scheme)[name])) for name in ("heat-0", "heat-1", "heat-2")]
    for a, b in combinations(ends, 2):
        assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 >= 0.06
