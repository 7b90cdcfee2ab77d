"""Rendering of pages: as markup, or as a shell and JSON from which a script in the browser draws the page."""

import json
from collections.abc import Mapping
from typing import Any

from flask import Response, render_template, request

from stressweb.html.page_tree import PAGE_TYPE, tree
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.site import PageSpec

BUNDLE = "pages"
"""Name of the script that draws pages in the browser; it includes the scripts of all kinds."""
READY = "ready"
"""Name of the script with which others attach to elements of a page."""
_FIRST, _LAST = ("ready", "draw"), ("router",)


def scripts(of_kinds: Mapping[str, str]) -> dict[str, str]:
    """Return all scripts that a site serves, by name: those of its kinds and those of the kit."""
    own = {name: (KIT / "browser" / f"{name}.js").read_text("utf-8") for name in (*_FIRST, *_LAST)}
    # The router comes last, because the first page that it draws needs the scripts that attach to elements.
    bundle = "\n".join([*(own[name] for name in _FIRST), *of_kinds.values(), *(own[name] for name in _LAST)])
    return {**of_kinds, READY: own[READY], BUNDLE: bundle}


def is_shell(visit: Visit) -> bool:
    """Return whether to answer a request with the shell, whose script then requests the page itself."""
    return visit.frame.rendering == "browser" and PAGE_TYPE not in request.accept_mimetypes.values()


def answered(template: str, visit: Visit, page: PageSpec, status: int = 200) -> Any:
    """Return the response for a page, or the shell, which leaves the session's messages for the page itself."""
    if is_shell(visit):
        return render_template("templates/shell.html", visit=visit, scripts=BUNDLE), status
    visit.collect()
    markup = render_template(template, visit=visit, page=page)
    if visit.frame.rendering == "server":
        return markup, status
    return Response(json.dumps(tree(markup), ensure_ascii=False, separators=(",", ":")), status, mimetype=PAGE_TYPE)
