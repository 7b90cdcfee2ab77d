"""Readable colours: a theme's own, changed until their contrast meets WCAG.

https://www.w3.org/TR/WCAG22/#contrast-minimum: text needs a contrast of 4.5 with its background. Most Bootswatch themes
have many pairs below that. Hues are unchanged. Only the lightness of texts changes, and whether text on a fill is black
or white. https://www.w3.org/TR/WCAG22/#non-text-contrast: the boundary of a button needs a contrast of 3.
"""

import re
from collections.abc import Mapping, Sequence
from string import Template

type Colour = tuple[float, float, float]
"""Red, green and blue, from 0 to 255."""

ENOUGH = 4.6
"""Minimum contrast of every text: a little more than 4.5, because browsers round colours."""
EDGE = 3.1
"""Minimum contrast of the boundary of a button: a little more than 3, which WCAG 2.2 asks of controls."""
ROLES = ("primary", "secondary", "success", "info", "warning", "danger", "light", "dark")
"""Names of a theme's colours for buttons, badges, bars and boxes."""
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
_BLOCK = r":root,\s*\[data-bs-theme=\"?light\"?\]\s*\{(.*?)\}"


def luminance(colour: Colour) -> float:
    """Return the relative luminance of a colour, from 0 to 1."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    light, dark = sorted((luminance(first), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(base: Colour, other: Colour, share: float) -> Colour:
    """Return a colour mixed with a share of another colour, from 0 to 1."""
    red, green, blue = (a + (b - a) * share for a, b in zip(base, other, strict=True))
    return (red, green, blue)


def parsed(text: str, ground: Colour) -> Colour:
    """Return a CSS colour as it looks on a background; raises ValueError for a text that is not a known colour."""
    text = text.strip().lower()
    if match := re.fullmatch(r"#([0-9a-f]{3}|[0-9a-f]{6})", text):
        digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
        return (int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16))
    if match := re.fullmatch(r"rgba?\(([^)]*)\)", text):
        red, green, blue, *rest = (float(part) for part in match[1].split(","))
        return mixed(ground, (red, green, blue), rest[0] if rest else 1)
    raise ValueError(f"{text!r} is not a known colour")


def hexed(colour: Colour) -> str:
    """Return a colour in CSS notation."""
    return "#" + "".join(f"{round(part):02x}" for part in colour)


def black_or_white(fill: Colour) -> Colour:
    """Return white if it is readable on a fill, otherwise black."""
    return WHITE if contrast(WHITE, fill) >= ENOUGH else BLACK


def readable(colour: Colour, grounds: Sequence[Colour], wanted: float = ENOUGH) -> Colour:
    """Return a colour moved towards black or white, no further than needed to be readable on these backgrounds."""
    end = WHITE if luminance(grounds[0]) < 0.18 else BLACK
    steps = (mixed(colour, end, step / 40) for step in range(41))
    return next(
        (candidate for candidate in steps if all(contrast(candidate, ground) >= wanted for ground in grounds)), end
    )


def palette(sheet: str, dark: bool) -> Mapping[str, Colour]:
    """Return the colours of a theme's style sheet by name, each readable on its backgrounds."""
    block = re.search(_BLOCK, sheet, re.DOTALL)
    variables = dict(re.findall(r"--bs-([\w-]+):\s*([^;]+)", block[1])) if block else {}
    ground = parsed(variables.get("body-bg", "#fff"), WHITE)
    if dark:
        # A background of medium lightness looks like a dimmed page, and leaves too little contrast for fills and boxes.
        ground = next(
            candidate
            for candidate in (mixed(ground, BLACK, step / 20) for step in range(21))
            if contrast(candidate, WHITE) >= 13
        )
    surface = mixed(ground, WHITE if dark else BLACK, 0.06 if dark else 0.04)
    grounds = (ground, surface)
    body = parsed(variables.get("body-color", "#212529"), ground)
    if max(body) - min(body) > 100:
        # Text in a glaring colour is for signs; links and buttons keep it.
        body = mixed(body, WHITE if dark else BLACK, 0.8)
    # On a dark page, grey text looks switched off.
    body = readable(body, grounds, 11 if dark else 8)
    colours = {
        "ground": ground,
        "surface": surface,
        "text": body,
        "muted": readable(mixed(body, ground, 0.35), grounds),
    }
    colours |= {role: parsed(variables.get(role, "#6c757d"), ground) for role in ROLES}
    if dark and luminance(colours["dark"]) > luminance(ground) + 0.2:
        # Beside a dark page, a pale bar would look like another page.
        colours["dark"] = mixed(ground, WHITE, 0.12)
    colours["link"] = readable(parsed(variables.get("link-color", "#0d6efd"), ground), grounds)
    colours["wrong"] = readable(colours["danger"], grounds)
    colours["star"] = readable(colours["warning"], grounds)
    colours["above"] = black_or_white(colours["primary"])
    colours["line"] = mixed(ground, body, 0.22)
    colours["edge"] = readable(colours["line"], grounds, EDGE)
    colours["tonal"] = readable(colours["primary"], grounds, EDGE)
    return colours


def sheet_of(colours: Mapping[str, Colour]) -> str:
    """Return the style rules that replace a theme's colours by a palette."""
    names = {name: hexed(colour) for name, colour in colours.items()}
    parts = {f"{name}_rgb": ", ".join(str(round(part)) for part in colour) for name, colour in colours.items()}
    return _SHEET.substitute({**names, **parts, "in": _IN}) + "".join(_role(role, colours) for role in ROLES)


def _role(role: str, colours: Mapping[str, Colour]) -> str:
    fill, ground = colours[role], colours["ground"]
    above, soft = black_or_white(fill), mixed(ground, fill, 0.14)
    return _ROLE.substitute(
        {"in": _IN},
        role=role,
        fill=hexed(fill),
        above=hexed(above),
        # Move it away from the text colour, so that a button under the pointer is even more readable.
        near=hexed(mixed(fill, BLACK if above == WHITE else WHITE, 0.14)),
        soft=hexed(soft),
        said=hexed(readable(colours["text"], (soft,))),
        edge=hexed(mixed(ground, fill, 0.5)),
        rim=hexed(readable(fill, (ground, colours["surface"]), EDGE)),
        on_fill=hexed(readable(mixed(fill, above, 0.4), (fill,), EDGE)),
    )


_IN = ":is(body, section)"
"""First selector of the rules: inside a shadow root, where there is no body, each block is a section."""
_SHEET = Template("""
:root, [data-bs-theme] {
  --bs-body-bg: $ground; --bs-body-bg-rgb: $ground_rgb; --bs-body-color: $text; --bs-body-color-rgb: $text_rgb;
  --bs-emphasis-color: $text; --bs-secondary-color: $muted; --bs-tertiary-color: $muted; --bs-heading-color: inherit;
  --bs-tertiary-bg: $surface; --bs-tertiary-bg-rgb: $surface_rgb; --bs-secondary-bg: $surface; --bs-border-color: $line;
  --bs-link-color: $link; --bs-link-hover-color: $text; --bs-primary: $primary; --kit-above: $above; --kit-star: $star;
  --kit-edge: $edge; --kit-tonal: $tonal;
}
/* On a fill, buttons have another edge; what opens above it has the page's colours. */
$in :is(.card, dialog, [popover]) { --kit-edge-on-fill: initial; }
html body { background: $ground; color: $text; }
$in, $in * { text-shadow: none !important; }
/* Twice, because a theme has rules for cards with an edge of their own. */
$in .card.card, $in .table > * > * > * { background: $ground; color: $text; backdrop-filter: none; box-shadow: none; }
$in .card.border-primary { border: 1px solid $line; }
$in .card.shadow-sm { box-shadow: 0 .125rem .4rem rgba(0, 0, 0, .16); border: 1px solid $line !important; }
$in .card-header { background: $surface; color: $text; }
$in .form-control, $in .form-select { background-color: $ground; color: $text; }
$in .form-control, $in .form-select, $in .form-check-input { border: 1px solid $muted; }
$in .form-control, $in .form-select { padding-left: .75rem; }
$in .form-control::placeholder { color: $muted; opacity: 1; }
$in .breadcrumb { background: none; border: 0; box-shadow: none; padding-left: 0; padding-right: 0; }
$in a, $in .nav .nav-link:not(.active), $in .breadcrumb a { color: $link; }
$in .text-body-secondary, $in .breadcrumb-item, $in .breadcrumb-item.active, $in .breadcrumb-item::before {
  color: $muted !important;
}
$in .bg-body-tertiary { background: $surface !important; color: $text; }
$in :is(.form-label, .form-check-label, .lead, h1, h2, h3, h4) { color: inherit; }
$in .invalid-feedback { color: $wrong; }
$in .is-invalid.is-invalid { border-color: $wrong; }
$in .navbar.bg-body-tertiary { color: $text; }
$in .navbar.bg-body-tertiary :is(a:not(.btn), .navbar-brand, .navbar-text) { color: $text; }
""")
_ROLE = Template("""
$in :is(.bg-$role, .text-bg-$role) { --kit-edge-on-fill: $on_fill; }
$in .btn.btn-$role { background-color: $fill; color: $above; background-image: none; opacity: 1; }
$in .btn.btn-$role { border-color: var(--kit-edge-on-fill, $rim); }
$in .btn.btn-$role:is(:hover, :focus, :active) { background-color: $near; color: $above; }
$in .text-bg-$role { background: $fill !important; color: $above !important; opacity: 1; }
$in .navbar.bg-$role { background: $fill !important; color: $above; }
$in .navbar.bg-$role :is(a:not(.btn), .navbar-brand, .navbar-text) { color: $above; }
$in .alert-$role { background: $soft; color: $said; border: 1px solid $edge; opacity: 1; }
""")
