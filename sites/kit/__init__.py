"""The kit: builds a site from a spec and a world seed. Other packages import from here, not from its modules."""

from stressweb.sites import names
from stressweb.sites.kit.catalogue import KitSite, load, shipped_site, tasks
from stressweb.sites.kit.data.drawing import Drawing
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.loading.schema import site_schema
from stressweb.sites.kit.logic.trash import Trash
from stressweb.sites.kit.refusals import MissingError, RefusedError
from stressweb.sites.kit.serving.documents import Download
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.serving.world import KitWorld
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Field, Fields, Line
from stressweb.sites.kit.spec.strict import (
    Action,
    Condition,
    EntityName,
    Function,
    Label,
    PageName,
    StagedEntity,
    Template,
)
from stressweb.sites.kit.spec.widgets import AnyPart, AnyWidget, Lists, Part, Widget
from stressweb.sites.kit.wording.dates import moment
from stressweb.sites.kit.wording.slugs import slug

__all__ = [
    "KIT", "Action", "Answers", "AnyPart", "AnyWidget", "Condition", "Download", "Drawing", "EntityName", "Field",
    "Fields", "Function", "KitSite", "KitWorld", "Label", "Line", "Lists", "MissingError", "PageName", "Part",
    "RefusedError", "Source", "StagedEntity", "Template", "Trash", "Visit", "Widget", "follow", "load", "moment",
    "names", "shipped_site", "site_schema", "slug", "tasks",
]  # fmt: skip
