"""Checkpoints of the tasks, in one module per site."""

if __name__ == "checkpoints":  # the folder itself is on the import path in a checkout
    raise ModuleNotFoundError("No module named 'checkpoints'; import stressweb.checkpoints", name="checkpoints")


def module_name(site: str) -> str:
    """Return the name of the module with the checkpoints of a site that ships."""
    return f"{__name__}.{site}"
