"""Checks names and addresses of language models."""

import ipaddress
import re
from urllib.parse import urlsplit

# Wide enough for `org/model:tag@revision`. No comma, parenthesis or blank: the name is one of a label's options.
_MODEL = re.compile(r"[\w./:@+~-]{1,200}")


def check_model(name: str) -> str | None:
    """Return the problem with a model name, or None; whether the model exists is not checked."""
    if _MODEL.fullmatch(name):
        return None
    return f"{name[:60]!r} is not a valid model name; use letters, digits and . / : @ + ~ _ -, at most 200"


def check_url(url: str) -> str | None:
    """Return the problem with the address of an endpoint, or None; the text contains no secrets."""
    try:
        parts = urlsplit(url)
        # urlsplit checks the port only here, and raises ValueError unless it is a number.
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is not a URL: {error}"
    # Checked before any message that repeats the address, because this part may contain a password or key.
    if "@" in parts.netloc or "?" in url or "#" in url:
        return "must not contain a user or a query; put the key into OPENAI_API_KEY"
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return f"{url[:80]!r} is not an http or https URL, such as http://localhost:8080/v1"
    return None


def local(url: str) -> bool:
    """Whether an address is on this machine, or a numeric address of a private network."""
    # A trailing full stop means the same host.
    host = (urlsplit(url).hostname or "").removesuffix(".")
    # RFC 6761 reserves these names for this machine; a DNS look-up could leave it.
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False
