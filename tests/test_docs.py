"""The documents: generated parts are current, and everything that they name exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from pydantic import BaseModel

import stressweb
from scripts.docs import markers
from scripts.docs.__main__ import GROUPS
from scripts.docs.api import GROUPS as API
from scripts.docs.markdown import table
from scripts.docs.parts import PARTS
from scripts.docs.pictures import EXAMPLES
from stressweb.analysis.result_row import ResultRow
from stressweb.core.conditions import parse, split
from stressweb.core.errors import UserError
from stressweb.core.field_docs import field_docs
from stressweb.perturbations import MODES
from stressweb.plugins.offers import Offer as OfferedFile
from stressweb.runner.commands.cli import cli
from stressweb.runner.commands.precheck import CHECKS
from stressweb.runner.execution.backend import WorkerHandle
from stressweb.runner.external.offer import Offer
from stressweb.runner.registry import AGENTS, chosen_tasks, conditions
from stressweb.sites import names

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = markers.documents()
HOW_TO = [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]
"""Documents for users and contributors that describe the current version."""
PAGES = [
    *HOW_TO,
    *(ROOT / name for name in ("CHANGELOG.md", "ERRATA.md", "SECURITY.md")),
    *sorted((ROOT / "integrations").glob("*/README.md")),
]
"""All documents."""
MEASURED = {
    "run",
    "run-facts",
    "figures",
    "pictures",
    "sites",
    "abilities",
    "report-size",
    "coverage",
    "curve-coverage",
    "nights",
    "certificate-proof",
    "certificate-proof-severities",
    "certificate-proof-tree",
    "certificate-proof-coordinates",
    "proven",
    "storm",
    "audits",
    "bench-episodes",
    "bench-parts",
    "bench-others",
    "breaking-points",
    "tells",
}
LARGEST_BYTES, TOTAL_BYTES = 200_000, 2_500_000


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def generated_parts() -> dict[str, str]:
    return {name: part for path in DOCUMENTS for name, part in markers.read(text_of(path)).items()}


def without_generated_parts(path: Path) -> str:
    """Return a document without its generated parts."""
    return markers.replace(text_of(path), dict.fromkeys(generated_parts(), ""))


def code(text: str) -> list[str]:
    """Return all code: spans, and the lines of command blocks without their comments."""
    shell = re.findall(r"^```(?:sh|bash)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    # The backticks of a fenced block would pair with those of spans.
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]
    indented = [line for line in text.splitlines() if line.startswith("    ")]
    fenced = [line for block in shell for line in block.replace("\\\n", " ").splitlines()]
    return spans + [re.sub(r"(?:^|\s)#.*", "", line).strip() for line in (*indented, *fenced)]


def commands() -> list[tuple[str, str]]:
    """Return every command that a document names, with the document."""
    named = {(path.name, code_span) for path in HOW_TO for code_span in code(without_generated_parts(path))}
    return sorted((document, command.removeprefix(".venv/bin/")) for document, command in named)


MAKES = [(document, command) for document, command in commands() if re.match(r"make\b.", command)]
CALLS = [(document, command) for document, command in commands() if re.match(r"stressweb [a-z]", command)]
MODULES = [(document, command) for document, command in commands() if re.match(r"python -P -m ", command)]


@pytest.mark.parametrize("name", PARTS)
def test_generated_lists_are_current(name: str) -> None:
    assert generated_parts()[name] == PARTS[name](), "run `make docs`"


def test_every_part_has_one_place() -> None:
    names = [name for path in DOCUMENTS for name in markers.read(text_of(path))]
    assert sorted(names) == sorted([*PARTS, *MEASURED])
    assert all(generated_parts()[name].strip() for name in MEASURED), "run `make docs`"


def test_every_mode_is_in_the_measured_figures() -> None:
    figures = generated_parts()["figures"]
    assert all(f"| {mode}@3 |" in figures for mode in MODES)
    gallery = generated_parts()["pictures"]
    assert all(f"(pictures/{example.site}-{name}.png)" in gallery for example in EXAMPLES for name in ("clean", *MODES))
    assert all(f"(pictures/{site}-clean.png)" in generated_parts()["sites"] for site in names())


def anchors(text: str) -> set[str]:
    """Return the names by which links reach the headings of a page, as GitHub and the docs site make them."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", outside, re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings}


def links(text: str) -> list[str]:
    """Return the targets in the repository of a page's links and pictures."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\((?!https?:)([^)\s]+)\)", outside)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_pictures_lead_somewhere(path: Path) -> None:
    targets = links(text_of(path))
    for target in targets:
        file, _, anchor = target.partition("#")
        linked_path = (path.parent / file).resolve() if file else path
        assert linked_path.is_relative_to(ROOT), target
        assert linked_path.exists(), target
        if anchor:
            assert anchor in anchors(text_of(linked_path)), target


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    queue = [ROOT / "README.md"]
    while queue:
        path = queue.pop()
        if path not in reached and path.suffix == ".md":
            reached.add(path)
            queue += [
                (path.parent / target.partition("#")[0]).resolve()
                for target in links(text_of(path))
                if target[0] != "#"
            ]
    assert set(PAGES) - reached == set()
    assert len(reached) > 30


def test_the_readme_is_short() -> None:
    assert len(text_of(ROOT / "README.md").splitlines()) <= 150


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("## How it runs, and how it fails", "how-it-runs-and-how-it-fails"),
        ("### What `x-y` offers", "what-x-y-offers"),
    ],
)
def test_an_anchor_is_made_of_the_words_of_a_heading(heading: str, anchor: str) -> None:
    assert anchors(f"{heading}\n```sh\n# no heading\n```\n") == {anchor}


def test_pictures_are_small_and_all_are_shown() -> None:
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    sizes = {picture.name: picture.stat().st_size for picture in pictures}
    assert all(picture.read_bytes().startswith(b"\x89PNG") for picture in pictures)
    assert all(size < LARGEST_BYTES for size in sizes.values()), sizes
    assert sum(sizes.values()) < TOTAL_BYTES
    illustrated = {f"{example.site}-{name}.png" for example in EXAMPLES for name in MODES}
    assert set(sizes) == illustrated | {f"{site}-clean.png" for site in names()}


@pytest.mark.parametrize(("document", "command"), MAKES)
def test_make_targets_and_variables_exist(document: str, command: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    _, target, *values = re.findall(r"(?:'[^']*'|\S)+", command)
    assert target in targets, document
    for name, quoted in (assignment.strip("'").partition("=")[::2] for assignment in values):
        argument = quoted.strip("'")
        assert CHECKS[name](argument) is None, document
        if name == "MODE":
            assert conditions(argument)
        elif name == "TASK":
            assert chosen_tasks(argument)
        elif name == "AGENT":
            assert {re.split(r"\(", agent)[0] for agent in split(argument)} <= set(AGENTS.names()), document


def check_call(command: str) -> None:
    """Raise click's error or an AssertionError if a command line names something that stressweb does not have."""
    _, name, *words = shlex.split(command.partition(" | ")[0])
    assert name in cli.commands, name
    known = cli.commands[name]
    context = click.Context(known, info_name=name)
    values, rest, _ = known.make_parser(context).parse_args([word for word in words if word != "..."])
    assert not rest, rest
    for option in known.params:
        argument = values.get(option.name or "")
        # Words in capitals are placeholders.
        if (
            isinstance(option.type, click.Choice | click.IntRange)
            and isinstance(argument, str)
            and not argument.isupper()
        ):
            option.type(argument, option, context)
    if "mode" in values and "--mode" in words:
        # A page may define and load its own mode.
        own = re.findall(r'^    mode = "(\w+)"$', text_of(ROOT / "docs" / "my-mode.md"), re.MULTILINE)
        parse(values["mode"], [*MODES, *(own if "--load" in words else ())])


@pytest.mark.parametrize(("document", "command"), CALLS)
def test_commands_and_options_exist(document: str, command: str) -> None:
    check_call(command)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("stressweb runs --mode remap", "runs"),
        ("stressweb run --modes remap", "No such option"),
        ("stressweb run --mode", "requires an argument"),
        ("stressweb list things", "is not one of"),
        ("stressweb view a b", r"\['b'\]"),
        ("stressweb serve shop --port 99999999", "not in the range"),
        ("stressweb run --mode remapped", "remapped"),
    ],
)
def test_a_command_that_does_not_exist_is_found(command: str, problem: str) -> None:
    with pytest.raises((AssertionError, click.UsageError, UserError), match=problem):
        check_call(command)


@pytest.mark.parametrize(("document", "command"), MODULES)
def test_modules_and_tests_that_are_run_by_hand_exist(document: str, command: str) -> None:
    module, *words = shlex.split(command)[3:]
    if module == "pytest":
        paths = [word for word in words if word.startswith("tests/")]
        assert paths
        assert [path for path in paths if not (ROOT / path).exists()] == []
        return
    assert any((ROOT / f"{module.replace('.', '/')}{end}").is_file() for end in (".py", "/__main__.py"))
    if module == "scripts.docs":
        assert set(words) <= set(GROUPS)


def test_every_kind_of_command_is_found() -> None:
    assert code(
        "Run `make test`.\n\n    .venv/bin/stressweb view  # all\n\n```sh\nstressweb run \\\n    --limit 2\n```\n"
    ) == [
        "make test",
        ".venv/bin/stressweb view",
        "stressweb run      --limit 2",
    ]
    assert len(MAKES) > 30
    assert len(CALLS) > 100
    assert len(MODULES) > 5


def test_options_named_alone_exist(tmp_path: Path) -> None:
    options = {
        option
        for command in cli.commands.values()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    flags = {command for _, command in commands() if re.fullmatch(r"--[a-z-]+", command)}
    assert flags
    assert flags <= options
    variables = {
        option.envvar
        for command in cli.commands.values()
        for option in command.params
        if isinstance(option, click.Option)
    }
    named = {word for path in DOCUMENTS for word in re.findall(r"STRESSWEB_[A-Z_]+", without_generated_parts(path))}
    files = (OfferedFile(name="a.txt", text=""),)
    ours = Offer("", "", "", max_steps=1, seconds=1, gate="", files=files)
    theirs = Offer("", "", "", max_steps=1, seconds=1, gate="", own_browser=True)
    offered = {name for offer in (ours, theirs) for name in offer.environment(tmp_path / "episode.json")}
    assert named <= {*variables, "STRESSWEB_BROWSER", "STRESSWEB_", *offered}


def test_files_named_by_hand_exist() -> None:
    paths = {
        code_span
        for path in DOCUMENTS
        for code_span in code(without_generated_parts(path))
        if re.fullmatch(r"[a-z]+/[\w/.-]+\.\w+", code_span)
    }
    # Other paths are in the reader's own folder.
    paths = {path for path in paths if (ROOT / path.partition("/")[0]).is_dir()}
    assert {"perturbations/__init__.py", "scripts/docs/pictures.py"} <= paths
    assert [path for path in paths if not (ROOT / path).is_file()] == []


def test_every_file_of_the_architecture_exists() -> None:
    spans = code(text_of(ROOT / "docs" / "architecture.md"))
    files = {span for span in spans if re.fullmatch(r"[\w.-]+(/[\w.-]+)+|[\w-]+\.(py|js|yaml|md)", span)}
    assert len(files) > 30
    assert [name for name in sorted(files) if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("path", [*HOW_TO, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_no_registry_and_no_path_of_a_machine(path: Path) -> None:
    text = text_of(path)
    named = re.findall(r"https?://[^\s)>\"`]+", text)
    assert [
        url for url in named if not url.startswith(("http://shop.test", "http://calendar.test", "http://localhost:"))
    ] == []
    assert re.search(r"(?i)pypi|npmjs|files\.pythonhosted|registry\.|mirror\.", text) is None
    assert re.search(r"(?<![\w.~])/(?:home|root|tmp|work|usr|opt|var|Users|mnt|srv)\b", text) is None


def test_field_docs_are_read_from_classes_and_bases() -> None:
    class Own(ResultRow):
        size: int = 0
        """In bytes."""

    assert field_docs(BaseModel) == {}
    assert field_docs(Own)["size"] == "In bytes."
    assert field_docs(Own)["claimed"] == "Episodes that the agent claimed to be done."


def test_parts_are_found_and_replaced() -> None:
    text = "a\n<!-- begin: x -->\nold\n<!-- end: x -->\nb\n"
    assert markers.read(text) == {"x": "old"}
    new = markers.replace(text, {"x": "new\n\nlines", "y": "other"})
    assert markers.read(new) == {"x": "new\n\nlines"}
    assert markers.replace(new, {}) == new
    with pytest.raises(ValueError, match="without their counterpart: x"):
        markers.read("<!-- begin: x -->\n")


def test_the_page_of_the_api_has_every_public_name_once() -> None:
    assert sorted(name for names in API.values() for name in names) == sorted(stressweb.__all__)


def test_every_law_names_its_tests() -> None:
    laws = text_of(ROOT / "docs" / "laws.md")
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "laws").glob("test_*.py")}
    assert {span for span in code(laws) if span.startswith("tests/laws/test")} == tests


def test_a_table_keeps_its_columns() -> None:
    assert table(("a", "b"), [("1|2", 3)]) == "| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"


def test_an_unknown_part_is_refused() -> None:
    command = [sys.executable, "-P", "-m", "scripts.docs", "figure"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "docs: unknown part figure; choose from lists, pictures, runs, agents, breaking, report, simulator, curves, nights, tells, proof, proof-severities, proof-tree, proof-coordinates, storm, bench, audits\n"
    )


def test_the_guide_names_every_member_of_a_worker() -> None:
    members = {name for name in dir(WorkerHandle) if not name.startswith("_")}
    assert members <= {*re.findall(r"`(\w+)`", (ROOT / "docs" / "extending.md").read_text("utf-8"))}
