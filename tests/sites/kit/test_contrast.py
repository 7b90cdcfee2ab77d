"""Every text colour of a theme has enough contrast with its background."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

from stressweb.sites import kit
from stressweb.sites.kit.look import contrast, theme
from stressweb.sites.kit.look.contrast import BLACK, ROLES, WHITE
from stressweb.walking.walker import Walker

PARTS = st.integers(0, 255)
COLOURS = st.tuples(PARTS, PARTS, PARTS)


@pytest.mark.parametrize(
    ("colour", "second_colour", "expected"),
    # The values of WebAIM's contrast checker, which are those of the definition.
    [("#000", "#fff", 21), ("#777", "#fff", 4.48), ("#767676", "#fff", 4.54), ("#0d6efd", "#fff", 4.5)],
)  # fmt: skip
def test_contrast_is_the_definition_s(colour: str, second_colour: str, expected: float) -> None:
    colours = contrast.parsed(colour, WHITE), contrast.parsed(second_colour, WHITE)
    assert contrast.contrast(*colours) == pytest.approx(expected, abs=0.01)
    assert contrast.contrast(*reversed(colours)) == contrast.contrast(*colours)


@pytest.mark.parametrize("name", theme.THEMES)
def test_every_text_of_a_theme_can_be_read(name: str) -> None:
    colours = contrast.palette(theme.original(name), name in theme.DARK)
    for ground in (colours["ground"], colours["surface"]):
        for text in ("text", "muted", "link", "wrong", "star"):
            assert contrast.contrast(colours[text], ground) >= 4.5, text
    for role in ROLES:
        assert contrast.contrast(contrast.black_or_white(colours[role]), colours[role]) >= 4.5, role
    assert (contrast.luminance(colours["ground"]) < 0.18) == (name in theme.DARK)
    if name in theme.DARK:
        # A dark page is dark, and its dark bar is, too.
        assert contrast.contrast(WHITE, colours["ground"]) >= 13
        assert contrast.contrast(WHITE, colours["dark"]) >= 10
    # Readable, and still the theme's colours, which its buttons have.
    assert f"section) .btn.btn-primary {{ background-color: {contrast.hexed(colours['primary'])}" in theme.stylesheet(
        name
    )


TABS = """<!doctype html><style>{}</style><main><nav><ul class="nav nav-tabs">
<li class="nav-item"><a class="nav-link active" href="/open">Open</a>
<li class="nav-item"><a class="nav-link" href="/other">Other</a></ul></nav></main>"""
DRAWN = """[...document.querySelectorAll('a')].map(tab => [
  getComputedStyle(tab).color, getComputedStyle(tab).backgroundColor, getComputedStyle(document.body).backgroundColor
])"""


def test_tabs_can_be_read_in_every_theme(browser: Browser) -> None:
    """As the browser draws them: each theme fills the open tab in its own way."""
    served = Walker(kit.load("files", 0))
    page, wrong = browser.new_page(), []
    for name in theme.THEMES:
        page.set_content(TABS.format(served.fetch(f"/assets/{name}.css").get_data(as_text=True)))
        for i, (text, fill, body) in enumerate(page.evaluate(DRAWN)):
            ground = contrast.parsed(fill, contrast.parsed(body, WHITE))
            if contrast.contrast(contrast.parsed(text, ground), ground) < 4.5:
                wrong.append((name, i, text, fill))
    page.close()
    assert wrong == []


QUIET = """<div class="{}"><button class="btn btn-light border">Reset</button> <a class="btn kit-tonal btn-sm">Buy</a>
<button class="btn btn-light border btn-sm">Edit</button> <button class="btn {}">All products</button></div>"""
GROUNDS = ("kit-block", "bg-body-tertiary", "card card-body", "text-bg-primary", "text-bg-dark",
           'navbar bg-primary" data-bs-theme="dark', 'navbar bg-dark" data-bs-theme="dark',
           "navbar bg-body-tertiary")  # fmt: skip
MAIN_BUTTONS = ("btn-primary", "btn-success", "btn-info", "btn-dark")
BUTTONS = """<!doctype html><html data-bs-theme="{}"><style>{} * {{ transition: none !important }}</style><body>{}
<nav class="navbar bg-primary"><div popover="manual" class="bg-body">{}</div></nav>"""
BOUNDARIES = """() => {
  document.querySelector('[popover]').showPopover();
  const pixel = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const paint = (...colours) => {
    for (const colour of colours) { pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1); }
    return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  return [...document.querySelectorAll('.btn')].map(button => {
    const style = getComputedStyle(button), colours = [];
    for (let node = button.parentElement; node; node = node.parentElement)
      colours.unshift(getComputedStyle(node).backgroundColor);
    const drawn = ['Top', 'Right', 'Bottom', 'Left'].every(side =>
      parseFloat(style[`border${side}Width`]) >= 1 && style[`border${side}Style`] === 'solid');
    const ground = paint('#fff', ...colours), fill = paint('#fff', ...colours, style.backgroundColor);
    const edge = drawn ? paint('#fff', ...colours, style.backgroundColor, style.borderTopColor) : fill;
    return [`${button.parentElement.className}: ${button.className}`, ground, edge, fill, paint(style.color)];
  });
}"""


def test_buttons_stand_out_and_can_be_read_in_every_theme(browser: Browser) -> None:
    """As the browser draws them, on every ground: the boundary or the fill differs from what is around the button."""
    served = Walker(kit.load("shop", 0))
    page, wrong = browser.new_page(), []
    content = "".join(QUIET.format(ground, main) for ground in GROUNDS for main in MAIN_BUTTONS)
    for name in theme.THEMES:
        sheet = served.fetch(f"/assets/{name}.css").get_data(as_text=True)
        shade = "dark" if name in theme.DARK else "light"
        page.set_content(BUTTONS.format(shade, sheet, content, QUIET.format("kit-links", "btn-primary")))
        for button, ground, edge, fill, text in page.evaluate(BOUNDARIES):
            boundary = max(contrast.contrast(ground, colour) for colour in (edge, fill))
            if boundary < 3 or contrast.contrast(text, fill) < 4.5:
                wrong.append((name, button, boundary, contrast.contrast(text, fill)))
    page.close()
    assert wrong == []


@given(COLOURS, COLOURS)
def test_a_colour_is_moved_no_further_than_it_must(colour: contrast.Colour, ground: contrast.Colour) -> None:
    readable_colour = contrast.readable(colour, (ground,))
    if contrast.contrast(colour, ground) >= contrast.ENOUGH:
        assert readable_colour == colour
    else:
        assert contrast.contrast(readable_colour, ground) >= contrast.ENOUGH or readable_colour in (BLACK, WHITE)


@given(COLOURS)
def test_black_or_white_can_be_read_on_any_fill(fill: contrast.Colour) -> None:
    assert contrast.contrast(contrast.black_or_white(fill), fill) >= 4.5


def test_a_translucent_colour_is_what_it_looks_like() -> None:
    assert contrast.parsed("rgba(255, 255, 255, 0.5)", BLACK) == (127.5, 127.5, 127.5)
    with pytest.raises(ValueError, match="'reddish' is not a known colour"):
        contrast.parsed("reddish", BLACK)
