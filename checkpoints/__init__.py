"""What counts as done, one module per site."""


def module_name(site: str) -> str:
    """Return the name of the module with the checkpoints of a site that ships."""
    return f"{__name__}.{site}"
