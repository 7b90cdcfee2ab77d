"""Modes with a test's own script, and a page that spoils the browser's functions."""

from pathlib import Path

from stressweb.core.page_draws import Pair
from stressweb.plugins.rule import Rule


def script_rule(folder: Path, script: str) -> Rule:
    """Return the rule of a mode with a test's own script."""
    path = folder / "test_mode.js"
    path.write_text(script, encoding="utf-8")

    class ScriptRule(Rule):
        script = path

    return ScriptRule(mode="made", rule=Pair(0, 0))


SPOILT = """() => {
  const spoil = (owner, names) => {
    for (const name of names ?? Object.getOwnPropertyNames(owner)) {
      const whole = Object.getOwnPropertyDescriptor(owner, name);
      if (name === "constructor" || !whole.configurable) continue;
      if (whole.get) Object.defineProperty(owner, name, { ...whole, get() { seen.push(name); return undefined; } });
      else if (typeof whole.value === "function") {
        Object.defineProperty(owner, name, { ...whole, value() { seen.push(name); return 1; } });
      }
    }
  };
  window.seen = [];
  const { push } = Array.prototype;
  seen.push = (...all) => push.apply(seen, all);
  Array.prototype.toJSON = Object.prototype.toJSON = () => "overridden by the page";
  Object.defineProperty(Array.prototype, "toJSON", { enumerable: false });
  Object.defineProperty(Object.prototype, "toJSON", { enumerable: false });
  for (const type of [Event, UIEvent, MouseEvent, PointerEvent, KeyboardEvent, InputEvent, SubmitEvent, CustomEvent,
    CharacterData, Node, Element, HTMLElement, HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement,
    HTMLOptionElement, HTMLLabelElement, HTMLFormElement, HTMLAnchorElement, HTMLButtonElement, DocumentFragment,
    Document, ShadowRoot, EventTarget, Animation, MutationRecord, MutationObserver, Map, Set, WeakMap, WeakSet, URL]) {
    spoil(type.prototype);
  }
  spoil(Math);
  spoil(JSON);
  spoil(Navigator.prototype);
  spoil(window, ["setTimeout", "MouseEvent", "Map", "Set", "WeakMap", "WeakSet", "URL"]);
  spoil(Object, ["keys", "hasOwn", "entries", "assign"]);
  spoil(Reflect);
}"""
