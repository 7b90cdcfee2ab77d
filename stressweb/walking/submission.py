"""What a browser sends when a form is submitted."""

from lxml.html import FormElement

_NOT_SENT = ("submit", "image", "reset", "button", "file")


def submission(form: FormElement) -> list[tuple[str, str]]:
    """Return name and value of each field of a form, in order, without buttons and files.

    Unlike `FormElement.form_values`, it has the empty fields, which a browser sends, too.
    """
    pairs: list[tuple[str, str]] = []
    for field in form.inputs:
        name = field.get("name")
        if not name or field.get("disabled") is not None:
            continue
        if field.tag == "select":
            chosen = field.value if field.multiple else [field.value]
            pairs += [(name, option) for option in chosen if option is not None]
        elif field.tag == "textarea":
            pairs.append((name, field.value or ""))
        elif field.checkable:
            pairs += [(name, field.get("value", "on"))] if field.checked else []
        elif field.type not in _NOT_SENT:
            pairs.append((name, field.get("value", "")))
    return pairs
