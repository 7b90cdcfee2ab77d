"""Parts of a page that are behind a button in a narrow window."""

from pathlib import Path

from stressweb.walking.walker import Walker
from tests.sites.kit.tiny_site import SPEC, tiny

TWO = SPEC.replace("{widget: bar, widgets:", "{widget: bar, opens: shout, widgets:") + (
    "      - {widget: bar, opens: shout, widgets: [{widget: shout, label: shout, times: 2}]}\n"
)


def test_each_button_opens_its_own_part(tmp_path: Path) -> None:
    page = Walker(tiny(tmp_path, spec=TWO.replace('"{word}!"', '"Loud"')).world(0)).page
    panes_by_button = [
        page.xpath(f"//main//*[@id='{target}']") for target in page.xpath("//main//button/@popovertarget")
    ]
    assert [[len(pane.xpath(".//b")) for pane in panes] for panes in panes_by_button] == [[1], [2]]
