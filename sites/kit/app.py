"""The Flask application that serves every world of a site; world and database come with each request."""

import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, abort, g, jsonify, redirect, render_template, request, url_for

from sites.kit import pictures, theme
from sites.kit.forms import MissingError
from sites.kit.session import COOKIE, VisitorSession
from sites.kit.spec import ActionSpec, FeedSpec, PageSpec, SiteSpec
from sites.kit.tables import Tables
from sites.kit.visit import Visit, own_path
from sites.kit.world import WORLD, KitWorld
from stressweb.core import draws
from stressweb.plugins.site import DATABASE

_ASSETS = ("theme", "script", "picture", "icon")
_SCRIPTS = {path.stem: path for path in (Path(__file__).parent / "scripts").glob("*.js")}


def create_app(spec: SiteSpec) -> Flask:
    """Return the application of a site: a route for every page and action of its spec, and the assets."""
    app = Flask(__name__, static_folder=None)
    # A fault of the site is the host's to record: Flask must not turn it into a page.
    app.config["PROPAGATE_EXCEPTIONS"] = True
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.add_url_rule("/assets/<name>.css", "theme", _theme)
    app.add_url_rule("/assets/<name>.js", "script", _script)
    app.add_url_rule("/pictures/<motif>/<key>.svg", "picture", _picture)
    app.add_url_rule("/favicon.ico", "icon", lambda: _cached(pictures.draw("ball", "icon"), "image/svg+xml"))
    for name, page in spec.pages.items():
        app.add_url_rule(page.path, name, _show(page), methods=["GET"])
    for name, feed in spec.feeds.items():
        app.add_url_rule(feed.path, f"feed_{name}", _feed(feed), methods=["GET"])
    for name, action in spec.actions.items():
        app.add_url_rule(action.path, f"do_{name}", _do(name, action), methods=["POST"])
    app.before_request(_begin)
    app.after_request(_end)
    app.teardown_request(_leave)
    app.register_error_handler(404, _missing)
    app.register_error_handler(405, _missing)
    return app


def _database() -> sqlite3.Connection:
    connection: sqlite3.Connection = request.environ[DATABASE]
    return connection


def _begin() -> None:
    # The proxy answers assets that it has seen, so which episode asks for one is chance. A session opened here would
    # number visitors by that chance.
    if request.endpoint in _ASSETS:
        return
    world: KitWorld = request.environ[WORLD]
    store = Tables(_database(), world.spec, world.start)
    session = VisitorSession(store, world.secret, request.cookies.get(COOKIE))
    here = request.full_path if request.query_string else request.path
    g.visit = Visit(world, store, session, here, request.args)


def _end(response: Response) -> Response:
    # An asset, or a request that failed before there was a visit.
    if "visit" not in g:
        return response
    visit: Visit = g.visit
    # Derived and not random: the same requests must get the same bytes in every run. It still changes with every write,
    # as the time does.
    nonce = draws.digest(visit.world.secret, visit.here, visit.names["now"], size=12).hex()
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'"
    )
    # Going back must ask the site again: a copy that the browser kept would show a state that is gone.
    response.headers["Cache-Control"] = "no-store"
    # Also after a GET: showing a message takes it off the session.
    visit.session.save()
    if visit.session.new:
        response.set_cookie(COOKIE, visit.session.cookie, httponly=True, samesite="Lax")
    _database().commit()
    return response


def _leave(_error: BaseException | None) -> None:
    # After a handled request there is nothing left to undo; after an exception, half an action is.
    _database().rollback()


def _show(page: PageSpec) -> Callable[..., Any]:
    def show(**route: str) -> Any:
        visit: Visit = g.visit
        if page.signed_in and not visit.names["me"]:
            return _sign_in(visit)
        if not visit.enter(page, **route):
            abort(404)
        if page.then:
            # 303 makes the browser ask with GET, so loading the page again does not repeat what led to it.
            return redirect(visit.fill(page.then, visit.names), 303)
        visit.collect()
        return render_template("page.html", visit=visit, page=page)

    return show


def _feed(feed: FeedSpec) -> Callable[[], Any]:
    def answer() -> Any:
        try:
            return jsonify(g.visit.world.logic(feed.load)(g.visit))
        except MissingError:
            return jsonify({}), 404

    return answer


def _do(name: str, action: ActionSpec) -> Callable[[], Any]:
    def do() -> Any:
        visit: Visit = g.visit
        # Before anything else: a form of another session, or one that was sent by another site, must not even be
        # checked.
        if request.form.get("csrf_token") != visit.session.token:
            visit.session.say(visit.say("error_token"), "danger")
            visit.store.log(name, {"by": visit.session.owner, "done": False, "sent": {}})
            return redirect(url_for("home"), 303)
        if action.signed_in and not visit.names["me"]:
            visit.store.log(name, {"by": visit.session.owner, "done": False, "sent": {}})
            return _sign_in(visit)
        return redirect(visit.act(name, action, request.form), 303)

    return do


def _sign_in(visit: Visit) -> Any:
    if visit.spec.people is None:
        abort(403)
    # A form that was sent cannot be asked for again by its address; the page that it was on can.
    here = visit.here if request.method == "GET" else request.form.get("back", "/")
    visit.session.notes["return_to"] = own_path(here)
    visit.session.say(visit.say("error_signed_out"), "warning")
    return redirect(url_for(visit.spec.people.sign_in), 303)


def _missing(_error: Exception) -> Any:
    if "visit" not in g:
        return Response("Not found", 404)
    g.visit.collect()
    page = PageSpec(path="", title="not_found", widgets=())
    return render_template("page.html", visit=g.visit, page=page), 404


def _cached(body: str, kind: str) -> Response:
    response = Response(body, mimetype=kind)
    # The proxy keeps what may be kept, and answers with it in every episode of this world: nothing that comes from here
    # may depend on the episode.
    response.headers["Cache-Control"] = "max-age=86400"
    return response


@cache
def _own() -> str:
    return (Path(__file__).parent / "templates" / "kit.css").read_text("utf-8")


def _theme(name: str) -> Response:
    # Only known names: the name becomes part of a path.
    if name not in theme.THEMES:
        return Response("Not found", 404)
    return _cached(theme.stylesheet(name) + _own(), "text/css")


def _script(name: str) -> Response:
    # Looked up and never joined to a path, so no name leads out of the folder.
    if name not in _SCRIPTS:
        return Response("Not found", 404)
    return _cached(_SCRIPTS[name].read_text("utf-8"), "text/javascript")


def _picture(motif: str, key: str) -> Response:
    if motif not in pictures.MOTIFS:
        return Response("Not found", 404)
    world: KitWorld = request.environ[WORLD]
    return _cached(pictures.draw(motif, world.site, world.seed, key), "image/svg+xml")
