"""Failing test cases from a passing one: each operator changes the text of one step, so that the step must fail.

The site stays as it is. An operator gives the changed step, or nothing where it does not apply; `rejection` says why a
changed step is no proof of a failure.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from stressweb.cases.checking import holds
from stressweb.cases.rendering import States, case_step, checks
from stressweb.cases.sight import Sight
from stressweb.core.draws import Keyed
from stressweb.core.verdict import Cause
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import CaseStep, Check

_NUMBER = re.compile(r"\d+")
_PRESSED = ("open", "press")


@dataclass
class Vocabulary:
    """The words of a site's pages in one world: a source of plausible wrong words."""

    headings: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    buttons: set[str] = field(default_factory=set)
    options: set[str] = field(default_factory=set)

    def add(self, sight: Sight) -> None:
        """Add the words of a page."""
        self.headings.add(sight.heading)
        self.messages.update(sight.messages)
        self.names.update(sight.listed)
        self.labels.update(sight.fields)
        self.links.update(name for role, name in sight.controls if role == "link")
        self.buttons.update(name for role, name in sight.controls if role == "button")
        self.options.update(option for options in sight.options.values() for option in options)


@dataclass(frozen=True)
class Scene:
    """A step of a passing case with its pages, for operators."""

    step: CaseStep
    states: States
    vocabulary: Vocabulary
    draw: Keyed
    """Draws with task, world and step in their keys."""

    @property
    def after(self) -> Sight:
        """The page after the step."""
        return self.states[-1]

    def absent(self, words: Iterable[str], rule: str) -> str | None:
        """Return one of the words that no page of the step has, drawn by a rule; None without any."""
        # Sorted, because the order of a set differs between processes.
        shuffled = self.draw.shuffled(sorted(words), rule)
        return next((text for text in shuffled if text and '"' not in text and not self._fits(text)), None)

    def _fits(self, text: str) -> bool:
        """Return whether a page has a text, or a control with a similar name."""
        longer = text.casefold()
        return any(sight.says(text) or any(name in longer for name in sight.names) for sight in self.states)

    def checks(self, *kinds: str) -> Iterator[Check]:
        """Yield the possible checks after the step, of some kinds."""
        return (check for check in checks(self.step.steps, self.states) if check.kind in kinds)

    def expecting(self, check: Check) -> CaseStep:
        """Return the step with another expected result."""
        return case_step(self.step.steps, check)


type Operator = Callable[[Scene], CaseStep | None]


def _text(scene: Scene, rule: str, kind: str, words: Iterable[str]) -> CaseStep | None:
    """Replace what a check of a kind compares with by words that are not there."""
    check = next(scene.checks(kind), None)
    text = scene.absent(words, rule) if check else None
    return scene.expecting(check.model_copy(update={"says": text})) if check and text else None


def missing_control(scene: Scene) -> CaseStep | None:
    """Let the action name a link or button that the page does not have."""
    last = scene.step.steps[-1]
    words = {"open": scene.vocabulary.links, "press": scene.vocabulary.buttons}.get(last.verb)
    text = scene.absent(words, "missing_control") if words else None
    if text is None:
        return None
    return case_step((*scene.step.steps[:-1], last.model_copy(update={"target": text})), scene.step.check)


def missing_option(scene: Scene) -> CaseStep | None:
    """Let the action choose an option that the list does not offer."""
    for number, step in enumerate(scene.step.steps):
        if step.verb == "choose" and step.target in scene.states[0].options:
            offered = [option.casefold() for option in scene.states[0].options[step.target]]
            words = {text for text in scene.vocabulary.options if not any(_alike(text, option) for option in offered)}
            if text := scene.absent(words, "missing_option"):
                steps = [*scene.step.steps]
                steps[number] = step.model_copy(update={"value": text})
                # The old check may still expect the previous option.
                return case_step(tuple(steps), Check(kind="field", of=step.target, says=text))
    return None


def _alike(text: str, offered: str) -> bool:
    return text.casefold() in offered or offered in text.casefold()


def wrong_text(scene: Scene) -> CaseStep | None:
    """Expect another message of the site, or another entry in the list."""
    return _text(scene, "wrong_text", "message", scene.vocabulary.messages) or _text(
        scene, "wrong_text", "listed", scene.vocabulary.names
    )


def wrong_page(scene: Scene) -> CaseStep | None:
    """Expect the heading of another page."""
    return _text(scene, "wrong_page", "heading", scene.vocabulary.headings)


def wrong_label(scene: Scene) -> CaseStep | None:
    """Expect a button that stands on other pages."""
    if scene.step.steps[-1].verb not in _PRESSED:
        return None
    text = scene.absent(scene.vocabulary.buttons, "wrong_label")
    return scene.expecting(Check(kind="button", says=text)) if text else None


def missing_field(scene: Scene) -> CaseStep | None:
    """Expect a field that stands on other pages, where the page has fields of its own."""
    if scene.step.steps[-1].verb not in _PRESSED or not scene.after.fields:
        return None
    text = scene.absent(scene.vocabulary.labels, "missing_field")
    return scene.expecting(Check(kind="label", says=text)) if text else None


def wrong_count(scene: Scene) -> CaseStep | None:
    """Expect another number: of entries, or in a text of the page."""
    more = scene.draw.pick((1, 2, 3, 5), "wrong_count")
    for check in scene.checks("count", "line"):
        if number := _NUMBER.search(check.says):
            start, end = number.span()
            other = f"{check.says[:start]}{int(number[0]) + more:0{end - start}d}{check.says[end:]}"
            return scene.expecting(check.model_copy(update={"says": other}))
    return None


def wrong_order(scene: Scene) -> CaseStep | None:
    """Expect two entries the other way round."""
    check = next(scene.checks("order"), None)
    return scene.expecting(Check(kind="order", says=check.of, of=check.says)) if check else None


def wrong_field(scene: Scene) -> CaseStep | None:
    """Expect something else in a field than what was entered or chosen."""
    for check in scene.checks("field"):
        if other := _other(scene, check):
            return scene.expecting(check.model_copy(update={"says": other}))
    return None


def _other(scene: Scene, check: Check) -> str:
    """Return a plausible value that a field does not have in any state of the step; "" without one."""
    held = {sight.fields.get(check.of) for sight in scene.states}
    if offered := scene.after.options.get(check.of):
        others = [option for option in offered if option not in held]
    elif number := _NUMBER.search(check.says):
        start, end = number.span()
        others = [f"{check.says[:start]}{int(number[0]) + 1}{check.says[end:]}"]
    else:
        others = [" ".join(reversed(check.says.split()))]
    others = [text for text in others if text and text not in held]
    return scene.draw.pick(others, "wrong_field") if others else ""


def wrong_state(scene: Scene) -> CaseStep | None:
    """Expect a box to be ticked that is not, or the other way round, or an entry to be gone that is still listed."""
    steady = [label for label, ticked in scene.after.boxes.items() if scene.states[0].boxes.get(label) is ticked]
    if steady:
        label = scene.draw.pick(sorted(steady), "wrong_state")
        kind = "unticked" if scene.after.boxes[label] else "ticked"
        return scene.expecting(Check.model_validate({"kind": kind, "says": label}))
    both = [name for name in scene.after.listed if name in scene.states[0].listed and '"' not in name]
    if scene.step.steps[-1].verb == "press" and both:
        return scene.expecting(Check(kind="gone", says=scene.draw.pick(sorted({*both}), "wrong_state")))
    return None


def absent_rule(scene: Scene) -> CaseStep | None:
    """Expect the site to refuse what was entered, by a rule that it does not have."""
    fields = [label for label, held in scene.states[0].fields.items() if held and label not in scene.states[0].options]
    if scene.step.steps[-1].verb != "press" or not fields:
        return None
    label = scene.draw.pick(sorted(fields), "absent_rule", "field")
    length = len(scene.states[0].fields[label])
    rule = scene.draw.pick((f"at most {max(1, length - 2)}", f"at least {length + 4}"), "absent_rule", "length")
    return scene.expecting(Check(kind="message", says=f"{label}: {rule} characters are allowed."))


OPERATORS: Mapping[str, tuple[Operator, Cause]] = {
    "missing_control": (missing_control, "action"),
    "missing_option": (missing_option, "action"),
    "wrong_text": (wrong_text, "assertion"),
    "wrong_label": (wrong_label, "assertion"),
    "wrong_count": (wrong_count, "assertion"),
    "wrong_order": (wrong_order, "assertion"),
    "missing_field": (missing_field, "assertion"),
    "wrong_field": (wrong_field, "assertion"),
    "wrong_page": (wrong_page, "assertion"),
    "wrong_state": (wrong_state, "assertion"),
    "absent_rule": (absent_rule, "assertion"),
}
"""Every operator by its name, with the cause of its failures."""
_TEXTS = ("heading", "message", "line", "listed", "button", "label")


def rejection(step: CaseStep, cause: Cause, states: States) -> str:
    """Return why a changed step does not fail on the undisturbed pages of the step; "" if it fails.

    What is expected must fail in every state of the step, so that it does not matter when somebody looks.
    """
    if cause == "action":
        return "" if any(not possible(action, states[0]) for action in step.steps) else "the action can be done"
    check = step.check
    assert check is not None
    if any(holds(check, sight) for sight in states):
        return f"{step.expected}: so it is in a state of the step"
    if check.kind in _TEXTS and any(check.says in sight.text for sight in states):
        return f"{step.expected}: the text is on a page of the step"
    return ""


def possible(action: Step, sight: Sight) -> bool:
    """Return whether a page has the control of an action, and the option to choose."""
    if action.verb == "choose":
        return action.value in sight.options.get(action.target, ())
    return any(name == action.target for _, name in sight.controls)
