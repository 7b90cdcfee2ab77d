"""The pages: list, report, comparison and progress of recorded runs."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store
from stressweb.runner.registry import task_ids
from stressweb.runner.view.app import open_app
from tests.runner.view.folder_state import state
from tests.support.report_sizes import leave_out_details, use_side_files
from tests.support.saved_runs import episode, saved


def text_of(client: FlaskClient, path: str, status: int = 200) -> str:
    """Return the text of a page, without markup."""
    response = client.get(path)
    assert response.status_code == status
    return " ".join(re.sub(r"<[^>]*>", " ", response.get_data(as_text=True)).split())


def test_the_list_has_every_run_with_its_figures_or_the_reason(client: FlaskClient) -> None:
    text = text_of(client, "/")
    assert "first" in text
    assert "naive" in text
    assert "clean, remap@3" in text
    assert re.search(r"3 ?/4 unfinished|3 ?/4 running", text)
    assert "has schema version" in text
    assert "notes" not in text


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    app, reports = open_app(tmp_path)
    client = app.test_client()
    assert "There are no runs in this folder" in text_of(client, "http://localhost/")
    reports.close()


def test_a_missing_folder_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="gone is not a folder"):
        open_app(tmp_path / "gone")


def test_a_report_is_the_one_that_the_command_writes(client: FlaskClient, folder: Path, tmp_path: Path) -> None:
    from stressweb.runner.outcome.reporting import write

    write(folder / "first", tmp_path / "report.html")
    assert client.get("/report/first/report.html").data == (tmp_path / "report.html").read_bytes()


def test_a_report_is_made_again_when_the_run_has_changed(client: FlaskClient, folder: Path) -> None:
    assert "1 of 4 episodes are missing" in text_of(client, "/report/second/report.html")
    with Store.open(folder / "second" / FILE) as store:
        (last,) = [cell for cell in store.pending() if not store.has(cell)]
        store.save(episode(last, success=True))
    assert "episodes are missing" not in text_of(client, "/report/second/report.html")


def test_an_episode_without_details_in_a_large_report_gets_them_when_asked_for(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_details(monkeypatch)
    text = client.get("/report/first/report.html").get_data(as_text=True)
    (side_folder,) = set(re.findall(r'content="(report-[0-9a-f]{16})"', text))
    files = re.findall(r'id="e(\d+)"[^>]* data-file="([^"]+)"', text)
    on_request = {number: file for number, file in files if file == f"e{number}.js"}
    assert (len(files), len(on_request)) == (4, 3)
    assert 'data-details="elsewhere"' not in text
    for number, file in on_request.items():
        response = client.get(f"/report/first/{side_folder}/{file}")
        assert (response.status_code, response.mimetype) == (200, "text/javascript")
        assert f'"d{number}": ' in response.get_data(as_text=True)
        assert f'"p{number}": ' in response.get_data(as_text=True)
    # Other names of side files do not exist, not even similar ones.
    for path in (
        f"{side_folder}/e0.js",
        f"{side_folder}/e5.js",
        f"{side_folder}/e01.js",
        f"{side_folder}/e1.js.js",
        "report-0/e1.js",
    ):
        assert client.get(f"/report/first/{path}").status_code == 404
    assert client.get(f"/report/second/{side_folder}/{next(iter(on_request.values()))}").status_code == 404


def test_a_large_report_brings_its_side_files(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    use_side_files(monkeypatch)
    text = client.get("/report/first/report.html").get_data(as_text=True)
    (folder,) = re.findall(r'<meta name="stressweb files" content="([^"]*)"', text)
    (name,) = re.findall(r'id="e1"[^>]*data-file="([^"]*)"', text)
    response = client.get(f"/report/first/{folder}/{name}")
    assert response.mimetype == "text/javascript"
    assert response.data.startswith(b"document.currentScript.payload")
    for path in (
        f"second/{folder}/{name}",
        f"first/{folder}/report.html",
        f"first/{folder}/..%2Freport.html",
        "first/../../x/y.js",
    ):
        assert client.get(f"/report/{path}").status_code == 404


def test_looking_changes_no_file(client: FlaskClient, folder: Path) -> None:
    before = state(folder)
    for path in ("/", "/runs.json", "/watch/first", "/report/first/report.html", "/compare?a=first&b=second"):
        assert client.get(path).status_code == 200
    assert state(folder) == before


def test_progress_has_the_figures_of_the_run(client: FlaskClient) -> None:
    by_name = {run["name"]: run for run in json.loads(client.get("/runs.json").data)["runs"]}
    second = by_name["second"]
    assert (second["done"], second["total"], second["failed"], second["errors"]) == (3, 4, 0, 1)
    assert (second["finished"], second["per_minute"], second["left_s"]) == (False, None, None)
    assert by_name["broken"]["broken"]
    watched = json.loads(client.get("/watch.json/second").data)
    assert watched["done"] == 3
    assert "naive" in watched["agents"]
    assert "3 of 4" in text_of(client, "/watch/second")


def test_a_comparison_links_into_both_reports(client: FlaskClient, folder: Path) -> None:
    saved(folder / "third", lambda cell: cell.task == task_ids()[0])
    text = client.get("/compare?a=first&b=third").get_data(as_text=True)
    links = set(re.findall(r'href="(/report/[^"]*#e\d+)"', text))
    assert {link.split("/")[2] for link in links} == {"first", "third"}
    for link in links:
        path, _, number = link.partition("#")
        assert f'id="{number}"' in client.get(path).get_data(as_text=True)


@pytest.mark.parametrize(
    "path", ["/report/none/report.html", "/watch/none", "/compare?a=first&b=none", "/compare", "/watch.json/..%2Ffirst"]
)
def test_unknown_runs_get_an_error_page(client: FlaskClient, path: str) -> None:
    assert "there is no run" in text_of(client, path, 404)


def test_a_run_that_cannot_be_read_has_no_report(client: FlaskClient) -> None:
    assert "has schema version" in text_of(client, "/report/broken/report.html", 404)
    assert "has schema version" in text_of(client, "/watch/broken")


def test_hostile_names_are_text(folder: Path, client: FlaskClient) -> None:
    evil = """<img src=x onerror=alert(1)>'"&}{{7*7}}"""
    saved(folder / "evil", agents=(evil,))
    for path in ("/", "/watch/evil", "/watch.json/evil", "/compare?a=evil&b=first"):
        text = client.get(path).get_data(as_text=True)
        assert (
            "<img" not in json.loads(text).get("agents", "") if path.startswith("/watch.json") else "<img" not in text
        )
        assert "49" not in text or "7*7" in text


def test_agents_are_paired_by_the_address_and_by_the_form_on_the_page(tmp_path: Path) -> None:
    saved(tmp_path / "runs" / "both", lambda cell: cell.agent == "naive", agents=("naive", "resilient"))
    saved(tmp_path / "runs" / "other", lambda cell: False, agents=("wander",))
    app, reports = open_app(tmp_path / "runs")
    text = partial(text_of, app.test_client())
    # For a run compared with itself, the first agent is compared with the second.
    assert "naive beside resilient clean 0 % n=2 100 % n=2 +100" in text("http://localhost/compare?a=both&b=both")
    assert "resilient beside naive clean 100 % n=2 0 % n=2 −100" in text(
        "http://localhost/compare?a=both&b=both&left=resilient&right=naive"
    )
    # Without a common name nothing is compared until the user chooses.
    assert "The runs have no agent of the same name" in text("http://localhost/compare?a=both&b=other")
    chosen = text("http://localhost/compare?a=both&b=other&left=naive&right=wander&left=resilient&right=")
    assert "naive beside wander clean 0 % n=2 100 % n=2 +100" in chosen
    assert "resilient beside" not in chosen
    # Unknown agents in the address are not compared.
    assert "The runs have no agent of the same name" in text(
        "http://localhost/compare?a=both&b=other&left=nobody&right=wander"
    )
    reports.close()
