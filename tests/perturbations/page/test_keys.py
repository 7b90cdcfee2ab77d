"""keys.js: the page creates the same keys as the program, whatever a mode has added, and keeps them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route

from scripts.waited import Recorder
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.core.path_template import path_template
from stressweb.html.accessible_name import clean
from stressweb.perturbations import MODES, modes_of
from stressweb.perturbations.page.parts import page_script
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.rule import Rule
from tests.examples import examples
from tests.perturbations.bundled import exported
from tests.perturbations.site_pages import WHO, pages
from tests.support.crawl import Visited
from tests.support.crawling import site
from tests.support.documents import documents
from tests.support.keyed import by_page, by_program
from tests.support.plans import condition
from tests.support.twins import DOCUMENTS, DocumentVector

pytestmark = pytest.mark.sample(6, "file")

HEAVY = (("noise", 3), ("noise", 5), ("chaos", 3))
CONDITIONS = ["clean", "sham", "remap_explicit@5", *(f"{name}@{severity}" for name, severity in HEAVY if name in MODES)]
EVENT = "secret-read"
# A mode with the worst changes for keys: a copy before each link and button, and a wrapper around every second one.
PROBE = """(runtime, settings) => {
  runtime.listen(["DOMContentLoaded"], () => {
    const elements = document.querySelectorAll("a[href], button");
    for (let i = 0; i < elements.length; i += 1) {
      const copy = elements[i].cloneNode(true);
      runtime.own(copy, "added");
      elements[i].before(copy);
      if (i % 2) continue;
      const around = document.createElement("span");
      runtime.own(around, "wrapper");
      elements[i].replaceWith(around);
      around.append(elements[i]);
    }
  });
  runtime.onRead(() => {
    const controls = runtime.controls().map(({ key, role, name }) => [key, role, name]);
    const nodes = runtime.nodes().map(({ key }) => key);
    runtime.report(settings.mode, runtime.page, "moved", [controls, nodes]);
  });
}"""


@dataclass
class ReadLog:
    """An episode that only stores reads."""

    site: str
    hosts: Sequence[str]
    sites: dict[str, str] = field(default_factory=dict)
    read_event: str = EVENT
    binding: str = ""
    reads: list[Any] = field(default_factory=list)

    @property
    def perturber(self) -> "ReadLog":
        """Return itself; it disturbs nothing."""
        return self

    def begin_read(self) -> None:
        pass

    def take_binding_call(self, payload: str) -> None:
        """Do nothing: no function takes reports."""

    def attempts(self) -> dict[str, dict[str, int]]:
        """Return no attempts."""
        return {}

    def read(self, url: str, answer: Any, controls: Any, *, more_frames: bool = False) -> None:
        """Store a read."""
        self.reads.append((answer, controls))


def served(label: str, page: Visited, host: str, probe: Path) -> str:
    """Return a page as the engine serves it, with a script that adds nodes and reports the site's keys."""
    if label == "clean":
        return page.html

    class Probing(Rule):
        """Settings of the probe."""

        script = probe

    seeds = Seeds(0, 1, "shop/profile")
    rules = [mode.rule(seeds) for mode in modes_of(condition(label))]
    settings = RuntimeSettings(
        path=page.path, page="page", site=page.site, hosts=(host,), read=EVENT, report="/report"
    )  # fmt: skip
    script = page_script(settings, [*rules, Probing(mode="probe", rule=rule_words(seeds, "probe"))])
    assert page.html.count("<head>") == 1
    return page.html.replace("<head>", f"<head><script>{script}</script>")


@pytest.mark.sample(1)
# The pages of ride have shadow roots, which the program does not read; `test_roots_and_frames` is about their keys.
@pytest.mark.parametrize(("name", "persona"), [who for who in WHO if who[0] != "ride"])
@pytest.mark.parametrize("label", CONDITIONS)
def test_keys_of_a_perturbed_page_are_those_of_the_clean_one(
    browser: Browser, tmp_path: Path, label: str, name: str, persona: str
) -> None:
    """In the page and in the recorder, whatever a mode has added."""
    probe = tmp_path / "probe.js"
    probe.write_text(PROBE)
    host = site(name, 0).host
    answers: dict[str, str] = {}

    def answer(route: Route) -> None:
        html = answers.get(route.request.url)
        # Reports of the scripts get no answer.
        if html is None or route.request.method == "POST":
            route.fulfill(status=204)
        else:
            route.fulfill(body=html, content_type="text/html; charset=utf-8")

    context = browser.new_context()
    try:
        tab = context.new_page()
        tab.route("**/*", answer)
        count = changed = 0
        for page in pages(name, persona):
            answers = {f"http://{host}{page.path}": served(label, page, host, probe)}
            tab.goto(f"http://{host}{page.path}")
            episode = ReadLog(name, [host])
            recorder = Recorder(episode)
            text = recorder.read(tab, measured=False)
            assert text is not None
            recorder.pass_on(json.loads(text))
            ((answer_read, controls_read),) = episode.reads
            controls, nodes = by_program(page.html, page.path, name, {host})
            assert [(role, named, key) for key, role, named in controls_read] == controls, page.path
            if label == "clean":
                assert answer_read is None
            else:
                (reported,) = [v for _, mode, _, _, v, _ in answer_read["reports"] if mode == "probe"]
                assert [(role, named, key) for key, role, named in reported[0]] == controls, page.path
                assert reported[1] == nodes, page.path
                changed += len(answer_read["nodes"][""])
            count += len(nodes)
        assert count > 300
        assert bool(changed) == (label != "clean")
    finally:
        context.close()


# A line for each rule of names and keys that generated documents rarely exercise.
HAND_MADE = """
<label>One <input><input></label> <label>Two <input type=hidden><input></label> <label>Three <input type=HIDDEN><input></label>
<label for=i hidden>Out</label><label for=i>In</label><input id=i> <label for=j hidden>Only</label><input id=j>
<label for=i>A</label><label for=i>B <b>b</b></label><input id=i> <label for=none>C <input></label>
<label for=i><i aria-hidden=true>no</i> yes<script>1</script><style>b{}</style></label><textarea id=i>typed</textarea>
<input type=submit value=""><input type=submit><input type=reset><input type=button><input type=submit value=Go>
<input type=image alt=" "><input type=image value=Go><input type=image alt=Alt value=Go><input type=IMAGE alt=Alt>
<input type=date><input type=TEXT><input type=constructor><input type=file><input type=hidden><input type=range>
<select size=1></select><select size=0></select><select size=""></select><select size=4></select><select multiple></select>
<b id=a>A</b><b id=b aria-label=L>B</b><img id=c alt=C><b id=a>D</b><button aria-labelledby="b a c none">x</button>
<b id=a></b><button aria-labelledby=a>x</button><button aria-labelledby=a aria-label=" L ">x</button><button title=T></button>
<input placeholder=P title=T><input placeholder=P><button aria-label="">x</button><a href=/x title=T><img alt=""></a>
<form action=/f><p></p><button>x</button></form><form action=" /g  h "><input></form><form title=T></form><form role=none></form>
<table role=button><caption>C</caption><tbody><tr><th scope=row>H</th></tr></tbody></table><fieldset role=tab><legend>L</legend>x</fieldset>
<figure role=link><img alt=I><figcaption>F</figcaption></figure><figure role=link><div><figcaption>F</figcaption></div></figure>
<a href=/x><header aria-label=H>t</header></a><article><a href=/x><header aria-label=H>t</header></a></article>
<a href=/x><section aria-label=S>t</section><div aria-label=D>d</div><img alt=I aria-label=J><img alt=K></a>
<div role=button><input value=v><select><option>o</select><p>Red</p><p>shoe</p>a<b>b</b>c<br>d<hr>e<span hidden>f</span></div>
<a role=none href=/x>x</a><a role=presentation href=/x>x</a><b role=BUTTON>x</b><b role=" link x">x</b><b role="x link">x</b>
<a>x</a><a href="">x</a><map><area href=/x alt=A><area alt=B></map><b onclick=f()>x</b><p onclick=f() role=tab>x</p>
<svg role=button><a href=/x>x</a></svg><object><button>x</button></object><iframe role=button></iframe><math><mi>x</mi></math><i>x</i>
<a href="//toy.testé/">x</a><a href="//toy.test:80">x</a><a href="HTTP://TOY.TEST/a">x</a><a href="//toy.test:8080/b">x</a>
<a href="/x?u=http://toy.test/a,https://127.0.0.1:8080">http://toy.test//toy.test/c</a><a href="//my.toy.test/">x</a>
<p>x <!-- c --> y</p><p><b></b> x</p><p><!-- c -->x</p><p>   </p><p> x　</p><p>x<br>y</p><p>X</p>
<p>😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀xyz</p>
<p>01234567890123456789012345678901234567890123456 8</p><p>012345678901234567890123456789012345678901234567</p>
<form action=/f><a href="">x</a><a>x</a></form><b id=a aria-label="" alt="">T</b><button aria-labelledby=a>x</button>
<a href=/x><b role=none aria-label=L>t</b><b role=tab aria-label=L>t</b><b aria-label=L>t</b></a>
<button>Add</button><a href=/x role=button>Add</a><button>Add </button><button> Add</button><button>A<b>dd</b></button>
""".strip().split("\n")


@pytest.mark.sample(6)
@pytest.mark.parametrize("html", HAND_MADE)
def test_keys_follow_every_rule_of_the_program(tab: Page, html: str) -> None:
    controls, nodes = by_program(f"<body>{html}</body>")
    assert nodes
    assert by_page(tab, f"<body>{html}</body>") == (controls, nodes)


@examples(240)
@given(html=documents(unseen=False), path=st.sampled_from(["/", "/p/3/x", "/a1b/?q=9", "/caf%C3%A9/", "/plain/way"]))
def test_keys_of_any_document_are_those_of_the_program(tab: Page, html: str, path: str) -> None:
    note(html)
    assert by_page(tab, html, path) == by_program(html, path)


@examples(120)
@given(html=documents())
def test_what_nobody_sees_counts_in_no_name(tab: Page, html: str) -> None:
    note(html)
    controls, nodes = by_page(tab, html)
    assert controls == by_program(html)[0]
    plain = html.translate(dict.fromkeys(map(ord, "\u200b\u00ad\ufeff\u2060")))
    assert nodes == by_page(tab, plain)[1]


@pytest.mark.parametrize("vector", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_names_and_keys_are_those_of_the_table(tab: Page, vector: DocumentVector) -> None:
    expected = (vector.controls, vector.nodes)
    assert by_page(tab, vector.html, vector.path) == expected
    assert by_program(vector.html, vector.path) == expected


@given(st.text() | st.text(" \t\x0b\x1c\x1f\x85\u00a0\u2028\ufeff\u200b\u00adab"))
def test_texts_are_cleaned_as_the_program_does(tab: Page, text: str) -> None:
    names = f"({exported('names')})({{}}, ({exported('natives')})())"
    script = f"(text) => {{ const {{ clean, strip }} = {names}; return [clean(text), strip(text)]; }}"
    assert tab.evaluate(script, text) == [clean(text), text.strip()]


@given(st.lists(st.text("ab3٣%/.-", max_size=6)).map("/".join), st.sampled_from(["", "?a=1", "?b/2"]))
def test_a_path_becomes_a_template_as_the_program_has_it(tab: Page, path: str, query: str) -> None:
    # Addresses in a browser are ASCII.
    path = f"/{path.replace('٣', '')}{query}"
    controls, _ = by_page(tab, "<body><button>x</button></body>", path)
    assert controls[0][2] == f"toy {path_template(path)} button x  #1"
