"""What a mode says to its script, in words that two episodes can be compared by."""

from typing import Any

from pydantic_core import to_jsonable_python

from stressweb.html.page import Page


def told(page: Page, said: Any) -> Any:
    """Return an instruction or an answer with elements named by their places on the page instead of their marks.

    Marks belong to one episode and one document; what a mode draws must not.
    """
    places: dict[str, int] = {node.token: at for at, node in enumerate(page.nodes)}
    # Marks for what a script will make are told too: they stand nowhere yet.
    places |= {token: -1 - at for at, token in enumerate(page._pool)}
    return _placed(to_jsonable_python(said), places)


def _placed(value: Any, at: dict[str, int]) -> Any:
    match value:
        case dict():
            return {at.get(key, key): _placed(inner, at) for key, inner in value.items()}
        case list() if all(isinstance(one, str) and one in at for one in value):
            # A list of elements alone is a set to the script, in the order of their marks.
            return sorted(at[one] for one in value)
        case list():
            return [_placed(inner, at) for inner in value]
        case str():
            return at.get(value, value)
    return value
