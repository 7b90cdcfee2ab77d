"""Visible changes planted in the site's own nodes of a live page, among whatever a mode added."""

PLANTS: dict[str, tuple[str, str]] = {
    "a letter": ("text && /[a-z]/i.test(text.data)", 'text.data = text.data.replace(/[a-z]/i, swap("q", "r"))'),
    "a digit": ("text && /[0-9]/.test(text.data)", 'text.data = text.data.replace(/[0-9](?=[^0-9]*$)/, swap("7", "8"))'),
    "words more": ("text && text.data.trim()", 'element.append(" and more")'),
    "a row less": ('element.matches("li, tr, option, article, [itemscope], [itemprop]")', "element.remove()"),
    "another order": ("next && textOf(element) && textOf(next) && textOf(element) !== textOf(next)", "element.before(next)"),
    "where it leads": ('element.matches("a[href]")', "element.href += 'x'"),
    "where it sends": ('element.matches("form[action]")', "element.setAttribute('action', element.getAttribute('action') + 'x')"),
    "a value": ('element.matches(`input:not([type]), ${TYPED}, textarea`)', 'element.value += "7"'),
    "a tick": ('element.matches("[type=checkbox], [type=radio]") && !element.checked', "element.checked = true"),
    "half a tick": ('element.matches("[type=checkbox]")', "element.indeterminate = true"),
    "another option": ('element.matches("option") && !element.selected', "element.selected = true"),
    "hidden": ("seen(element)", "element.hidden = true; seen(element) && undo()"),
    "not displayed": ("seen(element)", "element.style.setProperty('display', 'none', 'important')"),
    "not visible": ("seen(element)", "element.style.setProperty('visibility', 'hidden', 'important')"),
    "hidden by a style sheet": ("seen(element) && !element.id", "hide(element)"),
    "inert": ("!element.closest('[inert]')", "element.inert = true"),
    "read-only": ('element.matches(`input:not([type]), ${TYPED}, textarea`) && !element.readOnly', "element.readOnly = true"),
    "disabled": ('element.matches("button, input, select, textarea") && !element.matches(":disabled")', "element.disabled = true"),
    "disabled by a fieldset": ('element.matches("fieldset") && !element.disabled && element.elements.length', "element.disabled = true"),
    "open": ('element.matches("details, dialog") && !element.open', "element.open = true"),
    "a role": ('!element.hasAttribute("role")', 'element.setAttribute("role", "alert")'),
    "a label": ('element.matches("a[href], button, input:not([type=hidden]), select")', 'element.setAttribute("aria-label", "Another")'),
}  # fmt: skip
"""By name: which elements of the site fit, and the change."""

_TABLE = ",\n".join(
    f"{name!r}: [({{ element, next, text }}) => {fits}, ({{ element, next, text }}) => {{ {does}; }}]"
    for name, (fits, does) in PLANTS.items()
)
PLANT = f"""([plant, index, ours, exact]) => {{
  // `ours` are the kinds of the nodes that a mode made or changed, by their number in the document.
  const kinds = new Map();
  const walker = document.createTreeWalker(document);
  for (let number = 0; walker.nextNode(); number += 1) if (ours[number]) kinds.set(walker.currentNode, ours[number]);
  const isAdded = (node) => node && (kinds.get(node) === "added" || isAdded(node.parentNode));
  const parentOf = (node) => (kinds.get(node.parentNode) === "wrapper" ? parentOf(node.parentNode) : node.parentNode);
  const UNREAD = "script, style, template, noscript, svg, [hidden] *";
  const elements = [...document.body.querySelectorAll("*")].filter((element) => !kinds.has(element) || kinds.get(element) === "rewritten")
    .filter((element) => !isAdded(element) && !element.closest(UNREAD));
  const TYPED = "[type=text], [type=search], [type=email], [type=password], [type=tel], [type=url]";
  const seen = (element) => element.checkVisibility({{ visibilityProperty: true }});
  const textOf = (element) => element.textContent.replace(/\\s+/g, " ").trim();
  const swap = (first, second) => (was) => (was === first ? second : first);
  let undone = false;
  const undo = () => (undone = true);
  const hide = (element) => {{
    element.id = "planted";
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("#planted {{ display: none !important }}");
    document.adoptedStyleSheets.push(sheet);
  }};
  const table = {{ {_TABLE} }};
  const [fits, plants] = table[plant];
  // Returns an element with its next sibling and, if it is a single unchanged node, its own text.
  const about = (element) => {{
    const texts = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    const text = texts.length === 1 && !kinds.has(texts[0]) ? texts[0] : null;
    const next = elements.slice(elements.indexOf(element)).find((node) => node !== element && parentOf(node) === parentOf(element));
    return {{ element, text, next: next && next.parentNode === element.parentNode ? next : null }};
  }};
  const fitting = exact === null ? elements.filter((element) => fits(about(element))) : [elements[exact]].filter((element) => fits(about(element)));
  if (!fitting.length) return null;
  if (index === null) return elements.indexOf(fitting[0]);
  const element = fitting[index % fitting.length];
  const number = elements.indexOf(element);
  plants(about(element));
  return undone ? null : number;
}}"""
"""A function of the name of a plant, a number that chooses the element (null: plant nothing), the nodes of ours, and the
number of an element among the site's own (null: any). It returns the number of the element that it has changed, or
would change; null if no element fits."""
