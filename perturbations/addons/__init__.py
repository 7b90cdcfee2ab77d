"""The addons of the proxy, one idea each: what becomes of a flow on its way to the site, and of the answer.

mitmproxy calls them in this order for each event. An addon that answers a request in place of the site ends the event:
those after it neither see the request nor count it.
"""

from perturbations.addons.body_limit import BodyLimit
from perturbations.addons.credential import Credential
from perturbations.addons.early_loads import EarlyLoads
from perturbations.addons.episodes import Episodes
from perturbations.addons.flow_counts import OpenFlows, StartedFlows
from perturbations.addons.hosts import Hosts
from perturbations.addons.kept_assets import KeptAssets
from perturbations.addons.observed_pages import ObservedPages
from perturbations.addons.own_answers import OwnAnswers
from perturbations.addons.own_pages import OwnPages
from perturbations.addons.reports import Reports
from perturbations.addons.script import Script
from perturbations.addons.site_faults import SiteFaults
from perturbations.addons.site_route import SiteRoute
from perturbations.addons.submissions import Submissions
from perturbations.addons.whole_documents import WholeDocuments


def proxy_addons(episodes: Episodes, site_key: str) -> list[object]:
    """Return the addons, given the key that the sites require."""
    return [
        # Who comes, and what for.
        episodes,
        Credential(),
        Hosts(),
        BodyLimit(),
        OwnPages(),
        # A report is no traffic of the page, and a page that is loaded ahead is not shown yet: they come before what
        # counts.
        Reports(),
        ObservedPages(),
        EarlyLoads(),
        StartedFlows(),
        # The headers of an answer, if the site gave it: its fault is taken off before anything of ours is put in.
        OwnAnswers(),
        SiteFaults(),
        Script(),
        # Before what is open is counted, because what is kept never goes to the site; after the script, because it
        # listens to a body that is set to stream.
        KeptAssets(),
        OpenFlows(),
        # What goes on to the site.
        SiteRoute(site_key),
        Submissions(),
        WholeDocuments(),
    ]
