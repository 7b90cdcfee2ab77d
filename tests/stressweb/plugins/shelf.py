"""A small world for tests of draws."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stressweb.core.entity import Entity
from stressweb.plugins.site_world import SiteWorld

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class Shelf(SiteWorld):
    """A world of five rows and no pages."""

    site, host, template = "shelf", "shelf.test", b""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.labels = {"add": "Put in", "size": "How big", "size_s": "Small", "size_l": "Large"}
        self.entities = {
            "Thing": [
                Entity(id=f"t{number}", name=f"Thing {number}", price=(number * 7) % 5, on=number % 2)
                for number in range(5)
            ]
        }

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        raise NotImplementedError
