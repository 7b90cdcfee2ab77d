"""Several paragraphs of text, with bold words, lists and links."""

from typing import ClassVar, Literal

from sites.kit.asked import Answers, Line


class Rich(Line):
    """A text that scripts let people lay out as they see it; without scripts they type its markup.

    What is sent and stored is the markup of `sites/kit/markup.py`, so that a text without any is stored as it is.
    """

    type: Literal["rich"]
    length: int = 8000
    tools: ClassVar[tuple[str, ...]] = ("rich_bold", "rich_list", "rich_link")
    """Label keys of the buttons above the text; the script knows them by what stands behind the underscore."""

    def worth(self, text: str, answers: Answers) -> str:
        """Return the text with one character for the end of a line: browsers send two."""
        return text.replace("\r\n", "\n")
