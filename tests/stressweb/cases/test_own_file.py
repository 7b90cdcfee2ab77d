"""Files of a user's own test cases: their formats, the lines of mistakes, and round trips."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.cases.own_case import OwnCase, OwnStep
from stressweb.cases.own_file import read_own_cases
from stressweb.cases.own_writing import as_blocks, as_table, as_yaml
from stressweb.cases.sheet import cell_of, text_of
from stressweb.core.errors import UserError
from stressweb.core.verdict import Truth, verdict_in

SITES = ("calendar", "shop")
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "testers.md"
UNKNOWN = Truth(verdict="unknown")

BLOCKS = """\
site,shop
>,"TC-2-F :: Empty the cart with one button",,Fail
#,Actions,Expected Result,Expected Failure
1,Open http://shop.local:7770/,The home page with a cart link is shown,
2,"Press the ""Empty cart"" button",The cart counter shows 0,"no such button in the application"

,TC-3-P :: Look :: twice,,
1.,Open the home page,
"""
TABLE = """\
Test plan of the spring;;;;;
Case;Title;Step;Action;Expected Result;Status;Cause;Author
Log in#F1;Log in;1;Open "Log in";"Two fields; a button";passed;;Ann
;;2;Press "Log in";"You are
signed in";FAIL;Assertion;
cases/shop/look;;;Open Home;;;;
"""
YAML = """\
- id: cases/shop/my-own
  steps:
    - {action: 'Open "Evening Lights"', expected: The list shows lamps}
    - action: Look
  truth: {verdict: fail, step: 2, cause: assertion, operator: wrong_count}
- id: cases/calendar/my-own
  title: Mine
  start: /week
  seed: 3
  steps: [{action: Look}]
"""


def case(
    task: str, title: str, *steps: tuple[str, str], truth: Truth = UNKNOWN, start: str = "/", seed: int = 0
) -> OwnCase:
    own_steps = tuple(OwnStep(action=action, expected=expected) for action, expected in steps)
    return OwnCase(id=task, title=title, steps=own_steps, truth=truth, start=start, seed=seed)


EMPTY_CART = case(
    "cases/shop/tc-2#F", "Empty the cart with one button",
    ("Open http://shop.local:7770/", "The home page with a cart link is shown"),
    ('Press the "Empty cart" button', "The cart counter shows 0"),
    truth=Truth(verdict="fail", step=2),
)  # fmt: skip
LOG_IN = case(
    "cases/shop/log-in#F1", "Log in", ('Open "Log in"', "Two fields; a button"), ('Press "Log in"', "You are\nsigned in"),
    truth=Truth(verdict="fail", step=2, cause="assertion"),
)  # fmt: skip


def read(folder: Path, name: str, content: str | bytes) -> list[OwnCase]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [placed.case for placed in read_own_cases(path, SITES)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_blocks(tmp_path: Path, separator: str, encoding: str, line_end: str) -> None:
    content = BLOCKS.replace(",", separator).replace("\n", line_end).encode(encoding)
    look = case("cases/shop/tc-3", "Look :: twice", ("Open the home page", ""), truth=Truth(verdict="pass"))
    assert read(tmp_path, "mine.csv", content) == [EMPTY_CART, look]


def test_a_file_named_like_a_site_needs_no_site_row(tmp_path: Path) -> None:
    assert read(tmp_path, "Shop.csv", BLOCKS.removeprefix("site,shop\n"))[0] == EMPTY_CART


def test_rows_above_a_block_apply_until_they_change(tmp_path: Path) -> None:
    more = "seed,3\nstart,/cart\n>,TC-4-P :: A\n1,Look\n>,TC-5-P :: B\n1,Look\nsite,calendar\n>,TC-5-P :: C\n1,Look\n"
    read_cases = read(tmp_path, "mine.csv", BLOCKS + more)[2:]
    assert [(own.id, own.seed, own.start) for own in read_cases] == [
        ("cases/shop/tc-4", 3, "/cart"), ("cases/shop/tc-5", 3, "/cart"), ("cases/calendar/tc-5", 3, "/cart"),
    ]  # fmt: skip


def test_a_plain_table(tmp_path: Path) -> None:
    assert read(tmp_path, "shop.csv", TABLE) == [LOG_IN, case("cases/shop/look", "", ("Open Home", ""))]


def test_a_plain_table_by_titles_and_sites(tmp_path: Path) -> None:
    table = (
        "SITE,title,action,expected,verdict\nshop,Über-Größe!,Look,,pass\n,Über-Größe!,See,It,pass\ncalendar,B,Look,,\n"
    )
    assert read(tmp_path, "mine.csv", table) == [
        case("cases/shop/über-größe", "Über-Größe!", ("Look", ""), ("See", "It"), truth=Truth(verdict="pass")),
        case("cases/calendar/b", "B", ("Look", "")),
    ]


def test_yaml(tmp_path: Path) -> None:
    mine, calendar_case = read(tmp_path, "mine.yaml", b"\xef\xbb\xbf" + YAML.encode())
    truth = Truth(verdict="fail", step=2, cause="assertion", operator="wrong_count")
    assert mine == case(
        "cases/shop/my-own", "", ('Open "Evening Lights"', "The list shows lamps"), ("Look", ""), truth=truth
    )
    assert calendar_case == case("cases/calendar/my-own", "Mine", ("Look", ""), start="/week", seed=3)
    assert (mine.name, mine.kind, calendar_case.kind) == ("My own", "own, failing", "own, unknown")


def test_a_separator_inside_a_text_does_not_decide(tmp_path: Path) -> None:
    table = "case;action;expected\na;Press, action, now;\nb;TC-1-P, :: x;\n"
    assert [own.steps[0].action for own in read(tmp_path, "shop.csv", table)] == ["Press, action, now", "TC-1-P, :: x"]


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv:1: has no row that names the columns"),
        ("a.csv", "hello\nworld\n", "a.csv:1: has no row that names the columns"),
        ("shop.csv", "case,action,expected\n", "shop.csv:1: holds no test case"),
        ("shop.csv", "case,step,action\n", "shop.csv:1: column expected is missing; there are case, step, action"),
        ("shop.csv", 'step,"action",expected,"a\nb"\n', "shop.csv:1: column case or title is missing; there are step, action, "),
        ("shop.csv", "step,action,expected\n1,a,b\n", "shop.csv:1: column case or title is missing"),
        ("shop.csv", "case,action,exepcted\na,b,c\n", "shop.csv:1: column 'exepcted' is not known; did you mean expected?"),
        ("shop.csv", "case,id,action,expected\n", "shop.csv:1: two columns are case, 'id' is the second"),
        ("shop.csv", "case,action,expected\n,b,c\n", "shop.csv:2: belongs to no case; fill case in this row"),
        ("shop.csv", "case,action,expected\na,b,c,d\n", "shop.csv:2: this row has 4 cells, and the table 3"),
        ("shop.csv", "case,action,expected\n\na,b,c\na,,d\n", "shop.csv:4: test case 'cases/shop/a': step 2: action is empty"),
        ("shop.csv", "case,action,expected\n!,b,c\n", "shop.csv:2: test case '!' has no letter and no digit"),
        ("shop.csv", "case,action,expected\na,b,\nb,b,\na,b,\n", "shop.csv:4: cases/shop/a: two test cases have this id"),
        ("shop.csv", "case,action,expected\na,b,\x00c\n", "step 1: expected holds a control character"),
        ("shop.csv", 'case,action,expected\na,"b,\nc\n', "shop.csv:2: a quotation mark opens in this row and is never closed"),
        ("shop.csv", 'case,action,expected\na,"b"c,\n', "shop.csv:2: a quotation mark inside a text stands alone"),
        ("shop.csv", "case,seed,action,expected\na,x,b,c\n", "shop.csv:2: test case 'cases/shop/a': seed is 'x'; it takes a whole"),
        ("shop.csv", "case,start,action,expected\na,cart,b,c\n", "shop.csv:2: test case 'cases/shop/a': start 'cart' is no path"),
        ("mine.csv", "case,action,expected\na,b,c\n", "mine.csv:2: test case 'a' names no site; add a column `site`, or call"),
        ("mine.csv", "site,case,action,expected\nshp,a,b,c\n", "mine.csv:2: cases/shp/a: unknown site 'shp'; did you mean shop"),
        ("mine.csv", "site,case,action,expected\nshop,cases/calendar/a,b,c\n", "mine.csv:2: test case 'cases/calendar/a' is not of"),
        ("mine.csv", "site,case,action,expected\nshop,a,b,c\ncalendar,a,b,c\n", "mine.csv:3: site is 'calendar', and 'shop' in"),
        ("shop.csv", "case,action,expected\ncases/shop/A b,b,c\n", "shop.csv:2: test case 'cases/shop/A b': id 'cases/shop/A b' is no"),
        ("shop.csv", edited(TABLE, ";2;", ";3;"), "shop.csv:4: test case 'Log in#F1': step '3' stands where step 2 is due"),
        ("shop.csv", edited(TABLE, "FAIL", "red"), "shop.csv:4: unknown verdict 'red'; there are pass, fail, not run"),
        ("shop.csv", edited(TABLE, "Assertion", "both"), "shop.csv:4: unknown cause 'both'; there are action, assertion"),
        ("shop.csv", edited(TABLE, "FAIL", "pass"), "shop.csv:4: has a cause, and its verdict is not `fail`"),
        ("shop.csv", edited(TABLE, "FAIL;Assertion", ";"), "shop.csv:4: test case 'Log in#F1': step 2 has no verdict"),
        ("shop.csv", edited(TABLE, "passed", "fail"), "shop.csv:4: test case 'Log in#F1': step 2 has a verdict, and step 1"),
        ("mine.csv", BLOCKS.removeprefix("site,shop\n"), "mine.csv:1: test case 'TC-2#F' names no site; write a row such as"),
        ("mine.csv", edited(BLOCKS, "site,shop", "site,shops"), "mine.csv:2: cases/shops/tc-2#F: unknown site 'shops'; did you"),
        ("mine.csv", edited(BLOCKS, "TC-2-F", "TC-2-X"), "mine.csv:2: title 'TC-2-X :: Empty the cart with one button' is not"),
        ("mine.csv", edited(BLOCKS, "TC-2-F", "TC-2-P"), "mine.csv:5: test case 'TC-2' passes; clear this reason"),
        ("mine.csv", edited(BLOCKS, "is shown,\n2", "is shown,why\n2"), "mine.csv:5: test case 'TC-2#F' fails at two steps"),
        ("mine.csv", edited(BLOCKS, "TC-3-P", "TC-3-F"), "mine.csv:7: test case 'TC-3#F' fails, and no step says why"),
        ("mine.csv", edited(BLOCKS, "TC-3-P", "TC-2-P") + ">,TC-2-P :: B\n1,Look\n", "mine.csv:9: cases/shop/tc-2: two test cases"),
        ("mine.csv", edited(BLOCKS, "1.,Open", "?,Open"), "mine.csv:8: is no row of a block"),
        ("mine.csv", edited(BLOCKS, "1.,Open the home page,", ""), "mine.csv:7: test case 'cases/shop/tc-3' has no step"),
        ("mine.csv", edited(BLOCKS, "2,\"Press", "3,\"Press"), "mine.csv:5: test case 'TC-2#F': step '3' stands where step 2 is due"),
        ("mine.csv", edited(BLOCKS, "page,\n", "page, and, then, look\n"), "mine.csv:8: this row has 5 cells, and the table 4"),
        ("a.yaml", "", "a.yaml:1: file: it takes a list"),
        ("a.yaml", "[]", "a.yaml:1: holds no test case"),
        ("a.yaml", "- id: [", "a.yaml:2: did not find"),
        ("a.yaml", "[" * 50_000 + "]" * 50_000, "a.yaml:1: is nested deeper than 64 levels"),
        ("a.yaml", edited(YAML, "step: 2", "step: 3"), "a.yaml:5: 0.truth: step 3 fails, and there are 2 steps"),
        ("a.yaml", edited(YAML, "step: 2, cause: assertion, ", ""), "a.yaml:5: 0.truth: a case that fails needs the step"),
        ("a.yaml", edited(YAML, "cause: assertion", "cause: both"), "a.yaml:5: 0.truth.cause: "),
        ("a.yaml", edited(YAML, "- action: Look", "- action: ''"), "a.yaml:4: 0.steps.1.action: is empty"),
        ("a.yaml", edited(YAML, "- action: Look", "- expected: Look"), "a.yaml:4: 0.steps.1.action: is missing"),
        ("a.yaml", edited(YAML, "  title: Mine", "  titel: Mine"), "a.yaml:7: 1.titel: is no known name"),
        ("a.yaml", edited(YAML, "calendar/my-own", "shop/my-own"), "a.yaml:6: cases/shop/my-own: two test cases have this id"),
        ("a.yaml", edited(YAML, "cases/calendar", "cases/calender"), "a.yaml:6: cases/calender/my-own: unknown site 'calender'"),
        ("a.yaml", edited(YAML, "cases/calendar/my-own", "my own"), "a.yaml:6: 1.id: 'my own' is no id of a test case"),
        ("a.yaml", edited(YAML, "start: /week", "start: //x"), "a.yaml:8: 1.start: '//x' is no path on the site"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        read(tmp_path, name, content)
    assert f"{tmp_path}/" in str(raised.value)
    assert message in str(raised.value).replace(f"{tmp_path}/", "")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "case,action,expected\na,Café,\n".encode("cp1252"),
            r"shop\.csv:2: is not UTF-8 \(byte 0xe9\); save the file as",
        ),
        (TABLE.encode("utf-16"), r"shop\.csv:1: is not UTF-8"),
        (b"x" * 50_000_000, r"shop\.csv: has 50\.0 MB, and at most 5 MB are read; split it"),
    ],
)
def test_invalid_encodings_and_large_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, "shop.csv", content)


# Anything that a text may contain: quotes, separators, line breaks of every kind, and syntax of the other formats.
ODD = ["\"", "'", "' ", ",", ";", "\t", "\n", "\r\n", "\r", "\u2028", "\x85", "\ufeff", "=1+1", "-", "+", "@", "::", "action", "é",
       "TC-1-P :: x", "site", "- a: b", "#", "on", "null", "3", "{", "\U0001f6d2", ">"]  # fmt: skip
_LETTERS = st.characters(exclude_categories=["Cc", "Cs", "Cn"])
TEXTS = st.lists(st.one_of(st.sampled_from(ODD), st.text(_LETTERS, max_size=3)), max_size=5).map("".join)


@st.composite
def cases(draw: st.DrawFn, truths: tuple[str, ...] = ("pass", "fail", "unknown")) -> OwnCase:
    steps = draw(
        st.lists(st.fixed_dictionaries({"action": TEXTS.filter(str.strip), "expected": TEXTS}), min_size=1, max_size=4)
    )
    verdict = draw(st.sampled_from(truths))
    failing = draw(st.integers(1, len(steps))) if verdict == "fail" else None
    return OwnCase.model_validate(
        {
            "id": draw(st.from_regex(r"cases/(shop|calendar)/(a|b-1|ü)(#F[1-3])?", fullmatch=True)),
            "title": draw(TEXTS),
            "start": draw(st.sampled_from(["/", "/cart?a=1,2"])),
            "seed": draw(st.integers(0, 3)),
            "steps": steps,
            "truth": {
                "verdict": verdict,
                "step": failing,
                "cause": draw(st.sampled_from([None, "action", "assertion"])) if failing else None,
                "operator": draw(st.sampled_from(["", "wrong_count"])) if failing else "",
            },
        }
    )


def unique(own_cases: Iterable[OwnCase]) -> list[OwnCase]:
    return [*{own.id: own for own in own_cases}.values()]


@pytest.mark.parametrize(("name", "write"), [("mine.csv", as_table), ("mine.yaml", as_yaml)])
@given(data=st.data())
def test_written_cases_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, write: Callable[[Iterable[OwnCase]], str], data: st.DataObject
) -> None:
    written = unique(data.draw(st.lists(cases(), min_size=1, max_size=3)))
    assert read(tmp_path_factory.mktemp("own"), name, write(written)) == written


@given(written=st.lists(cases(("pass", "fail")), min_size=1, max_size=3), site=st.sampled_from(["mine", "shop"]))
def test_blocks_keep_texts_and_the_failing_step(
    tmp_path_factory: pytest.TempPathFactory, written: list[OwnCase], site: str
) -> None:
    content = as_blocks(written, site if site in SITES else "")
    read_cases = read(tmp_path_factory.mktemp("own"), f"{site}.csv", content)
    assert [preserved(own) for own in read_cases] == [
        (*preserved(own)[:2], own.name, *preserved(own)[3:]) for own in written
    ]


def preserved(own: OwnCase) -> tuple[object, ...]:
    return own.site, own.seed, own.title, own.start, own.steps, own.truth.verdict, own.truth.step


@given(TEXTS)
def test_texts_are_never_formulas_in_a_spreadsheet(text: str) -> None:
    cell = cell_of(text.strip())
    assert text_of(cell) == text.strip()
    assert not cell.startswith(("=", "+", "-", "@", "\uff1d"))


def test_a_users_own_apostrophes_stay() -> None:
    assert [text_of(cell) for cell in ("'+' is shown", "'tis", "' =1")] == ["'+' is shown", "'tis", "=1"]


def test_the_files_and_verdicts_of_the_documents_are_read(tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (table,), (nested,) = ([text for kind, text in blocks if kind == ending] for ending in ("csv", "yaml"))
    (of_table,), (of_yaml,) = read(tmp_path, "a.csv", table), read(tmp_path, "a.yaml", nested)
    assert of_table == of_yaml
    assert (of_table.id, of_table.title, len(of_table.steps)) == ("cases/shop/empty-cart", "Empty the cart", 2)
    assert of_table.truth == Truth(verdict="fail", step=2, cause="action")
    (verdicts,) = (text.splitlines() for kind, text in blocks if kind == "json")
    assert [verdict and verdict.model_dump(exclude_defaults=True) for verdict in map(verdict_in, verdicts)] == [
        json.loads(line) for line in verdicts
    ]
    assert [json.loads(line)["verdict"] for line in verdicts] == ["pass", "fail"]
