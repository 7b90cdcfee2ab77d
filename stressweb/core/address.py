"""Checks names and addresses of language models."""

import ipaddress
import re
from urllib.parse import urlsplit

# Wide enough for `org/model:tag@revision`. No comma, parenthesis or blank: the name is one of a label's options.
_MODEL = re.compile(r"[\w./:@+~-]{1,200}")


def check_model(name: str) -> str | None:
    """Return what is wrong with the name of a model, or None; only its server knows whether the model exists."""
    if _MODEL.fullmatch(name):
        return None
    return f"{name[:60]!r} is not a valid model name; use letters, digits and . / : @ + ~ _ -, at most 200"


def check_url(url: str) -> str | None:
    """Return what is wrong with the address of an endpoint, or None; possible secrets are not repeated."""
    try:
        parts = urlsplit(url)
        # urlsplit checks the port only here, and raises ValueError unless it is a number.
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is not a URL: {error}"
    # Before any message that repeats the address: passwords and keys are in this part.
    if "@" in parts.netloc or "?" in url or "#" in url:
        return "must not contain a user or a query; put the key into OPENAI_API_KEY"
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return f"{url[:80]!r} is not an http or https URL, such as http://localhost:8080/v1"
    return None


def local(url: str) -> bool:
    """Whether an address is on this machine, or a numeric address of a private network."""
    # A trailing full stop means the same host.
    host = (urlsplit(url).hostname or "").removesuffix(".")
    # Not looked up: RFC 6761 reserves these names for this machine, and a look-up could leave it.
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False
