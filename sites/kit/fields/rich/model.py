"""Several paragraphs of text, with bold words, headings, lists and links."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Answers, Line
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.wording import markup

type Tool = Literal["rich_bold", "rich_heading", "rich_list", "rich_link"]


class Rich(Line):
    """A text that scripts let people lay out as they see it; without scripts they type its markup.

    What is sent and stored is the markup of `sites/kit/wording/markup.py`: a text without any is stored as it is.
    """

    type: Literal["rich"]
    length: int = 8000
    tools: tuple[Tool, ...] = ("rich_bold", "rich_list", "rich_link")
    """Label keys of the buttons above the text; the script knows them by what stands behind the underscore."""
    hint: Label = ""
    """Label key of what stands below the text."""
    language: Template = ""
    """Template of the language in which words are checked, as HTML names it."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the language."""
        return visit.fill(self.language, names)

    def worth(self, text: str, answers: Answers) -> str:
        """Return the text with its markup written in one way."""
        return markup.tidied(text)
