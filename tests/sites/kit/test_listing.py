"""The line above a list: how many rows there are, and their order."""

import pytest

from stressweb.walking.walker import Walker
from tests.support.crawling import site, visitor


def caption(walker: Walker) -> str:
    (line,) = walker.page.xpath("//*[contains(@class, 'kit-order')]/*[contains(@class, 'text-body-secondary')]")
    return str(line.text_content())


@pytest.mark.parametrize("many", [1, 2])
def test_a_single_row_is_counted_in_the_singular(many: int) -> None:
    walker, labels = visitor("files", 0), site("files", 0).labels
    entities = site("files", 0).entities
    sizes = {place.id: sum(file.folder == place.id for file in entities["Paper"]) for place in entities["Place"]}
    walker.get(f"/folder/{next(folder for folder, size in sizes.items() if size == many)}")
    label = labels["found_single" if many == 1 else "found"]
    assert caption(walker) == label.format(count=many)
    assert caption(walker).endswith("file" if many == 1 else "files")
