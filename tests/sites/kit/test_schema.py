"""The schemas for editors accept every built-in site, and reject what the loader rejects for its structure."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.docs import schemas
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load
from stressweb.plugins.task import load_tasks
from stressweb.runner.scaffold.folder import new_site
from stressweb.sites import kit
from stressweb.sites.kit.spec.kinds import shipped
from tests.support.crawling import SITES
from tests.support.extra_packages import python_with

FOLDER = Path(kit.__file__).parents[1]
CHECK = """
import json, sys
from jsonschema import Draft202012Validator
given = json.load(sys.stdin)
Draft202012Validator.check_schema(given["schema"])
found = Draft202012Validator(given["schema"])
print(json.dumps({name: [str(list(one.absolute_path)) for one in found.iter_errors(what)] for name, what in given["files"].items()}))
"""
"""Prints the errors of each file against the schema."""

WRONG = {
    "sites/shop": [
        ("since: 2025", "sinse: 2025"),
        ("since: 2025", "host: Shop\nsince: 2025"),
        ("within: 600", "within: many"),
        ("widget: hero,", "widget: heroes,"),
        ("{chance: 0.86}", "{chance: 0.86, pick: [1]}"),
        ("  name: shop_name", "  nam: shop_name"),
        ("use: [people, account,", "use: [people, acount,"),
        ("brand: fact", "brand: fcat"),
        ("email: {part: fact, text", "email: {part: fact, txt"),
        ("payment: {type: choice, options: [payment_invoice", "payment: {type: choyce, options: [payment_invoice"),
        ("{insert: Wish,", "{insert: Wish, delete: Wish,"),
    ],
    "sites/mail": [("    noun: template", "    noum: template")],
    "sites/calendar": [
        ("numbers: setting.week_numbers", "filters: {}"),
        ("type: date, label: go_date", "type: day, label: go_date"),
        ("widget: month", "widget: months"),
    ],
}
"""Mistakes in a `site.yaml` that the schema finds without a run."""
WRONG_TASKS = [
    ("- press: add_to_cart", "- press: add_to_cart\n      open: x"),
    ("family: cart", "famly: cart"),
    ("  evidence: [/cart]", "  evidence: []"),
    ("{pick: Product, where", "{pick: Product, all: Product, where"),
    ("- id: shop/", "- id: Shop/"),
]


def replaced(text: str, old: str, new: str) -> str:
    assert old in text, old
    return text.replace(old, new, 1)


@pytest.mark.parametrize("kind", schemas.PATHS)
def test_the_schemas_are_those_of_the_code(kind: str) -> None:
    assert schemas.PATHS[kind].read_text(encoding="utf-8") == schemas.schema(kind), "run `make docs`"


@pytest.mark.parametrize("name", SITES)
def test_every_site_leads_to_its_schemas(name: str) -> None:
    for file in ("site", "tasks"):
        path = FOLDER / name / f"{file}.yaml"
        comment, _, where = path.read_text(encoding="utf-8").splitlines()[0].partition("=")
        assert comment == "# yaml-language-server: $schema"
        assert (path.parent / where).resolve() == schemas.PATHS[file]


def test_a_new_site_has_its_schemas_beside_it(tmp_path: Path) -> None:
    new_site("shed", tmp_path)
    for file in ("site", "tasks"):
        first = (tmp_path / "shed" / f"{file}.yaml").read_text(encoding="utf-8").splitlines()[0]
        assert first == f"# yaml-language-server: $schema={file}.schema.json"
        beside = (tmp_path / "shed" / f"{file}.schema.json").read_text(encoding="utf-8")
        assert beside == schemas.PATHS[file].read_text(encoding="utf-8")


def test_every_kind_and_its_fields_are_in_the_schema() -> None:
    definitions = json.loads(schemas.schema("site"))["$defs"]
    for group, key in (("widgets", "widget"), ("parts", "part"), ("fields", "type")):
        known = set(definitions[group]["properties"][key]["enum"])
        assert known >= shipped().models[group].keys()
    # What only one site has, too.
    assert "month" in definitions["widgets"]["properties"]["widget"]["enum"]
    assert definitions["PageSpec"]["properties"]["moves_on"]["description"].startswith("Which of `rows` each load")


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the errors of files against a schema, by an independent validator."""
    python = python_with("jsonschema", "jsonschema", tmp_path_factory.mktemp("validator"))

    def checked(kind: str, files: Mapping[str, Any]) -> dict[str, list[str]]:
        request = json.dumps({"schema": json.loads(schemas.schema(kind)), "files": files}, default=str)
        done = subprocess.run([python, "-c", CHECK], input=request, capture_output=True, text=True, check=True)
        errors_by_file: dict[str, list[str]] = json.loads(done.stdout)
        return errors_by_file

    return checked


@pytest.mark.audit
@pytest.mark.parametrize("file", ["site", "tasks"])
def test_every_site_that_ships_fits(check: Any, tmp_path: Path, file: str) -> None:
    new_site("shed", tmp_path)
    paths = [*(FOLDER / name / f"{file}.yaml" for name in SITES), tmp_path / "shed" / f"{file}.yaml"]
    assert check(file, {path.parent.name: load(path) for path in paths}) == {path.parent.name: [] for path in paths}


@pytest.mark.audit
def test_a_wrong_spec_does_not_fit(check: Any, tmp_path: Path) -> None:
    wrong = {}
    for site, changes in WRONG.items():
        text = (FOLDER.parent / site / "site.yaml").read_text(encoding="utf-8")
        for number, (old, new) in enumerate(changes):
            path = tmp_path / f"{Path(site).name}-{number}.yaml"
            path.write_text(replaced(text, old, new), encoding="utf-8")
            wrong[f"{site}: {new}"] = load(path)
    assert [name for name, errors in check("site", wrong).items() if not errors] == []


@pytest.mark.audit
def test_a_wrong_task_does_not_fit(check: Any, tmp_path: Path) -> None:
    wrong = {}
    text = (FOLDER / "shop" / "tasks.yaml").read_text(encoding="utf-8")
    for number, (old, new) in enumerate(WRONG_TASKS):
        path = tmp_path / f"{number}.yaml"
        path.write_text(replaced(text, old, new), encoding="utf-8")
        wrong[new] = load(path)
        # The loader rejects it, too.
        with pytest.raises(UserError):
            load_tasks(path)
    assert [name for name, errors in check("tasks", wrong).items() if not errors] == []
