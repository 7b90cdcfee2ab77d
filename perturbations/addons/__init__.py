"""The addons of the proxy. Each has one task on the way of a request to the site, or of the response back.

mitmproxy calls them in this order for each event. An addon that answers a request in place of the site ends the event:
the addons after it neither see nor count the request.
"""

from stressweb.perturbations.addons.body_limit import BodyLimit
from stressweb.perturbations.addons.cached_assets import CachedAssets
from stressweb.perturbations.addons.credential import Credential
from stressweb.perturbations.addons.early_loads import EarlyLoads
from stressweb.perturbations.addons.episodes import Episodes
from stressweb.perturbations.addons.flow_counts import OpenFlows, StartedFlows
from stressweb.perturbations.addons.hosts import Hosts
from stressweb.perturbations.addons.observed_pages import ObservedPages
from stressweb.perturbations.addons.own_answers import OwnAnswers
from stressweb.perturbations.addons.own_pages import OwnPages
from stressweb.perturbations.addons.reports import Reports
from stressweb.perturbations.addons.script import Script
from stressweb.perturbations.addons.site_faults import SiteFaults
from stressweb.perturbations.addons.site_route import SiteRoute
from stressweb.perturbations.addons.submissions import Submissions
from stressweb.perturbations.addons.whole_documents import WholeDocuments


def proxy_addons(episodes: Episodes, site_key: str) -> list[object]:
    """Return the addons, given the key that the sites require."""
    return [
        # Bind each request to its episode, and refuse the ones that may not pass.
        episodes,
        Credential(),
        Hosts(),
        BodyLimit(),
        OwnPages(),
        # Before anything is counted: reports are not traffic of the page, and a prefetched page is not shown yet.
        Reports(),
        ObservedPages(),
        EarlyLoads(),
        StartedFlows(),
        # Process the response headers: the fault header is removed before our script is inserted.
        OwnAnswers(),
        SiteFaults(),
        Script(),
        # Before open flows are counted, because a request answered from the cache never reaches the site. After
        # `Script`, because the cache copies a body that is already set to stream.
        CachedAssets(),
        OpenFlows(),
        # Prepare the request for the site.
        SiteRoute(site_key),
        Submissions(),
        WholeDocuments(),
    ]
