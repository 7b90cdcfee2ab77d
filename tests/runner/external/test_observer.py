"""Each entry by a client's script is one step."""

import pytest

from tests.support.programs import HEAD, OWN_HEAD, Programs, Ran

SAY_AGAIN = """
field = page.get_by_role("searchbox").first
field.press_sequentially("Or")
field.evaluate("(e) => e.dispatchEvent(new InputEvent('input', {bubbles: true, data: e.value}))")
"""


def test_a_repeated_input_event_is_one_entry(ran: Ran) -> None:
    record = ran(SAY_AGAIN + "finish()")
    assert [(action.kind, action.text) for action in record.actions[:-1]] == [("FILL", "Or")]


def test_another_value_is_another_entry(ran: Ran) -> None:
    other = "field.evaluate(\"(e) => { e.value = 'x'; e.dispatchEvent(new Event('input', {bubbles: true})) }\")\n"
    record = ran(SAY_AGAIN + other + "finish()")
    assert [(action.kind, action.text) for action in record.actions[:-1]] == [("FILL", "Or"), ("FILL", "x")]


def test_a_choice_by_script_in_a_shadow_root_is_a_step(ran: Ran) -> None:
    record = ran('''
page.evaluate("""() => {
  const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  root.innerHTML = "<select><option>a</option><option>b</option></select>";
  const list = root.firstChild;
  list.focus();
  list.value = "b";
  for (const type of ["input", "change"]) list.dispatchEvent(new Event(type, { bubbles: true }));
}""")
finish()
''')
    assert [(action.kind, action.option) for action in record.actions[:-1]] == [("SELECT", "b")]


PUT_BACK = """
page.evaluate('''() => {
  document.querySelector("main").innerHTML = "<select aria-label=Size><option>a</option><option>b</option></select>";
  let attempts = 0;
  const list = document.querySelector("main select");
  list.addEventListener("input", () => (attempts += 1) < 3 && (list.value = "a"));
}''')
"""
"""A list that does not keep the first two choices."""


def test_a_choice_that_the_page_puts_back_is_another_attempt(ran: Ran) -> None:
    record = ran(PUT_BACK + "for _ in range(4): page.get_by_label('Size').select_option('b')\nfinish()")
    # The fourth chooses what is chosen.
    assert [(action.kind, action.option) for action in record.actions[:-1]] == [("SELECT", "b")] * 3


def test_space_on_a_control_is_one_step(ran: Ran) -> None:
    record = ran("""
page.evaluate("() => { document.querySelector('main').innerHTML = '<input type=checkbox aria-label=Gift>'; }")
page.get_by_label("Gift").focus()
page.keyboard.down("Space")
# The page is read between both halves of the press.
time.sleep(0.5)
page.keyboard.up("Space")
assert page.get_by_label("Gift").is_checked()
finish()
""")
    assert record.status == "done"
    assert [(action.kind, action.key) for action in record.actions[:-1]] == [("PRESS", " ")]


@pytest.mark.parametrize("own_browser", [False, True])
def test_script_actions_in_a_shadow_root_without_focus_are_steps(programs: Programs, own_browser: bool) -> None:
    head = OWN_HEAD if own_browser else HEAD
    record = programs.run(
        programs.python(
            '''
page.evaluate("""() => {
  const root = document.querySelector("main").appendChild(document.createElement("div")).attachShadow({ mode: "open" });
  root.innerHTML = "<form><select><option>a</option><option>b</option></select><button>Go</button></form>";
  root.addEventListener("submit", (event) => event.preventDefault());
}""")
page.get_by_role("searchbox").first.fill("Orchid")
page.evaluate("""() => {
  const [root] = Array.from(document.querySelectorAll("main > div"), (e) => e.shadowRoot).filter(Boolean);
  const list = root.querySelector("select");
  list.value = "b";
  list.dispatchEvent(new Event("change", { bubbles: true }));
}""")
page.evaluate("""() => {
  const [root] = Array.from(document.querySelectorAll("main > div"), (e) => e.shadowRoot).filter(Boolean);
  root.querySelector("form").requestSubmit();
}""")
finish()
''',
            head=head,
        ),
        own_browser=own_browser,
    )
    assert [action.kind for action in record.actions[:-1]] == ["FILL", "SELECT", "PRESS"]
