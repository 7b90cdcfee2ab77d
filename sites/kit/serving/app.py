"""The Flask application that serves all worlds of a site; each request carries its world and database."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from io import BytesIO
from typing import IO, Any

from flask import Flask, Request, Response, abort, g, jsonify, redirect, request, url_for
from jinja2 import FileSystemLoader
from markupsafe import Markup

from stressweb.core import draws
from stressweb.plugins.site_world import DATABASE
from stressweb.sites.kit.data.tables import Tables
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.look import faces, icons, pictures, theme
from stressweb.sites.kit.refusals import MissingError
from stressweb.sites.kit.serving import rendering
from stressweb.sites.kit.serving.compiled import COMPILED
from stressweb.sites.kit.serving.documents import Download
from stressweb.sites.kit.serving.forms import Entry
from stressweb.sites.kit.serving.session import COOKIE, VisitorSession
from stressweb.sites.kit.serving.visit import Visit, own_path
from stressweb.sites.kit.serving.world import WORLD, KitWorld
from stressweb.sites.kit.spec.kinds import Drawn, Kinds
from stressweb.sites.kit.spec.site import ActionSpec, DownloadSpec, FeedSpec, PageSpec, SiteSpec
from stressweb.sites.kit.spec.widgets import Part, Widget

_ASSETS = ("theme", "script", "picture", "face", "icon")


_LARGEST = 4_000_000
"""Largest request, in bytes. It exceeds the limits of upload fields, which then report what is wrong with a file."""


class _Request(Request):
    def _get_file_stream(self, *_args: Any, **_kwargs: Any) -> IO[bytes]:
        # Keep files in memory: by default, Werkzeug writes larger files to the disk.
        return BytesIO()


def create_app(spec: SiteSpec, kinds: Kinds) -> Flask:
    """Return the application of a site: a route for every page and action of its spec, and the assets."""
    app = Flask(__name__, static_folder=None)
    app.request_class = _Request
    app.config["MAX_CONTENT_LENGTH"] = _LARGEST
    # The site server records exceptions of the site, so Flask must not turn them into a page.
    app.config["PROPAGATE_EXCEPTIONS"] = True
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.loader = FileSystemLoader(list(kinds.roots))
    # Most templates belong to the kit, and compiling one takes longer than rendering it.
    app.jinja_env.bytecode_cache = COMPILED
    app.jinja_env.globals |= {"show": _shower(app, kinds), "parts": _parts(app, kinds), "field": _fielder(app, kinds)}
    app.jinja_env.globals |= {"script": _script_once, "icon": _icon_of, "glyph": icons.glyph}
    app.jinja_env.globals |= {"portrait": _portrait, "has_account_link": _has_account_link}
    app.jinja_env.globals |= {"loud": _loud, "quiet": _quiet, "is_own": _is_own, "own_id": _own_id}
    scripts = rendering.scripts(kinds.scripts())
    own = (KIT / "templates" / "kit.css", KIT / "templates" / "frames" / "frames.css")
    style = "".join(path.read_text("utf-8") for path in (*own, *kinds.files("style.css")))
    style += icons.stylesheet(icons.used(spec.frame))
    app.add_url_rule("/assets/<name>.css", "theme", _theme(style))
    app.add_url_rule("/assets/<name>.js", "script", _script(scripts))
    app.add_url_rule("/pictures/<motif>/<key>.svg", "picture", _picture)
    app.add_url_rule("/faces/<key>.svg", "face", _face)
    app.add_url_rule("/favicon.ico", "icon", _icon)
    for name, page in spec.pages.items():
        app.add_url_rule(page.path, name, _show(page), methods=["GET"])
    for name, feed in spec.feeds.items():
        app.add_url_rule(feed.path, f"feed_{name}", _feed(feed), methods=["GET"])
    for name, download in spec.downloads.items():
        app.add_url_rule(download.path, f"get_{name}", _get(download), methods=["GET"])
    for name, action in spec.actions.items():
        app.add_url_rule(action.path, f"do_{name}", _action_view(name, action), methods=["POST"])
    app.before_request(_begin)
    app.after_request(_end)
    app.register_error_handler(404, _missing)
    app.register_error_handler(405, _missing)
    app.register_error_handler(413, _too_large)
    return app


def _macro(app: Flask, kinds: Kinds, drawn: Drawn) -> Callable[..., str]:
    """Return the macro that renders a kind."""
    template, macro = kinds.template(drawn)
    # Jinja creates a template's module, which has its macros, only once. Including the template would evaluate it anew
    # each time.
    draw: Callable[..., str] = getattr(app.jinja_env.get_template(template).module, macro)
    return draw


def _shower(app: Flask, kinds: Kinds) -> Callable[[Visit, Widget], Markup]:
    """Return the template function `show`, which renders a widget."""

    def show(visit: Visit, widget: Widget) -> Markup:
        return Markup(_macro(app, kinds, widget)(visit, widget, widget.view(visit)))  # noqa: S704 - the macro has escaped it

    return show


def _fielder(app: Flask, kinds: Kinds) -> Callable[[Visit, Entry, str, bool], Markup]:
    """Return the template function `field`, which renders a field of a form; its id begins with `prefix`."""

    def field(visit: Visit, entry: Entry, prefix: str, inline: bool = False) -> Markup:
        macro = _macro(app, kinds, entry.spec)
        return Markup(macro(visit, entry, f"{prefix}-{entry.name}", inline, entry.it))  # noqa: S704 - the macro has escaped it

    return field


def _script_once(visit: Visit, name: str) -> Markup:
    """Template function `script`: return the tag that loads a folder's script; empty if the page already has it."""
    if name in visit.scripts:
        return Markup("")
    # Deferred scripts run in document order, so `ready` comes before the scripts that need it.
    names = [name] if visit.scripts else [rendering.READY, name]
    visit.scripts.add(name)
    return Markup("").join(Markup('<script src="/assets/{}.js" defer></script>').format(script) for script in names)


def _own_id(visit: Visit, name: str) -> str:
    """Template function `own_id`: return the name as an id, with a number from its second use on the page on."""
    visit.ids[name] += 1
    return name if visit.ids[name] == 1 else f"{name}-{visit.ids[name]}"


def _quiet() -> str:
    """Template function `quiet`: return the classes of a secondary button."""
    return "btn-light border"


def _loud(visit: Visit) -> str:
    """Template function `loud`: return the classes of the main button for the first call on a page, then secondary."""
    if visit.has_main_button:
        return _quiet()
    visit.has_main_button = True
    return visit.look.button


def _is_own(visit: Visit, row: Any) -> bool:
    """Template function `is_own`: return whether a row is the subject of the page, and not a row of a list on it."""
    return row is not None and any(row is value for value in visit.names.values())


def _icon_of(visit: Visit, label: str) -> Markup:
    """Template function `icon`: return the icon for a label, if the site or the kit has one."""
    name = icons.icon_of(visit.frame, label)
    if name == icons.ACCOUNT:
        return _portrait(visit)
    return icons.glyph(name) if name else Markup("")


def _portrait(visit: Visit) -> Markup:
    """Template function `portrait`: return the face of the person whose account it is, or an icon if there is none."""
    member = visit.names["me"]
    # A visitor who is not signed in has no face.
    holder = "" if visit.frame.visitor else visit.world.holder
    name = member.name if member else holder
    if not name:
        return icons.glyph(icons.ACCOUNT)
    address = faces.address(name)
    return Markup('<img class="kit-portrait" src="{}" alt="" width="24" height="24">').format(address)


def _has_account_link(visit: Visit) -> bool:
    """Template function `has_account_link`: return whether a link of the frame has the face as its icon."""
    labels = (*visit.frame.links, *visit.frame.member)
    return any(icons.icon_of(visit.frame, label) == icons.ACCOUNT for label in labels)


def _parts(app: Flask, kinds: Kinds) -> Callable[[Visit, tuple[Part, ...], Mapping[str, Any], int], Markup]:
    """Return the template function `parts`, which renders the parts of an item."""

    def parts(visit: Visit, show: tuple[Part, ...], names: Mapping[str, Any], level: int) -> Markup:
        # If the item's name is a heading, headings inside the item are one level below it.
        headed = any(part.part == "name" and not getattr(part, "plain", False) for part in show)
        return Markup("").join(
            Markup(  # noqa: S704 - the macro has escaped it
                _macro(app, kinds, part)(
                    visit, part, names, level + 1 if headed and part.part != "name" else level, part.view(visit, names)
                )
            )
            for part in show
            if visit.holds(part.when, names)
        )

    return parts


def _database() -> sqlite3.Connection:
    connection: sqlite3.Connection = request.environ[DATABASE]
    return connection


def _begin() -> None:
    # The proxy caches assets, so it is random which episode requests one. A session opened here would make the numbers
    # of visitors random, too.
    if request.endpoint in _ASSETS:
        return
    world: KitWorld = request.environ[WORLD]
    store = Tables(_database(), world.spec, world.start)
    session = VisitorSession(store, world.secret, request.cookies.get(COOKIE))
    here = request.full_path if request.query_string else request.path
    g.visit = Visit(world, store, session, here, request.args)


def _end(response: Response) -> Response:
    # An asset, or a request that failed before there was a visit: the site server adds the date of the world's start.
    if "visit" not in g:
        return response
    visit: Visit = g.visit
    # The site's time of this page; it differs from the browser's fixed clock only by the seconds since the start.
    response.date = datetime.fromisoformat(visit.names["now"]).replace(tzinfo=UTC)
    # Derive the nonce instead of drawing it at random: the same requests must get the same bytes in every run. It still
    # changes with every write, because the site's time does.
    nonce = draws.digest(visit.world.secret, visit.here, visit.names["now"], size=12).hex()
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'"
    )
    # Going back must load the page again: a cached copy would show an outdated state.
    response.headers["Cache-Control"] = "no-store"
    # Save after a GET, too, because showing a message removes it from the session.
    visit.session.save()
    if visit.session.new:
        response.set_cookie(COOKIE, visit.session.cookie, httponly=True, samesite="Lax")
    _database().commit()
    return response


def _show(page: PageSpec) -> Callable[..., Any]:
    def show(**route: str) -> Any:
        visit: Visit = g.visit
        # Sign-in and existence of the page are checked when the shell's script requests the page itself.
        if rendering.is_shell(visit):
            return rendering.answered("templates/page.html", visit, page)
        if page.signed_in and not visit.names["me"]:
            return _sign_in(visit)
        if not visit.enter(page, **route):
            abort(404)
        if page.then:
            # With 303 the browser follows with GET, so reloading the page does not repeat the action.
            return redirect(visit.fill(page.then, visit.names), 303)
        return rendering.answered("templates/page.html", visit, page)

    return show


def _feed(feed: FeedSpec) -> Callable[[], Any]:
    def answer() -> Any:
        try:
            return jsonify(g.visit.world.logic(feed.load)(g.visit))
        except MissingError:
            return jsonify({}), 404

    return answer


def _get(download: DownloadSpec) -> Callable[..., Response]:
    def get(**route: str) -> Response:
        visit: Visit = g.visit
        visit.names |= route
        try:
            download_file: Any = visit.world.logic(download.load)(visit)
        except MissingError:
            abort(404)
        if not isinstance(download_file, Download):
            raise TypeError(f"{download.load} must return a Download for {download.path}")
        return download_file.answer()

    return get


def _action_view(name: str, action: ActionSpec) -> Callable[[], Any]:
    def do() -> Any:
        visit: Visit = g.visit
        # Check the token first: a form of another session or another site must not even be validated.
        if request.form.get("csrf_token") != visit.session.token:
            visit.session.say(visit.say("error_token"), "danger")
            visit.store.log(name, {"by": visit.session.owner, "done": False, "sent": {}})
            return _redirect_after(visit, url_for("home"))
        if action.signed_in and not visit.names["me"]:
            visit.store.log(name, {"by": visit.session.owner, "done": False, "sent": {}})
            return _sign_in(visit)
        return _redirect_after(visit, visit.act(name, action, request.form, request.files))

    return do


def _redirect_after(visit: Visit, path: str) -> Any:
    """Redirect to the page that follows an action; a script that requests JSON gets the messages instead."""
    if request.accept_mimetypes.best != "application/json":
        return redirect(path, 303)
    visit.collect()
    # The script's page does not render the form again, so send the problems of its fields.
    texts = visit.complaints() or [text for _, text in visit.messages]
    return jsonify({"done": all(tone != "danger" for tone, _ in visit.messages), "said": texts})


def _sign_in(visit: Visit) -> Any:
    if visit.spec.people is None:
        abort(403)
    # The address of a submitted form cannot be opened with GET; return to the form's page instead.
    return_path = visit.here if request.method == "GET" else request.form.get("back", "/")
    visit.session.notes["return_to"] = own_path(return_path)
    visit.session.say(visit.say("error_signed_out"), "warning")
    return redirect(url_for(visit.spec.people.sign_in), 303)


def _missing(_error: Exception) -> Any:
    if "visit" not in g:
        return Response("Not found", 404)
    return rendering.answered("templates/missing.html", g.visit, PageSpec(path="", title="not_found"), 404)


def _too_large(_error: Exception) -> Any:
    """Report that a request is too large; redirect to the first page, because the request was not read."""
    if "visit" not in g:
        return Response("Too large", 413)
    g.visit.session.say(g.visit.say("error_file_large"), "danger")
    return _redirect_after(g.visit, url_for("home"))


def _cacheable_response(body: str, mimetype: str) -> Response:
    response = Response(body, mimetype=mimetype)
    # The proxy caches these responses for all episodes of this world, so they must not depend on the episode.
    # Ten years, because browsers compute the age from the Date header, which has the world's date.
    response.headers["Cache-Control"] = "max-age=315360000"
    return response


def _theme(style: str) -> Callable[[str], Response]:
    def sheet(name: str) -> Response:
        # Accept known names only, because the name becomes part of a path.
        if name not in theme.THEMES:
            return Response("Not found", 404)
        return _cacheable_response(theme.stylesheet(name) + style, "text/css")

    return sheet


def _script(scripts: Mapping[str, str]) -> Callable[[str], Response]:
    def script(name: str) -> Response:
        # The name is a key and never joined to a path, so it cannot lead out of the folders.
        return _cacheable_response(scripts[name], "text/javascript") if name in scripts else Response("Not found", 404)

    return script


def _picture(motif: str, key: str) -> Response:
    world: KitWorld = request.environ[WORLD]
    if motif not in world.motifs:
        return Response("Not found", 404)
    motif = pictures.fitting(world.motifs, motif, key)
    return _cacheable_response(pictures.draw(world.motifs[motif], motif, world.site, world.seed, key), "image/svg+xml")


def _face(key: str) -> Response:
    return _cacheable_response(faces.drawing(key), "image/svg+xml") if faces.is_key(key) else Response("Not found", 404)


def _icon() -> Response:
    world: KitWorld = request.environ[WORLD]
    letter = world.labels[world.spec.frame.name][0]
    return _cacheable_response(pictures.icon(letter, world.site, world.seed), "image/svg+xml")
