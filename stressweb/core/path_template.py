"""Paths of pages of one kind."""


def path_template(path: str) -> str:
    """Return a path with every segment that holds a digit replaced by `*`, and without its query."""
    segments = path.partition("?")[0].split("/")
    return "/".join("*" if any(letter.isdigit() for letter in segment) else segment for segment in segments)
