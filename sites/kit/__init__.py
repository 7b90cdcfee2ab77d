"""What turns a site's spec and a world seed into a site. Other packages import from here, not from its modules."""

from sites import names
from sites.kit.catalogue import KitSite, load, shipped_site, tasks
from sites.kit.data.drawing import Drawing
from sites.kit.folder import KIT
from sites.kit.loading.schema import site_schema
from sites.kit.logic.trash import Trash
from sites.kit.refusals import MissingError, RefusedError
from sites.kit.serving.documents import Download
from sites.kit.serving.visit import Visit
from sites.kit.serving.world import KitWorld
from sites.kit.spec.conditions import follow
from sites.kit.spec.entities import Source
from sites.kit.spec.fields import Answers, Field, Fields, Line
from sites.kit.spec.strict import Action, Condition, EntityName, Function, Label, PageName, StagedEntity, Template
from sites.kit.spec.widgets import AnyPart, AnyWidget, Lists, Part, Widget
from sites.kit.wording.dates import moment
from sites.kit.wording.slugs import slug

__all__ = [
    "KIT", "Action", "Answers", "AnyPart", "AnyWidget", "Condition", "Download", "Drawing", "EntityName", "Field",
    "Fields", "Function", "KitSite", "KitWorld", "Label", "Line", "Lists", "MissingError", "PageName", "Part",
    "RefusedError", "Source", "StagedEntity", "Template", "Trash", "Visit", "Widget", "follow", "load", "moment",
    "names", "shipped_site", "site_schema", "slug", "tasks",
]  # fmt: skip
