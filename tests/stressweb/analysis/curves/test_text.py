"""The printed curves: they fit the width, cut off no figure, and name missing figures."""

import pytest

from stressweb.analysis.curves.sections import sections
from tests.stressweb.analysis.curves.printed_curves import PRICES, printed
from tests.stressweb.analysis.curves.small_runs import curves, severity_run, site_episode
from tests.stressweb.analysis.curves.whole_run import growing, whole

DOSE = """\
 naive · remap
         success vs clean these sites [95 %] all severities retention
 clean     100 %        –
 remap@1    83 %      −17         [−42, +14]     [−49, +20]      83 %
 remap@2    67 %      −33          [−61, +3]     [−68, +11]      67 %
 remap@3    50 %      −50          [−77, −9]      [−85, −1]      50 %
 remap@4    33 %      −67         [−91, −23]     [−99, −15]      33 %
 remap@5    17 %      −83        [−100, −39]    [−100, −32]      17 %
 tolerance: severity 1.2; these sites [< 1, 3.4]
 mean difference: −50; these sites [−71, −14]
 trend: success falls from severity 1 to 5 (Page's L 590, p <.001, adjusted
 <.001; 8 of 12 tasks decide)
"""


def test_a_curve_at_80_columns() -> None:
    lines = [line.rstrip() for line in printed(severity_run(growing)).splitlines()]
    assert DOSE in "\n".join(lines) + "\n"


RESULTS = """\
 naive · results
         check- reten-       extra claimed /          with         longest
         points   tion steps steps    actual ratio repeats repeats     row
 clean    100 %      –   8.0     –       2/2   1.0     0 %       0       0
 remap@1   63 %   50 %   6.5  −1.5       2/1   2.0    50 %       4       3
"""


def test_the_papers_figures_are_in_one_table_at_80_columns() -> None:
    episodes = [
        site_episode(0, "clean", True, steps=8),
        site_episode(1, "clean", True, steps=8),
        site_episode(0, "remap@1", True, steps=10),
        site_episode(1, "remap@1", False, steps=3, repeats=4, longest_repeat=3),
    ]
    lines = [line.rstrip() for line in printed(episodes).splitlines()]
    assert RESULTS in "\n".join(lines) + "\n"


@pytest.mark.parametrize("width", [80, 100, 140])
def test_every_section_fits_and_no_figure_is_cut(width: int) -> None:
    text = printed(whole(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    words = set(text.split())
    for section in sections(curves(whole(), PRICES)):
        assert section.title in text
        for name, *cells in section.rows:
            assert all(
                {part, part.removeprefix("+")} & words for cell in (*name.split("+"), *cells) for part in cell.split()
            ) or ("+" in name and f"+{name.split('+')[1]}" in words)


def test_missing_figures_are_named_below() -> None:
    text = " ".join(printed(severity_run(growing, severities=(3,))).split())
    assert "One severity only (remap@3): no trend and no tolerance" in text
    assert "No pair of modes was run" in text
    assert "tolerance:" not in text


def test_columns_are_explained_once_if_asked() -> None:
    assert "Page's test, one-sided" not in printed(whole())
    text = " ".join(printed(whole(), explain=True).split())
    assert text.count("Page's test, one-sided") == 1
    assert "pass^k: chance that k episodes of a task all succeed" in text


def test_new_sites_are_named_where_there_are_enough() -> None:
    assert "new sites [" in printed(whole())
    assert "new sites [" not in printed(severity_run(growing))
