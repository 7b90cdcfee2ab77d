"""Frames: the site chooses the layout, a phone shows the title at once, and icons have names."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from pydantic import ValidationError

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.core.validation import sentence
from stressweb.html.accessible_name import Names
from stressweb.perturbations import MODES
from stressweb.runner.verify.crawling import one_of_each_kind
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit
from stressweb.sites.kit.look import icons, theme
from stressweb.sites.kit.look.contrast import WHITE, contrast, parsed
from stressweb.sites.kit.spec.site import Frame
from stressweb.walking.walker import Walker
from tests.support.crawling import SITES, site

type Visit = Callable[..., Page]

PHONE: ViewportSize = {"width": 390, "height": 844}
FOLD = 160
"""Largest distance of a page's title from the top of a phone's window, in pixels."""
HEADER = 64
"""Largest height of the header of a phone's window, in pixels."""
ROWS_BEGIN = 340
"""Largest distance of the first row of a mailbox from the top of a phone's window, in pixels."""
TOOLBAR_LINES = """() => new Set([...document.querySelectorAll('.kit-bar :is(a, button)')]
  .filter(node => node.checkVisibility()).map(node => Math.round(node.getBoundingClientRect().top))).size"""
HIDDEN = """pane => [...pane.querySelectorAll('a, [type=search]')]
  .filter(node => !node.checkVisibility()).map(node => node.textContent.trim() || node.name)"""
OPEN = "pane => pane.matches(':popover-open')"
SHOWN = """pane => [...pane.querySelectorAll('a, button, [type=search]')].filter(node => node.checkVisibility())
  .map(node => node.textContent.trim())"""
BOX = "node => node.getBoundingClientRect().toJSON()"
COLOURS = """node => {
  const shown = [node, ...node.querySelectorAll('*')].filter(part => part.checkVisibility() && part.localName !== 'option'
    && (part.matches('.kit-icon') || [...part.childNodes].some(text => text.nodeType === 3 && text.data.trim())));
  return shown.map(part => {
    let ground = part;
    while (ground.parentElement && /^rgba.*, 0\\)$|^transparent$/.test(getComputedStyle(ground).backgroundColor)
      || ground.matches('.kit-icon')) ground = ground.parentElement;
    return [part.textContent.trim(), getComputedStyle(part).color, getComputedStyle(ground).backgroundColor];
  });
}"""
"""Texts and icons in a node that are visible, each with its colour and that of its ground."""


def opened(world: World, visit: Visit, name: str, seed: int = 3) -> tuple[EpisodeWorld, Page]:
    (clean,) = parse("clean", MODES)
    episode = world.open(site(name, seed), clean, Seeds(seed, 0, f"{name}/x"))
    page = visit(episode, lambda page: page.set_viewport_size(PHONE))
    page.locator("main:not([aria-busy]) h1").wait_for()
    return episode, page


def illegible(node: Locator) -> list[tuple[str, str, str]]:
    """Return the texts and icons in a node that have too little contrast, with their colours."""
    parts: list[tuple[str, str, str]] = [(text, colour, ground) for text, colour, ground in node.evaluate(COLOURS)]
    assert parts
    return [part for part in parts if contrast(parsed(part[1], WHITE), parsed(part[2], WHITE)) < 4.5]


def test_the_layout_is_the_site_s_and_not_the_seed_s() -> None:
    assert len({site(name, 0).spec.frame.layout for name in SITES}) >= 5
    for name in SITES:
        layouts = {site(name, seed).spec.frame.layout for seed in (0, 1)}
        pages = [Walker(site(name, seed)).html for seed in (0, 1)]
        assert [f"kit-frame-{layout}" in page for layout in layouts for page in pages] == [True, True]


def test_a_theme_that_looks_drawn_by_hand_is_gone() -> None:
    assert "sketchy" not in theme.THEMES


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"layout": "storefrnt"}, "did you mean storefront"),
        ({"logo": "house-dor"}, "did you mean house-door"),
        ({"primary": "link_nwe", "links": {"link_new": "/new"}}, "did you mean link_new"),
        ({"shortcut": "link_crat", "links": {"link_cart": "/cart"}}, "did you mean link_cart"),
    ],
)
def test_a_mistake_in_a_frame_names_the_nearest(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Frame.model_validate({"name": "shop_name", **wrong})
    assert message in sentence(caught.value.errors()[0])


def test_every_icon_of_the_kit_exists() -> None:
    frames = [kit.load(name, 0).spec.frame for name in SITES]
    assert {icon for frame in frames for icon in icons.used(frame)} <= icons.shapes().keys()
    sheet = icons.stylesheet(["house-door"])
    assert sheet.startswith('.kit-icon-house-door { --kit-shape: url("data:image/svg+xml,')
    assert sheet.count('"') == 2


@pytest.mark.parametrize("name", SITES)
def test_the_header_shows_once_whose_account_it_is_and_no_link_has_another_name(name: str) -> None:
    world = site(name, 3)
    walker = Walker(world)
    pictures = walker.page.xpath("//img[contains(@class, 'kit-portrait')][not(ancestor::footer)]")
    # Who is not signed in has no face.
    assert len(pictures) == (0 if world.spec.people and world.spec.people.sign_in else 1)
    for picture in pictures:
        assert picture.get("alt") == ""
        assert walker.fetch(picture.get("src")).status_code == 200
        for link in picture.xpath("ancestor::a"):
            label = next(label for label in ("link_profile", "link_account") if label in world.labels)
            assert Names(walker.page).name(link) == world.labels[label]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", SITES)
def test_an_icon_alone_has_a_name_and_no_icon_is_read(name: str) -> None:
    walker = Walker(site(name, 3))
    for path in one_of_each_kind(Walker(site(name, 3))):
        walker.get(path)
        names = Names(walker.page)
        for icon in walker.page.xpath("//*[contains(@class, 'kit-icon-')]"):
            assert icon.get("aria-hidden") == "true"
            control = next(
                (ancestor for ancestor in icon.iterancestors() if ancestor.tag in ("a", "button", "summary")), None
            )
            assert control is None or names.name(control), path


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", SITES)
def test_a_phone_shows_the_title_at_once_and_every_link_behind_a_button(world: World, visit: Visit, name: str) -> None:
    episode, page = opened(world, visit, name)
    assert page.locator("h1").bounding_box()["y"] <= FOLD  # type: ignore[index]
    for opens in page.locator("[popovertarget]").all():
        assert illegible(opens) == []
        opens.focus()
        page.keyboard.press("Enter")
        target = page.locator(f"#{opens.get_attribute('popovertarget')}")
        assert target.evaluate(OPEN)
        assert target.evaluate(HIDDEN) == []
        assert illegible(target) == []
        page.keyboard.press("Escape")
        assert not target.evaluate(OPEN)
    page.set_viewport_size({"width": 1280, "height": 720})
    for pane in ("#site-menu", "#site-finder"):
        assert page.locator(pane).evaluate(HIDDEN) == []
    assert not page.locator("[popovertarget] >> visible=true").count()
    episode.close()


def test_on_a_phone_filters_and_tools_are_behind_buttons(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "mail")
    row, archive = page.locator(".kit-tick").first, page.locator("[formaction='/several/archive']")
    assert row.bounding_box()["y"] <= ROWS_BEGIN  # type: ignore[index]
    assert not archive.is_visible()
    row.locator("input").check()
    page.locator("[popovertarget=tools]").click()
    archive.click()
    page.locator("main:not([aria-busy]) [role=status], .alert[role=status]").first.wait_for()
    episode.close()


# The world 12 has the widest labels of the first 24, the world 6 the longest names of views.
@pytest.mark.parametrize("seed", [6, 12])
def test_on_a_phone_the_tools_of_the_calendar_are_two_lines(world: World, visit: Visit, seed: int) -> None:
    episode, page = opened(world, visit, "calendar", seed)
    assert page.evaluate(TOOLBAR_LINES) == 2
    switch = page.locator(".kit-segments")
    assert switch.evaluate("node => node.scrollWidth <= node.clientWidth")
    page.get_by_role("link", name=site("calendar", seed).labels["next_month"], exact=True).click()
    page.wait_for_url("**/month/*")
    episode.close()


def test_on_a_phone_the_first_screen_of_the_overview_has_projects(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "tasks")
    tile, project = page.locator(".kit-tile").first, page.locator("[itemtype$=Project]").first
    assert project.bounding_box()["y"] <= PHONE["height"] - 200  # type: ignore[index]
    # A tap beside the name counts as one on the name.
    tile.locator("[itemprop=value]").click(force=True)
    page.wait_for_url("**/items?due=over")
    episode.close()


@pytest.mark.parametrize("seed", [3, 11])
@pytest.mark.parametrize("name", [name for name in SITES if site(name, 3).spec.frame.primary])
def test_the_main_action_covers_nothing_on_a_phone(name: str, seed: int, world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, name, seed)
    for scroll in (0, 400):
        page.evaluate("y => window.scrollTo(0, y)", scroll)
        assert covered_by(page.locator(".kit-primary"), page.locator("main, .kit-brand, .kit-open")) == []
    episode.close()


@pytest.mark.parametrize("seed", [3, 11])
@pytest.mark.parametrize("name", [name for name in SITES if site(name, 3).spec.frame.shortcut])
def test_a_phone_has_the_shortcut_in_the_header_and_an_open_menu_in_its_place(
    name: str, seed: int, world: World, visit: Visit
) -> None:
    episode, page = opened(world, visit, name, seed)
    drawn = site(name, seed)
    links = page.locator("header, .kit-side").get_by_role(
        "link", name=drawn.labels[drawn.spec.frame.shortcut], exact=True
    )
    expect(links).to_have_count(1)
    assert covered_by(links, page.locator("main, .kit-brand, .kit-open, .kit-primary")) == []
    assert links.evaluate(BOX)["bottom"] <= HEADER
    assert illegible(page.locator(".kit-shortcut")) == []
    assert page.locator("#site-menu").evaluate(SHOWN) == [drawn.labels[drawn.spec.frame.shortcut]]
    page.locator("[popovertarget=site-menu]").click()
    expect(links).to_have_count(1)
    assert links.evaluate("link => link.closest(':popover-open') && link.getBoundingClientRect().width > 150")
    page.keyboard.press("Escape")
    links.click()
    page.wait_for_url(f"**{({**drawn.spec.frame.links, **drawn.spec.frame.sections})[drawn.spec.frame.shortcut]}")
    episode.close()


def test_the_shortcut_counts_what_is_in_the_basket(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "shop")
    assert not page.locator(".kit-shortcut .badge").count()
    for count in ("1", "2"):
        page.locator("form[action='/cart/add'], form[action*=add]").first.locator("button").click()
        expect(page.locator(".kit-shortcut .badge")).to_have_text(count)
        assert page.locator(".kit-shortcut .badge").is_visible()
        page.goto(page.url.partition("/cart")[0])
    episode.close()


def covered_by(control: Locator, others: Locator) -> list[dict[str, float]]:
    """Return the boxes of other elements that a control of 44 pixels covers."""
    action = control.evaluate(BOX)
    assert (round(action["width"]), round(action["height"])) == (44, 44)
    return [
        box
        for box in others.evaluate_all(f"nodes => nodes.map({BOX})")
        if min(action["right"], box["right"]) > max(action["left"], box["left"])
        and min(action["bottom"], box["bottom"]) > max(action["top"], box["top"])
    ]
