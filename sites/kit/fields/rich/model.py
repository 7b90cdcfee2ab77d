"""A rich text field: paragraphs with bold words, headings, lists and links."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Answers, Line
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.wording import markup

type Tool = Literal["rich_bold", "rich_heading", "rich_list", "rich_link"]


class Rich(Line):
    """A text that people format in an editor; without scripts, they type its markup.

    It is sent and stored with the markup of `sites/kit/wording/markup.py`; plain text is stored unchanged.
    """

    type: Literal["rich"]
    length: int = 8000
    tools: tuple[Tool, ...] = ("rich_bold", "rich_list", "rich_link")
    """Label keys of the buttons above the text; the script identifies a button by the word after the underscore."""
    hint: Label = ""
    """Label key of the hint below the text."""
    language: Template = ""
    """Template of the language for spell checking, as in HTML's `lang`."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the language."""
        return visit.fill(self.language, names)

    def worth(self, text: str, answers: Answers) -> str:
        """Return the text with normalised markup."""
        return markup.tidied(text)
