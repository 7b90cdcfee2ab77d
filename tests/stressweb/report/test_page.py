"""The HTML of a report: the table's figures, missing episodes, and no recorded text that a browser would run."""

import base64
import hashlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from stressweb.analysis.columns import columns
from stressweb.analysis.measures import measure
from stressweb.analysis.remarks import remarks
from stressweb.analysis.table import headline
from stressweb.core.entity import Entity
from stressweb.plugins.actions import Action
from stressweb.plugins.database import TableChange
from stressweb.plugins.observation_source import SourceValues
from stressweb.report.pack import Limits
from stressweb.report.page import GENERATOR, report
from tests.support.small_reports import PIXEL, Recorded, block, recorded, source, standard


def visible_text(text: str) -> str:
    """Return the visible text of a report before any episode is opened."""
    without_scripts = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", without_scripts)).split())


def test_claims_and_achievements_come_first() -> None:
    text = visible_text(report(source(standard())))
    assert text.index("naive said it was done in 3 of 3 episodes under remap@3; none were.") < text.index("Result")
    assert "resilient said it was done in 3 of 3 episodes under remap@3; all were." in text
    assert "went wrong at button 'Buy' ×3" in text
    assert "remap Selected controls answer to a double click." in text
    assert "Not in this run." not in text


def test_agents_have_the_names_of_the_terminal_and_full_labels_once() -> None:
    long = "mine=command(version 3f2a91c: python my_agent.py --headless)"
    episodes = [recorded(agent=agent, condition=label) for agent in (long, "naive") for label in ("clean", "remap@3")]
    text = report(source(episodes))
    assert html.unescape(text).count(long) == 0
    assert visible_text(text).count("mine: command(version 3f2a91c: python my_agent.py --headless)") == 1
    assert visible_text(text).count("naive:") == 0
    assert text.count('data-agent="mine" data-condition="remap@3"') == 2
    assert '<th scope="rowgroup">mine</th>' in text


def test_the_episodes_come_before_the_charts() -> None:
    text = report(source(standard()))
    assert text.index('id="result"') < text.index('id="episodes"') < text.index('id="list"') < text.index('id="charts"')
    assert [text.count(f'href="#{name}"') > 0 for name in ("result", "episodes", "charts")] == [True] * 3


def test_single_episodes_are_listed_and_not_drawn() -> None:
    text = report(source([recorded(task=f"{site}/a", condition="remap@3") for site in ("shop", "mail")]))
    assert 'data-chart="modes"' in text
    assert 'data-chart="sites"' not in text
    assert "Heat maps by site are left out" in visible_text(text)
    single_report = report(source([recorded(condition=label) for label in ("clean", "remap@3")]))
    assert 'data-chart="' not in single_report
    assert 'href="#charts"' not in single_report


def test_the_table_has_the_figures_of_the_terminal() -> None:
    episodes = standard()
    graded = [graded for graded, _ in episodes]
    text = report(source(episodes))
    body = re.search(r'<table class="result">(.*?)</table>', text, re.DOTALL)
    assert body
    rows = measure(graded)
    cells = [html.unescape(cell) for cell in re.findall(r"<td[^>]*>([^<]*)</td>", body[1])]
    assert cells == [column.cell(row) for row in rows for column in columns(rows)]
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', body[1])
    assert heads == [column.wide for column in columns(rows)] * 2
    assert "claimed to be done but failed / claimed to be done" in visible_text(text)
    assert headline(graded) in visible_text(text)
    assert all(remark in visible_text(text) for remark in remarks(measure(graded)))


def test_episodes_come_with_false_claims_first() -> None:
    rows = re.findall(r'<tbody id="e(\d+)"[^>]*data-verdict="(\w+)"', report(source(standard())))
    assert [number for number, _ in rows] == [str(n) for n in range(1, 13)]
    assert [verdict for _, verdict in rows] == ["failed"] * 3 + ["passed"] * 9


def test_details_show_the_whole_episode() -> None:
    goals = {("shop/buy", 0): "Buy the <blue> one."}
    text = visible_text(block(report(source([recorded()], goals=goals)), "d1"))
    for part in (
        "It claimed to be done, and was not.",
        "It said: I bought it.",
        "Buy the <blue> one.",
        "step 2 : remap met button 'Buy'",
        "✗ put it into the cart ✓ saw it",
        "bought something else: not done",
        'CLICK selector= "#buy" click_count= 2',
        "remap overcome : link 'Shop'",
        "failed: covered by div.banner",
        "Final database: goal not reached",
        "Not in the database ✗ cart a/p1: quantity is '2', not '1'",
        "Changes of the database: cart 1 added, 1 altered",
        "id quantity + added 1 – → altered 2 1 → 3",
        '"added": [',
    ):
        assert re.sub(r"\s*([:=,])\s*", r"\1", part) in re.sub(r"\s*([:=,])\s*", r"\1", text)
    details = block(report(source([recorded()])), "d1")
    assert re.findall(r'<li id="(e1-\d)" class="wrong"', details) == ["e1-2"]


def test_an_element_is_named_in_words_and_its_selector_is_there_on_demand() -> None:
    html = """<html><body><a class="first" href="/x" aria-label='&lt;script>alert(1)&lt;/script>'>x</a></body></html>"""
    details = block(report(source([recorded(html=html)])), "d1")
    assert '<b>CLICK</b> <span class="element">link &#34;&lt;script&gt;alert(1)' in details
    assert '<details class="selector"><summary>selector</summary><code>a.first</code></details>' in details
    assert "<script" not in details


def test_a_swallowed_click_is_not_called_done() -> None:
    stressed, clean = (block(report(source([recorded(condition=label)])), "d1") for label in ("remap@3", "clean"))
    assert '<span class="warn">clicked, no effect</span>' in stressed
    assert "no effect" not in clean
    assert '<span class="ok">done</span>' in clean


def test_the_same_run_gives_the_same_file() -> None:
    assert report(source(standard())) == report(source(standard()))


def test_an_unfinished_run_says_how_much_is_missing() -> None:
    assert "not finished" not in visible_text(report(source(standard())))
    text = visible_text(report(source(standard(), missing=5)))
    assert "This run is not finished: 5 of 17 episodes are missing." in text
    assert "12 of 17 episodes" in text


def test_a_run_without_episodes_is_reported_too() -> None:
    text = visible_text(report(source([], missing=3)))
    assert "3 of 3 episodes are missing" in text
    assert "No episode is finished." in text


def test_errors_are_shown_and_kept_out_of_rates() -> None:
    broken = recorded(task="shop/task-9", status="error", claim="none", message="the browser crashed")
    text = report(source([*standard(), broken]))
    assert "1 episode ended in an error" in visible_text(text)
    assert "naive said it was done in 3 of 3 episodes under remap@3" in visible_text(text)
    assert "said done in 3 of 3, done in 0, 1 in error" in visible_text(text)
    assert "What failed: the browser crashed" in visible_text(block(text, "d4"))


def test_disputed_episodes_are_shown_with_both_sides() -> None:
    """The checkpoints pass and the verdict is negative: a failure that is marked as disputed."""
    graded, record = recorded(success=True, disputed=True)
    text = report(source([(graded, record)]))
    assert re.findall(r'<tbody id="e1"[^>]*data-verdict="(\w+)"', text) == ["disputed"]
    assert "≠ disputed" in visible_text(text)
    assert ">disputed</th>" in text
    details = visible_text(block(text, "d1"))
    assert (
        "Disputed: checkpoints and database contradict each other; it counts as failed. It claimed to be done."
        in details
    )
    assert "Checkpoints: goal reached (2 of 2 passed). Final database: goal not reached." in details
    assert "naive said it was done in 1 of 1 episode under remap@3; it was not." in visible_text(text)


def test_a_report_has_bounds_flips_pass_k_and_exposure_of_each_mode() -> None:
    label = "noise@2+remap@3"
    episodes = [
        recorded(task=f"shop/task-{task}", condition=condition, epoch=epoch, status="error" if (task, epoch) == (0, 1) and condition == label else "done")
        for task in range(6)
        for epoch in (0, 1)
        for condition in ("clean", label)
    ]  # fmt: skip
    met = {"noise": True, "remap": False}
    episodes = [
        (graded.model_copy(update={"exposed": met}) if graded.exposed else graded, record)
        for graded, record in episodes
    ]
    text = report(source(episodes))
    text_shown = visible_text(text)
    assert "bounds: −100 to −92" in text_shown
    assert "flips 0 %" in text_shown
    assert "pass^2" in text_shown
    assert f"naive {label}: noise 11/11, remap 0/11" in text_shown
    assert "Exposed: noise yes, remap no." in visible_text(block(text, "d1"))


def test_omitted_pages_are_reported_and_successes_are_omitted_first() -> None:
    episodes = standard()
    room = len(report(source(episodes)))
    for _, record in episodes:
        record.steps[0] = recorded(picture=PIXEL)[1].steps[0]
    full = report(source(episodes))
    assert full.count(base64.b64encode(PIXEL).decode()) == 1
    block(full, "p12")
    page_length = len(re.findall(r'id="p1">([^<]*)<', full)[0])
    smaller_report = report(source(episodes), Limits(pages=3 * page_length + 10, pictures=0))
    assert "the recorded pages of 9 episodes are not in it" in visible_text(smaller_report)
    assert "1 pictures are not in it" in visible_text(smaller_report)
    assert len(smaller_report) < room
    block(smaller_report, "p3")
    assert 'id="p4"' not in smaller_report
    assert "page left out" in block(smaller_report, "d4")
    assert "picture left out" in block(smaller_report, "d1")
    assert "page left out" not in block(smaller_report, "d1")


EVIL = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</iframe><img src=x onerror=alert(3)>",
    '"><svg onload=alert(4)>',
    "' onmouseover='alert(5)",
    "javascript:alert(6)",
    "{{ 7 * 7 }}",
    "<!--",
    "\0\ud800\u2028",
]


def task_of(text: str) -> str:
    """Return a task name with `text`, without surrogates and control characters."""
    return f"shop/{re.sub('[\x00-\x1f\x7f-\x9f\ud800-\udfff]', '?', text)}"


def evil(text: str) -> Recorded:
    """Return an episode with `text` in every recorded field."""
    printable = text.encode(errors="replace").decode()
    action = Action(kind="CLICK", selector=printable, text=printable, reasoning=printable)
    row = Entity({text: text})
    final = {text: TableChange((text,), (row,), (row,), ((row, Entity({text: f"{text}!"})),))}
    graded, record = recorded(
        task=task_of(text), message=printable, action=action, html=text, element=text, final=final
    )
    assert record.grade
    record.grade.passed[text] = False
    record.grade.harms[text] = True
    record.closings[text] = record.steps[0].page
    read = SourceValues({printable: printable, "rows": [{printable: printable}]})
    record.steps[0] = replace(record.steps[0], page=replace(record.steps[0].page, sources=read))
    return graded, record


class Elements(HTMLParser):
    """Collects the names of elements and attributes, without the contents of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {tag, *(f"{tag}[{name}]" for name, _ in attrs)}
        leading = [value or "" for name, value in attrs if name in ("href", "src", "srcdoc", "action")]
        assert all(value.startswith(("#", "data:,")) for value in leading)


@settings(max_examples=25, deadline=None)
@given(st.one_of(st.sampled_from(EVIL), st.text(max_size=40)))
def test_nothing_recorded_becomes_markup(text: str) -> None:
    tame, wild = (report(source([evil(word)], goals={(task_of(word), 0): word})) for word in ("tame", text))
    assert Elements(wild).names == Elements(tame).names
    assert Elements(block(wild, "d1")).names == Elements(block(tame, "d1")).names
    assert wild.count("<script") == tame.count("<script")


def test_its_own_scripts_alone_may_run_and_nothing_may_be_fetched() -> None:
    text = report(source(standard()))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    rules = html.unescape(policy[1])
    assert rules.startswith("default-src 'none'; ")
    assert "script-src 'sha256-" in rules
    assert not {"'unsafe-eval'", "http:", "https:", "*"} & set(rules.replace(";", "").split())
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    for code in (script, block(text, "library")):
        assert base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() in rules
    assert rules.count("'sha256-") == 2
    assert re.findall(r"<(?:link|img|iframe|script)[^>]+(?:src|href)=\"([^\"]*)", text) == ["data:,"]
    assert GENERATOR in text[:4096]


def test_an_episode_shows_why_it_failed() -> None:
    episodes = standard()
    (_, failed), (_, another_record) = episodes[1], episodes[0]
    cause = "caused by: failure of button 'Buy', 1st attempt"
    text = report(source(episodes, causes={failed.cell.key: [cause]}))
    details_by_name = {name: html.unescape(block(text, name)) for name in re.findall(r'id="(d[0-9]+)"', text)}
    assert [name for name, details in details_by_name.items() if cause in details] == [
        name for name, details in details_by_name.items() if "<h4>Cause</h4>" in details
    ]
    assert sum(cause in details for details in details_by_name.values()) == 1
    assert another_record.cell.key != failed.cell.key
