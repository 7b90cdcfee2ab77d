"""The addons of the proxy, one idea each: what happens to a request on its way to the site, and to the answer.

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
        # Who sends the request, and what for.
        episodes,
        Credential(),
        Hosts(),
        BodyLimit(),
        OwnPages(),
        # Before anything is counted: a report is not traffic of the page, and a page that is loaded ahead is not shown
        # yet.
        Reports(),
        ObservedPages(),
        EarlyLoads(),
        StartedFlows(),
        # The headers of the site's answers: the mark of a fault is removed before our script is inserted.
        OwnAnswers(),
        SiteFaults(),
        Script(),
        # Before open flows are counted, because a cached answer never goes to the site; after the script, because it
        # reads a body that is already set to stream.
        CachedAssets(),
        OpenFlows(),
        # The request that is sent on to the site.
        SiteRoute(site_key),
        Submissions(),
        WholeDocuments(),
    ]
