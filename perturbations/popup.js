// A dialog stands between a press, or the load of the page, and what comes of it. It is built where it is needed, from
// what the proxy draws; the action that it holds back goes through once it is answered rightly.
/**
 * @typedef {object} PopupDialog
 * @property {string} kind
 * @property {string} heading
 * @property {string} text
 * @property {string} field - Label of a text field; empty for none.
 * @property {string[]} choices - Answers of which one is to be chosen.
 * @property {string} word - What is to be typed.
 * @property {[string, "go" | "stop" | "mail" | "choice" | "word"][]} buttons - What the buttons say and mean.
 * @property {string} cue - What is said after a wrong answer.
 * @property {string[]} tokens - Marks for the nodes of the dialog and its cue, each used once.
 * @property {{button: string, input: string}} dress - Class names of the page's own buttons and fields.
 * @property {number} attempt - Number of the press or of the load, from 0.
 */

/**
 * @typedef {object} PopupSettings
 * @property {string} mode
 * @property {boolean} asks - Whether to ask about every press.
 * @property {PopupDialog | null} load - The dialog that the load of the page opens.
 */

/**
 * @param {Api} api
 * @param {PopupSettings} settings
 */
(api, settings) => {
  "use strict";
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const LOOKS = {
    dialog:
      "box-sizing:border-box;width:480px;max-width:92vw;max-height:90vh;overflow:auto;margin:auto;padding:24px;" +
      "border:1px solid rgba(0,0,0,.2);border-radius:12px;background:#fff;color:#212529;" +
      "color-scheme:light;font-size:16px;line-height:1.5;text-align:start;box-shadow:0 16px 48px rgba(0,0,0,.35)",
    behind: "background:rgba(0,0,0,.5)",
    heading: "margin:0 0 12px;color:#212529;font-family:inherit;font-size:21px;font-weight:600;line-height:1.3",
    text: "margin:0 0 16px;color:inherit;font:inherit",
    row: "display:flex;align-items:center;gap:10px;min-height:34px;margin:0 0 6px",
    label: "display:block;margin:0 0 4px;color:inherit;font:inherit",
    field: "box-sizing:border-box;display:block;width:100%;min-height:40px;margin:0 0 16px;padding:6px 12px",
    option: "margin:0;color:inherit;font:inherit",
    radio: "flex:none;width:20px;height:20px;margin:0",
    bar: "display:flex;flex-wrap:wrap;gap:10px;justify-content:flex-end;margin:18px 0 0",
    button: "min-height:42px;padding:8px 18px;border:1px solid rgba(0,0,0,.4);border-radius:6px;font-size:16px",
    cue: "margin:14px 0 0;padding:10px 14px;border-radius:8px;background:#fff3cd;color:#5c4400;font:inherit",
    // Nothing below it may be out of reach: the pointer goes through.
    toast:
      "position:fixed;z-index:2147483647;top:16px;left:50%;translate:-50%;max-width:90vw;padding:12px 20px;" +
      "border:1px solid #e0b000;border-radius:8px;background:#fff3cd;color:#5c4400;pointer-events:none;" +
      "font-size:16px;font-weight:600;line-height:1.4;box-shadow:0 6px 24px rgba(0,0,0,.25)",
  };
  const INSIDE = [
    "click", "dblclick", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend",
    "keydown", "keyup", "keypress", "beforeinput", "input", "change", "focusin", "focusout", "invalid", "submit",
  ];
  let open = null;
  let toast = null;

  // Makes the nodes of one dialog: each takes a token of the pool, and its look by a rule on that token.
  const making = (spec) => {
    const tokens = [...spec.tokens];
    const rules = [];
    const name = () => tokens.shift();
    const make = (tag, look, text = "", dress = "") => {
      const node = document.createElement(tag);
      const token = name();
      node.className = dress ? `${dress} ${token}` : token;
      node.textContent = text;
      rules.push(`.${token}{${LOOKS[look]}}`, tag === "dialog" ? `.${token}::backdrop{${LOOKS.behind}}` : "");
      sheet.replaceSync(rules.join(""));
      return node;
    };
    return { make, name };
  };

  const labelled = ({ make, name }, field, text, look) => {
    const label = make("label", look, text);
    field.id = label.htmlFor = name();
    return label;
  };

  const textField = (maker, spec, body) => {
    const field = maker.make("input", "field", "", spec.dress.input);
    field.autocomplete = "off";
    body.append(labelled(maker, field, spec.field, "label"), field);
    return field;
  };

  const choice = (maker, group, text, body) => {
    const row = maker.make("div", "row");
    const radio = maker.make("input", "radio");
    radio.type = "radio";
    radio.name = group;
    row.append(radio, labelled(maker, radio, text, "option"));
    body.append(row);
    return radio;
  };

  const dropToast = () => {
    toast?.remove();
    toast = null;
  };

  const close = () => {
    const { dialog } = open;
    open = null;
    dialog.close();
    dialog.remove();
    api.closed();
  };

  const right = () => {
    const { token, spec, again } = open;
    close();
    api.report(settings.mode, token, "passed", spec.attempt);
    again?.();
  };

  const wrong = () => {
    const { dialog, spec, make, again } = open;
    // After a load there is no action to give up: the dialog stays until it gets the right answer.
    if (!again) {
      open.cue ??= dialog.appendChild(make("p", "cue"));
      open.cue.role = "status";
      open.cue.textContent = spec.cue;
      return;
    }
    close();
    toast = make("div", "toast", spec.cue);
    toast.role = "status";
    document.body.append(toast);
  };

  const RULES = {
    go: () => true,
    stop: () => false,
    mail: ({ field }) => /^\S+@\S+\.\S+$/.test(field.value.trim()),
    choice: ({ radios }) => radios.some((radio) => radio.checked),
    word: ({ field, spec }) => field.value.trim().toLowerCase() === spec.word.toLowerCase(),
  };
  const decide = (rule) => (RULES[rule](open) ? right() : wrong());

  const onKey = (event) => {
    const sending = open.spec.buttons.find(([, rule]) => ["mail", "word"].includes(rule));
    if (event.key === "Escape") {
      event.preventDefault();
      wrong();
    } else if (event.key === "Enter" && event.target === open.field && sending) {
      decide(sending[1]);
    }
  };

  const build = (spec, maker) => {
    const { make, name } = maker;
    const dialog = make("dialog", "dialog");
    const heading = make("h2", "heading", spec.heading);
    heading.id = name();
    dialog.role = "dialog";
    dialog.setAttribute("aria-labelledby", heading.id);
    dialog.append(heading, make("p", "text", spec.text));
    const field = spec.field ? textField(maker, spec, dialog) : null;
    const group = spec.choices.length ? name() : "";
    const radios = spec.choices.map((text) => choice(maker, group, text, dialog));
    const bar = make("div", "bar");
    for (const [text, rule] of spec.buttons) {
      const button = make("button", "button", text, spec.dress.button);
      button.type = "button";
      button.addEventListener("click", () => decide(rule));
      bar.append(button);
    }
    dialog.append(bar);
    return { dialog, field, radios };
  };

  // The second click of a double click that opened the dialog is not meant for what lies under the pointer now.
  const guard = (dialog) => {
    let begun = false;
    dialog.addEventListener("mousedown", (event) => (begun ||= event.detail < 2), true);
    dialog.addEventListener("click", (event) => event.detail > 1 && !begun && event.stopImmediatePropagation(), true);
    for (const type of INSIDE) dialog.addEventListener(type, (event) => event.stopPropagation());
  };

  const show = (spec, token, again) => {
    dropToast();
    const maker = making(spec);
    const made = build(spec, maker);
    const { dialog } = made;
    guard(dialog);
    dialog.addEventListener("keydown", (event) => open && onKey(event));
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (open) wrong();
    });
    // A browser closes a dialog that does not let itself be cancelled twice.
    dialog.addEventListener("close", () => open?.dialog === dialog && dialog.showModal());
    document.body.append(dialog);
    open = { ...made, spec, token, again, make: maker.make, cue: null };
    dialog.showModal();
  };

  api.onPress((gesture) => {
    // The dialog is modal, so no user can press anything behind it: this press comes from a script.
    if (open) return false;
    const spec = settings.asks ? api.ask(settings.mode, gesture.token) : null;
    if (spec) show(spec, gesture.token, gesture.again);
    return !spec;
  });
  for (const type of ["pointerdown", "keydown"]) window.addEventListener(type, dropToast, true);
  if (settings.load) {
    window.addEventListener("load", () => {
      api.report(settings.mode, api.page, "hit", settings.load.attempt);
      show(settings.load, api.page, null);
    });
  }
}
