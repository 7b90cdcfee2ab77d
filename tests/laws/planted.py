"""Visible changes planted in the site's own nodes of a live page, among whatever a mode added."""

PLANTS: dict[str, tuple[str, str]] = {
    "a letter": ("text && /[a-z]/i.test(text.data)", 'text.data = text.data.replace(/[a-z]/i, other("q", "r"))'),
    "a digit": ("text && /[0-9]/.test(text.data)", 'text.data = text.data.replace(/[0-9](?=[^0-9]*$)/, other("7", "8"))'),
    "words more": ("text && text.data.trim()", 'one.append(" and more")'),
    "a row less": ('one.matches("li, tr, option, article, [itemscope], [itemprop]")', "one.remove()"),
    "another order": ("next && said(one) && said(next) && said(one) !== said(next)", "one.before(next)"),
    "where it leads": ('one.matches("a[href]")', "one.href += 'x'"),
    "where it sends": ('one.matches("form[action]")', "one.setAttribute('action', one.getAttribute('action') + 'x')"),
    "a value": ('one.matches(`input:not([type]), ${TYPED}, textarea`)', 'one.value += "7"'),
    "a tick": ('one.matches("[type=checkbox], [type=radio]") && !one.checked', "one.checked = true"),
    "half a tick": ('one.matches("[type=checkbox]")', "one.indeterminate = true"),
    "another option": ('one.matches("option") && !one.selected', "one.selected = true"),
    "hidden": ("seen(one)", "one.hidden = true; seen(one) && undo()"),
    "not displayed": ("seen(one)", "one.style.setProperty('display', 'none', 'important')"),
    "not visible": ("seen(one)", "one.style.setProperty('visibility', 'hidden', 'important')"),
    "hidden by a style sheet": ("seen(one) && !one.id", "hide(one)"),
    "inert": ("!one.closest('[inert]')", "one.inert = true"),
    "read-only": ('one.matches(`input:not([type]), ${TYPED}, textarea`) && !one.readOnly', "one.readOnly = true"),
    "disabled": ('one.matches("button, input, select, textarea") && !one.matches(":disabled")', "one.disabled = true"),
    "disabled by a fieldset": ('one.matches("fieldset") && !one.disabled && one.elements.length', "one.disabled = true"),
    "open": ('one.matches("details, dialog") && !one.open', "one.open = true"),
    "a role": ('!one.hasAttribute("role")', 'one.setAttribute("role", "alert")'),
    "a label": ('one.matches("a[href], button, input:not([type=hidden]), select")', 'one.setAttribute("aria-label", "Another")'),
}  # fmt: skip
"""By name: which elements of the site fit, and the change."""

_TABLE = ",\n".join(
    f"{name!r}: [({{ one, next, text }}) => {fits}, ({{ one, next, text }}) => {{ {does}; }}]"
    for name, (fits, does) in PLANTS.items()
)
PLANT = f"""([plant, at, ours, exact]) => {{
  // `ours` are the kinds of the nodes that a mode made or changed, by their number in the document.
  const kinds = new Map();
  const walker = document.createTreeWalker(document);
  for (let number = 0; walker.nextNode(); number += 1) if (ours[number]) kinds.set(walker.currentNode, ours[number]);
  const isAdded = (node) => node && (kinds.get(node) === "added" || isAdded(node.parentNode));
  const parentOf = (node) => (kinds.get(node.parentNode) === "wrapper" ? parentOf(node.parentNode) : node.parentNode);
  const UNREAD = "script, style, template, noscript, svg, [hidden] *";
  const elements = [...document.body.querySelectorAll("*")].filter((one) => !kinds.has(one) || kinds.get(one) === "rewritten")
    .filter((one) => !isAdded(one) && !one.closest(UNREAD));
  const TYPED = "[type=text], [type=search], [type=email], [type=password], [type=tel], [type=url]";
  const seen = (one) => one.checkVisibility({{ visibilityProperty: true }});
  const said = (one) => one.textContent.replace(/\\s+/g, " ").trim();
  const other = (one, two) => (was) => (was === one ? two : one);
  let undone = false;
  const undo = () => (undone = true);
  const hide = (one) => {{
    one.id = "planted";
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("#planted {{ display: none !important }}");
    document.adoptedStyleSheets.push(sheet);
  }};
  const table = {{ {_TABLE} }};
  const [fits, plants] = table[plant];
  // Returns an element with its next sibling and, if it is one unchanged node, its own text.
  const about = (one) => {{
    const texts = [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    const text = texts.length === 1 && !kinds.has(texts[0]) ? texts[0] : null;
    const next = elements.slice(elements.indexOf(one)).find((node) => node !== one && parentOf(node) === parentOf(one));
    return {{ one, text, next: next && next.parentNode === one.parentNode ? next : null }};
  }};
  const found = exact === null ? elements.filter((one) => fits(about(one))) : [elements[exact]].filter((one) => fits(about(one)));
  if (!found.length) return null;
  if (at === null) return elements.indexOf(found[0]);
  const one = found[at % found.length];
  const number = elements.indexOf(one);
  plants(about(one));
  return undone ? null : number;
}}"""
"""A function of the name of a plant, a number that chooses the element (null: plant nothing), the nodes of ours, and the
number of an element among the site's own (null: any). It returns the number of the element that it has changed, or
would change; null if no element fits."""
