"""Serves a site under a condition to any browser of this machine, for `stressweb serve`."""

from urllib.parse import urljoin

from stressweb.core.conditions import Condition
from stressweb.core.draws import Seeds, digest
from stressweb.core.errors import UserError
from stressweb.perturbations import Binding, EpisodePerturber
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.world.served_pages import OVERLAY_PATH, RESET_PATH, ServedPages
from stressweb.runner.world.world import World


def serve_site(
    world: World, site: SiteWorld, condition: Condition, seeds: Seeds, port: int = 0, *, with_effects_log: bool = False
) -> str:
    """Serve a site under a condition until the world closes, and return its URL.

    With `with_effects_log`, the URL leads to a page that shows the site in a frame and a log of the modes' effects
    below it.
    """
    upstream = "http://{}:{}".format(*world.site_server.address)
    try:
        (bound_port,) = world.proxy.listen(f"reverse:{upstream}", port=port)
    except OSError as error:
        raise UserError(f"port {port} cannot be opened; choose another, or 0 for a free one") from error
    served = _ServedSite(world, site, condition, seeds, bound_port)
    pages = ServedPages(
        f"{site.site} under {condition.label}",
        condition,
        served.binding.stress,
        served.reset,
        with_effects_log=with_effects_log,
    )
    served.binding.served_pages = pages.answer
    world.bind(bound_port, served.binding)
    return f"http://{served.host}{OVERLAY_PATH if with_effects_log else '/'}"


def reset_page(url: str) -> str:
    """Return the URL that resets a served site."""
    return urljoin(url, RESET_PATH)


class _ServedSite:
    """A site on a port, with a database that can be reset."""

    def __init__(self, world: World, site: SiteWorld, condition: Condition, seeds: Seeds, port: int) -> None:
        self._world, self._site, self._condition, self._seeds = world, site, condition, seeds
        about = (site.site, seeds.world, seeds.stress, seeds.task, condition.label)
        # Include the files in the key: browsers cache style sheets for long, and authors of a site need to see changes.
        key = digest("serve", *about, *site.files().values(), size=4).hex()
        # Use a separate host name: browsers share cookies between all ports of 127.0.0.1, but not between subdomains
        # of localhost.
        self.host = f"{site.site}-{key}.localhost:{port}"
        self._served = world.served(site, self.host, world.site_server.open(site))
        # `needs_no_credential`: a person's browser has no credential.
        self.binding = Binding((self._served,), world.site_server.address, self._perturber(), needs_no_credential=True)

    def reset(self) -> EpisodePerturber:
        """Replace the database with a fresh one and return the new perturber.

        Its report path is new, so that old pages cannot report to it.
        """
        old, self._served.database = self._served.database, self._world.site_server.open(self._site)
        self._world.site_server.close_database(old)
        self.binding.stress = self._perturber()
        return self.binding.stress

    def _perturber(self) -> EpisodePerturber:
        return self._world.perturber(self._condition, self._seeds)
