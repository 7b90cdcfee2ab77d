"""A site of the kit with a defect: what a visitor sends, or the pages, are changed on the way."""

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl, urlencode

from werkzeug.wrappers import Response

from stressweb.sites.kit import KitWorld

type Change[Content] = Callable[[Content], Content]


class AlteredSite:
    """A world whose submitted forms and pages are changed; everything else is the world's."""

    def __init__(
        self,
        world: KitWorld,
        form: Change[dict[str, str]] = lambda fields: fields,
        page: Change[str] = lambda text: text,
    ) -> None:
        """Take the world, and the changes of submitted fields and of pages."""
        self._world, self._form, self._page = world, form, page

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the world."""
        return getattr(self._world, name)

    def app(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        if environ["REQUEST_METHOD"] == "POST":
            fields = dict(parse_qsl(environ["wsgi.input"].read().decode(), keep_blank_values=True))
            body = urlencode(self._form(fields)).encode()
            environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        response = Response.from_app(self._world.app, environ)
        if response.mimetype == "text/html":
            response.set_data(self._page(response.get_data(as_text=True)))
        return response(environ, start_response)
