"""Path templates, which pages of the same kind share."""


def path_template(path: str) -> str:
    """Return a path without its query, and with `*` for every segment that has a digit."""
    segments = path.partition("?")[0].split("/")
    return "/".join("*" if any(letter.isdigit() for letter in segment) else segment for segment in segments)
