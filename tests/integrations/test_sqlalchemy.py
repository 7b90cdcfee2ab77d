"""The part of docs/wrap.md about SQLAlchemy, tried on the noticeboard with Flask-SQLAlchemy, in an environment of its own."""

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import stressweb
from tests.support.documented_files import FILES, ROOT
from tests.support.extra_packages import python_with

MODEL = """
app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite:///board.db"
db = SQLAlchemy()
db.init_app(app)


class Notice(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String)
    text = db.Column(db.String)
"""
VIEWS = """

def row_of(notice):
    return notice.id, notice.title, notice.text


@app.get("/")
def index():
    notices = [row_of(notice) for notice in Notice.query.order_by(Notice.id)]
    return render_template_string(PAGE, title="Notices", notices=notices)


@app.get("/notices/<int:id>")
def notice(id):
    row = row_of(db.get_or_404(Notice, id))
    return render_template_string(PAGE, title=row[1], notice=row)


@app.post("/notices")
def add():
    db.session.add(Notice(title=request.form["title"], text=request.form["text"]))
    db.session.commit()
    return redirect("/")


@app.post("/notices/<int:id>/delete")
def delete(id):
    db.session.delete(db.get_or_404(Notice, id))
    db.session.commit()
    return redirect("/")
"""


@pytest.mark.audit
def test_an_application_with_sqlalchemy_is_graded(tmp_path: Path) -> None:
    python = python_with("flask-sqlalchemy==3.1.1", "flask_sqlalchemy", tmp_path)
    guide = (ROOT / "docs" / "wrap.md").read_text("utf-8")
    (engine,) = re.findall(r"```python\n(from sqlalchemy import .*?)```", guide, re.DOTALL)
    head, _, _ = FILES["board.py"].partition("def get_db")
    (tmp_path / "board.py").write_text(f"from flask_sqlalchemy import SQLAlchemy\n{head}{MODEL}{VIEWS}")
    (line,) = re.findall(r"^board\.get_db = .*\n", FILES["board_site.py"], re.MULTILINE)
    (tmp_path / "board_site.py").write_text(FILES["board_site.py"].replace(line, engine))
    (tmp_path / "board_tasks.yaml").write_text(FILES["board_tasks.yaml"])
    arguments = ("--load", "board_site.py", "--task", "board/*", "--agent", "resilient", "--mode", "remap", "--json")
    done = stressweb(tmp_path, "run", *arguments, "--run", "first", python=python)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {(row["condition"], row["successes"], row["false_claims"]) for row in rows} == {
        ("clean", 2, 0), ("remap@3", 2, 0),
    }  # fmt: skip
    # The application's own database was never opened.
    assert not [*tmp_path.rglob("board.db")]
