"""runtime.js: it leaves no trace, reports and listens, and no page can change its decisions."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from scripts.docs.jsdoc import typedefs
from stressweb.perturbations.page.fingerprint import FOLDER
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.rule import Narrowing
from tests.perturbations.bundled import exported
from tests.perturbations.script_rules import SPOILT, script_rule
from tests.support.served import READ, WORDS, Stage, failure, remap
from tests.support.tabs import Set, open_tab
from tests.support.waiting import until

pytestmark = pytest.mark.sample(12, "file")

SAVE = "toy / button Save it /do #1"
NOTHING = Narrowing(others=False, controls={})
HELD = "<!DOCTYPE html><html><head></head><body>{}</body></html>"


class TestNothingIsLeft:
    """For its own scripts and for its readers, a page with our script equals the page without it."""

    LOOK = """() => [document.documentElement.outerHTML, Object.getOwnPropertyNames(window).sort(),
      document.adoptedStyleSheets.length, document.getAnimations().length, document.scripts.length]"""

    @pytest.mark.parametrize("html", [HELD.format("<button>x</button>"), "<p>No head", "<title>T</title><p>x"])
    def test_document_and_window_are_those_of_the_page_alone(self, stage: Set, html: str) -> None:
        ours, plain = stage(remap(), failure(), html=html), stage(html=html, binding="")
        assert ours.page.evaluate(self.LOOK) == plain.page.evaluate(self.LOOK)

    def test_the_text_is_ascii_and_ends_no_script_element(self) -> None:
        nasty = "</script><!-- \u2028 \ud800 é <script>"
        attempts = {"remap": {nasty: 2}}
        settings = RuntimeSettings(path="/", page="page /", site="é", attempts=attempts, read=READ, report="/r")
        rules = [remap(), failure(allowed=Narrowing(others=True, controls={nasty: (True, [1])}))]
        text = page_script(settings, rules)
        assert text.isascii()
        assert not [mark for mark in ("</script", "<script", "<!--", "-->") if mark in text.lower()]

    def test_a_read_is_heard_and_no_script_of_the_page_sees_it(self, stage: Set) -> None:
        toy = stage(failure())
        toy.page.evaluate("(name) => addEventListener(name, () => (window.seen = 1), true)", READ)
        assert toy.read() is False
        assert toy.page.evaluate("window.seen") is None
        assert stage(binding="").read() is True

    def test_a_held_gesture_reaches_no_listener_of_the_page(self, stage: Set) -> None:
        html = HELD.format("<button onclick='seen += 1'>x</button><script>seen = 0;{}</script>").replace("{}", LISTENS)
        toy = stage(failure(), html=html)
        toy.page.click("button")
        assert toy.page.evaluate("seen") == 0
        calm = stage(failure(0), html=html)
        calm.page.click("button")
        assert calm.page.evaluate("seen") == 3

    def test_no_request_is_made_where_the_browser_takes_reports(self, stage: Set) -> None:
        toy = stage(failure())
        requests: list[str] = []
        toy.page.on("request", lambda request: requests.append(request.url))
        toy.page.click("#save")
        toy.page.fill("#name", "Ada")
        toy.read()
        assert len(toy.reports) == 2
        assert requests == []


LISTENS = "for (const target of [window, document]) target.addEventListener('click', () => (seen += 1), true);"


class TestReports:
    """Reports are one-way and numbered."""

    def test_beacons_come_in_order_also_ahead_of_a_navigation(self, stage: Set) -> None:
        toy = stage(failure(0), binding="")
        toy.page.fill("#name", "Ada")
        toy.page.click("#save")
        toy.arrived()
        until(lambda: len(toy.served.texts) == 2)
        assert [report[:5] for report in toy.reports] == [
            (1, "failure", "toy / textbox Name /do #1", "passed", 0),
            (2, "failure", SAVE, "passed", 0),
        ]
        assert {document for document, _ in toy.served.texts} == {"1"}

    def test_a_binding_that_is_not_there_is_done_without(self, stage: Set) -> None:
        toy = stage(failure(), binding="nobody")
        toy.page.click("#save")
        until(lambda: toy.delivered() == ["button Save it"])

    def test_a_base_element_leads_no_report_away(self, stage: Set) -> None:
        toy = stage(failure(), html=HELD.format("<base href='http://192.0.2.1/x/'><button>x</button>"), binding="")
        toy.page.click("button")
        until(lambda: len(toy.reports) == 1)

    def test_what_the_browser_refuses_is_sent_with_the_next_one(self, stage: Set) -> None:
        toy = stage(failure(), binding="")
        toy.served.holds.clear()
        # A browser accepts 64 KiB of beacons at a time.
        assert toy.page.evaluate("navigator.sendBeacon('/held', 'x'.repeat(65536))")
        toy.page.click("#save")
        toy.page.click("#save")
        toy.served.holds.set()
        until(lambda: len(toy.served.posts) == 1)
        assert toy.reports == []
        # The browser notices a moment later than the server that the large beacon has arrived.
        clicks = 2

        def comes() -> bool:
            nonlocal clicks
            toy.page.click("#save")
            clicks += 1
            return bool(toy.served.texts)

        until(comes)
        until(lambda: len(toy.reports) == clicks)
        assert [(report.number, report.value) for report in toy.reports] == [
            (attempt + 1, attempt) for attempt in range(clicks)
        ]

    def test_what_fails_in_ours_lets_the_gesture_pass_and_is_told(self, stage: Set, tmp_path: Path) -> None:
        toy = stage(script_rule(tmp_path, "(runtime) => { runtime.onPress(() => { throw new Error('ours'); }); }"))
        errors: list[str] = []
        toy.page.on("pageerror", lambda error: errors.append(str(error)))
        toy.page.click("[name=agree]")
        assert toy.page.is_checked("[name=agree]")
        assert toy.reports == [(1, "", "page /", "fault", "Error: ours", None)]
        assert errors == []
        toy.served.texts.clear()

    def test_it_gives_a_mode_what_it_is_described_to_give(self, stage: Set, tmp_path: Path) -> None:
        script = "(runtime, settings) => runtime.report(settings.mode, '', 'keys', Object.keys(runtime).join())"
        toy = stage(script_rule(tmp_path, script))
        described = typedefs((FOLDER / "runtime.js").read_text("utf-8"))["Runtime"]
        assert sorted(toy.reports[0].value.split(",")) == sorted(described)
        assert all(member.about for member in described.values())

    def test_a_gesture_is_made_again_by_what_is_described(self, tab: Page) -> None:
        described = typedefs((FOLDER / "replays.js").read_text("utf-8"))["Replays"]
        names = tab.evaluate(f"Object.keys(({exported('replays')})(({exported('natives')})()))")
        assert sorted(names) == sorted(described)


class TestAttempts:
    """The episode has one count, whichever document an attempt is made in."""

    def test_two_tabs_do_not_repeat_a_draw(self, stage: Set) -> None:
        toy = stage(failure())
        second_tab = toy.page.context.new_page()
        open_tab(toy, second_tab)
        numbers = []
        for page in (toy.page, second_tab, toy.page, toy.page, second_tab):
            toy.read(page, toy.served.attempts())
            page.click("#save")
            numbers.append(len(toy.served.texts))
        assert numbers == [1, 2, 3, 4, 5]
        assert sorted(json.loads(text)[4] for _, text in toy.served.texts) == [0, 1, 2, 3, 4]

    def test_an_older_count_takes_no_attempt_back(self, stage: Set) -> None:
        """A report may be on its way while a read brings an older count."""
        toy = stage(failure())
        for _ in range(2):
            toy.page.click("#save")
        toy.read(counts={"failure": {SAVE: 1}, "remap": {SAVE: 7}})
        toy.page.click("#save")
        assert [report.value for report in toy.reports] == [0, 1, 2]

    def test_a_key_stays_when_the_control_is_called_otherwise(self, stage: Set) -> None:
        toy = stage(failure())
        toy.page.click("#save")
        toy.page.evaluate("document.querySelector('#save').textContent = 'Saved'")
        toy.page.click("#save")
        assert toy.outcomes == [("button Save it", "hit", 0), ("button Save it", "hit", 1)]

    def test_what_a_script_has_drawn_since_is_decided(self, stage: Set) -> None:
        toy = stage(failure())
        toy.page.click("#save")
        toy.page.evaluate("document.querySelector('h1').innerHTML = '<button>New</button>'")
        toy.page.click("text=New")
        assert toy.delivered() == ["button Save it", "button New  #1"]


SEES = """() => {
  window.seen = [];
  const see = (event) => seen.push([event.type, event.button, event.ctrlKey]);
  for (const type of ["click", "auxclick"]) document.addEventListener(type, see);
}"""


class TestAgain:
    """A held gesture is performed later, unchanged, and is not decided a second time."""

    HOLDS = """(runtime, settings) => {
      const keyOf = runtime.natives.told(KeyboardEvent, "key");
      let held = null;
      runtime.onPress((press) => {
        runtime.report(settings.mode, press.key, "hit", 0);
        held = press.again;
        return false;
      });
      runtime.listen(["keydown"], (event) => keyOf(event) === "F2" && held());
    }"""

    @pytest.mark.sample(1)
    @pytest.mark.parametrize(
        ("press", "posts"),
        [
            (lambda page: page.click("#save"), ["name=&day=&size=one&note="]),
            (lambda page: page.press("#name", "Enter"), ["name=&day=&size=one&note="]),
            (lambda page: page.evaluate("document.forms[0].requestSubmit()"), ["name=&day=&size=one&note="]),
            (lambda page: page.press("[name=word]", "Enter"), ["word="]),
        ],
    )
    def test_a_submission_is_sent_once(
        self, stage: Set, tmp_path: Path, press: Callable[[Page], None], posts: list[str]
    ) -> None:
        toy = stage(script_rule(tmp_path, self.HOLDS))
        press(toy.page)
        toy.read()
        assert toy.posts == []
        toy.page.keyboard.press("F2")
        toy.arrived()
        assert toy.posts == posts
        assert len(toy.reports) == 1

    @pytest.mark.parametrize("options", [{"button": "middle"}, {"modifiers": ["Control"]}])
    def test_a_link_opens_a_tab(self, stage: Set, tmp_path: Path, options: dict[str, object]) -> None:
        toy = stage(script_rule(tmp_path, self.HOLDS))
        toy.page.evaluate(SEES)
        toy.page.click("text=Alpha page", **options)  # type: ignore[arg-type]
        assert toy.page.evaluate("seen") == []
        assert len(toy.page.context.pages) == 1
        with toy.page.context.expect_page() as opened:
            toy.page.keyboard.press("F2")
        opened.value.wait_for_url("**/alpha")
        assert toy.page.url == toy.served.base
        assert toy.page.evaluate("seen") == [["auxclick", 1, False] if "button" in options else ["click", 0, True]]

    @pytest.mark.parametrize("code", ["() => {}", "spoilt"])
    @pytest.mark.parametrize("target", ["[name=agree]", "label:has(input)"])
    def test_a_box_is_ticked(self, stage: Set, tmp_path: Path, target: str, code: str) -> None:
        toy = stage(script_rule(tmp_path, self.HOLDS))
        toy.page.evaluate(SPOILT if code == "spoilt" else code)
        toy.page.click(target, position=WORDS.get(target))
        assert not toy.page.is_checked("[name=agree]")
        toy.page.keyboard.press("F2")
        assert toy.page.is_checked("[name=agree]")
        assert toy.delivered() == ["checkbox Agree"]


class TestWhatIsOurs:
    """Only the runtime knows the nodes that a mode has added."""

    ADDS = """(runtime, settings) => {
      runtime.onPress((press) => {
        runtime.report(settings.mode, press.key, "passed", 0);
        if (press.element.id !== "save") return true;
        const node = document.createElement("p");
        runtime.own(node, "added");
        node.innerHTML = "<button>Save it</button>";
        press.element.form.prepend(node);
        return false;
      });
    }"""

    def test_its_presses_are_its_own_and_it_moves_no_key(self, stage: Set, tmp_path: Path) -> None:
        toy = stage(
            script_rule(tmp_path, self.ADDS),
            html=HELD.format("<form action=/do><button id=save>Save it</button></form>"),
        )
        toy.page.click("#save")
        toy.page.evaluate(
            "() => { document.querySelector('p').onclick = (event) => { event.preventDefault(); window.got = 1 } }"
        )
        toy.page.click("p button")
        assert toy.page.evaluate("window.got") == 1
        toy.page.click("#save")
        assert toy.outcomes == [("button Save it", "passed", 0)] * 2


class TestSpoilt:
    """A page that replaces functions of the browser gets the same decisions."""

    @staticmethod
    def acts(toy: Stage) -> None:
        """Act on all controls, with reads in between, and stay on the page."""
        for number in range(3):
            toy.page.mouse.click(*toy.middles["#save"])
            toy.page.mouse.click(*toy.middles["[name=agree]"])
            toy.page.mouse.click(*toy.middles["#name"])
            toy.page.keyboard.type("Ada")
            toy.read(counts={"failure": {"toy / textbox Name /do #1": number}})
            toy.page.keyboard.press("Enter")
            toy.page.mouse.dblclick(*toy.middles["text=Alpha page"])
            toy.page.mouse.click(*toy.middles["text=Beta page"])

    @pytest.mark.sample(1)
    @pytest.mark.parametrize("binding", ["secretBinding", ""])
    def test_decisions_and_reports_are_the_same(self, stage: Set, binding: str) -> None:
        runs = []
        for code in ("() => { window.seen = []; }", SPOILT):
            toy = stage(remap(0.5), failure(0.5), html=STAYING, binding=binding)
            toy.measure("#save", "[name=agree]", "#name", "text=Alpha page", "text=Beta page")
            toy.page.evaluate(code)
            self.acts(toy)
            until(lambda toy=toy: len(toy.reports) >= 24)  # type: ignore[misc]
            assert toy.evaluated("seen.join()") == ""
            runs.append(toy.reports)
        assert runs[0] == runs[1]
        assert {report.mode for report in runs[0]} == {"remap", "failure"}
        assert {report.event for report in runs[0]} == {"hit", "passed"}

    def test_fields_of_a_form_hide_nothing_of_it(self, stage: Set) -> None:
        """Named fields shadow a form's own properties."""
        names = "matches localName querySelector getAttribute nodeType parentNode requestSubmit control type closest"
        fields = "".join(f"<input name={name}>" for name in names.split())
        toy = stage(failure(), html=HELD.format(f"<form action=/do>{fields}<button>Go</button></form>"))
        toy.page.press("[name=matches]", "Enter")
        toy.page.evaluate("HTMLFormElement.prototype.requestSubmit.call(document.forms[0])")
        assert toy.delivered() == ["button Go"] * 2

    def test_a_click_made_of_a_plain_event_is_decided(self, stage: Set) -> None:
        toy = stage(remap())
        toy.page.evaluate(
            "document.querySelector('#save').dispatchEvent(new Event('click', { bubbles: true, cancelable: true }))"
        )
        assert toy.delivered() == ["button Save it"]


# A page whose own script, after ours, keeps links and forms from leaving it.
STAYING = """<!DOCTYPE html><html><head></head><body><nav><a href="/alpha">Alpha page</a> <a href="/beta">Beta page</a></nav>
<form method="post" action="/do" target="_self"><label for="name">Name</label> <input id="name" name="name">
<label><input type="checkbox" name="agree"> Agree</label><button id="save">Save it</button></form>
<iframe name="aside" hidden></iframe><script>document.querySelectorAll("a, form").forEach((element) => (element.target = "aside"))
</script></body></html>"""

OPENED = {
    "opened and closed": "document.open(); document.write(html); document.close();",
    "written and left open": "document.write(html);",
    "opened twice": "document.open(); document.write('<p>'); document.open(); document.write(html); document.close();",
}


class TestOpenedAnew:
    """`document.open()` removes all listeners, also those on the window."""

    @pytest.mark.parametrize("way", OPENED)
    def test_gestures_are_decided_in_what_is_written(self, stage: Set, way: str) -> None:
        toy = stage(failure(), html=STAYING)
        toy.page.click("#save")
        written = "<select><option>one<option selected>two<option>three</select><form action=/do><button id=save>Save it</button></form>"
        toy.page.evaluate(f"(html) => {{ {OPENED[way]} }}", written)
        toy.page.click("#save")
        toy.page.select_option("select", label="three")
        assert toy.page.input_value("select") == "two"
        toy.page.evaluate("window.addEventListener('click', () => (window.seen = 1), true)")
        toy.page.click("#save")
        assert toy.page.evaluate("window.seen") is None
        assert [(report.number, report.event) for report in toy.reports] == [(number, "hit") for number in range(1, 5)]
        assert [about for about, _, _ in toy.outcomes] == [
            "button Save it",
            "button Save it",
            "combobox   #1",
            "button Save it",
        ]
        assert toy.outcomes[-1][-1] == 2
        assert toy.read() is False

    def test_a_listener_that_is_still_there_is_called_once(self, stage: Set) -> None:
        toy = stage(failure(), html=STAYING)
        toy.page.evaluate("for (let i = 0; i < 3; i += 1) document.body.append('x')")
        toy.page.click("#save")
        assert len(toy.reports) == 1
