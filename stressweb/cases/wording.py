"""Actions and expected results in the words of somebody who tests by hand."""

from collections.abc import Mapping, Sequence

from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import Check, CheckKind


def action(steps: Sequence[Step]) -> str:
    """Return what is to be done, as one sentence without a full stop."""
    parts = [_part(step) for step in steps]
    sentence = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return sentence[0].upper() + sentence[1:]


def _part(step: Step) -> str:
    where = f" of {quoted(step.on)}" if step.on else ""
    target = f"{quoted(step.target)}{where}"
    match step.verb:
        case "enter":
            return f"enter {quoted(step.value or '')} into {target}"
        case "choose":
            return f"choose {quoted(step.value or '')} for {target}"
        case "upload":
            return f"upload {' and '.join(map(quoted, step.files))} by {target}"
        case _:
            return f"{step.verb} {target}"


_EXPECTED: Mapping[CheckKind, str] = {
    "heading": "The page has the heading {says}",
    "message": "The message {says} is shown",
    "line": "The page says {says}",
    "field": "The field {of} shows {says}",
    "ticked": "The box {says} is ticked",
    "unticked": "The box {says} is not ticked",
    "listed": "{says} is listed",
    "gone": "{says} is not listed any more",
    "count": "The number of listed entries is {says}",
    "order": "{says} is listed before {of}",
    "button": "There is a button {says}",
    "label": "There is a field {says}",
}


def expected(check: Check) -> str:
    """Return what is to be seen, as one sentence without a full stop."""
    says = check.says if check.kind == "count" else quoted(check.says)
    return _EXPECTED[check.kind].format(says=says, of=quoted(check.of))


def quoted(text: str) -> str:
    """Return a text of the page in quotation marks; in single ones if it has double ones itself."""
    return f"'{text}'" if '"' in text else f'"{text}"'


def title(name: str) -> str:
    """Return the title of a case from the name of its task: `two-of-a-named-product` is "Two of a named product"."""
    return name.replace("-", " ").capitalize()
