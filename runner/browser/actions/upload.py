"""Puts offered files into a file field."""

from collections.abc import Sequence

from playwright.async_api import ElementHandle, FilePayload, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.plugins.actions import Action
from stressweb.plugins.offers import Offer
from stressweb.runner.browser.actions.target import Refused, find, in_own_frame, in_time, point, state_of
from stressweb.runner.browser.interruption import asking

# The target of a click at a position, also in shadow roots and frames; inside a label, the label.
_AT_JS = """([x, y]) => {
  let [root, element] = [document, null];
  for (;;) {
    const next = root.elementFromPoint(x, y);
    if (!next || next === element) break;
    element = next;
    const frame = element.contentDocument ?? null;
    if (frame) {
      const box = element.getBoundingClientRect();
      x -= box.left + element.clientLeft;
      y -= box.top + element.clientTop;
    }
    root = frame ?? element.shadowRoot;
    if (!root) break;
  }
  return element?.closest("label") ?? element;
}"""


async def upload(page: Page, action: Action, offers: Sequence[Offer]) -> None:
    """Choose offered files in a file field, which is often hidden; its label may be the target. Raises Refused.

    No file is written to disk: the browser gets names and contents directly.
    """
    assert action.files is not None
    chosen = [_find_offer(name, offers) for name in action.files]
    # The requested files were checked first, since a mistake there does not depend on the page.
    target = action.selector if action.selector is not None else f"({action.x:g}, {action.y:g})"
    handle = (
        await find(page, action.selector)
        if action.selector is not None
        else await _element_at_point(page, action, target)
    )
    state = await state_of(handle)
    if not state["file"]:
        raise Refused("invalid", f"{target} is not a file field")
    if state["disabled"]:
        raise Refused("disabled", target)
    if not state["offered"]:
        raise Refused("not found", f"{target} is not visible")
    if len(chosen) > 1 and not state["several"]:
        raise Refused("invalid", f"{target} takes one file")
    payloads = [FilePayload(name=offer.name, mimeType="text/plain", buffer=offer.text.encode()) for offer in chosen]
    await in_time(handle, target, lambda ms: handle.set_input_files(payloads, timeout=ms, no_wait_after=True))


def _find_offer(name: str, offers: Sequence[Offer]) -> Offer:
    match = next((offer for offer in offers if offer.name == name), None)
    if match is None:
        names = ", ".join(f'"{offer.name}"' for offer in offers)
        raise Refused("invalid", f'file "{name}"; choose from {names}' if names else "there are no files to upload")
    return match


async def _element_at_point(page: Page, action: Action, target: str) -> ElementHandle:
    x, y = point(page, action.x, action.y)
    try:
        with asking():
            element = (await page.evaluate_handle(_AT_JS, [x, y])).as_element()
    except PlaywrightError as error:
        raise Refused("detached", target) from error
    if element is None:
        raise Refused("not found", target)
    return await in_own_frame(page, element)
