"""Names that a user gives for a language model and for where it is: which can be right, and what is local."""

import ipaddress
import re
from urllib.parse import urlsplit

# Wide enough for `org/model:tag@revision`. No comma, parenthesis or blank: the name stands among the options of a
# label.
_MODEL = re.compile(r"[\w./:@+~-]{1,200}")


def check_model(name: str) -> str | None:
    """Return what is wrong with the name of a model, or None; whether there is one is for its server to say."""
    if _MODEL.fullmatch(name):
        return None
    return f"{name[:60]!r} is not a valid model name; use letters, digits and . / : @ + ~ _ -, at most 200"


def check_url(url: str) -> str | None:
    """Return what is wrong with the address of an endpoint, or None; what may be a secret is not repeated."""
    try:
        parts = urlsplit(url)
        # urlsplit checks the port only here, and raises ValueError unless it is a number.
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"is not a URL: {error}"
    # Before any message that repeats the address: this is where a password or a key would stand in it.
    if "@" in parts.netloc or "?" in url or "#" in url:
        return "must not contain a user or a query; put the key into OPENAI_API_KEY"
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return f"{url[:80]!r} is not an http or https URL, such as http://localhost:8080/v1"
    return None


def local(url: str) -> bool:
    """Whether an address is on this machine, or given by number on its private network."""
    # A full stop at the end means the same host, said in full.
    host = (urlsplit(url).hostname or "").removesuffix(".")
    # Not looked up: RFC 6761 keeps these names for this machine, and a look-up could leave it.
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False
