"""Selects the proxy for a request from the environment; addresses on this machine or its network use none."""

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies

from stressweb.core.address import local
from stressweb.core.errors import UserError

_SCHEMES = ("http", "https", "socks5", "socks5h")


def proxy_of(url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the address of the proxy for a URL, or None; raises UserError for an unusable proxy.

    `environment` maps schemes to proxies, and `no` to the exceptions, like `urllib.request.getproxies`.
    """
    # The request contains the key, the page and screenshots, which no proxy may read.
    if local(url):
        return None
    proxies = getproxies() if environment is None else environment
    scheme = urlsplit(url).scheme
    name, address = next(
        ((proxy_name, proxies[proxy_name]) for proxy_name in (scheme, "all") if proxies.get(proxy_name)), ("", "")
    )
    if not address or bypassed(url, proxies.get("no", "")):
        return None
    return _proxy_address(name, address if "://" in address else f"http://{address}")


def _proxy_address(name: str, address: str) -> str:
    """Return the address of a proxy; raises UserError without quoting it, since it may contain a password."""
    variable = f"{name.upper()}_PROXY"
    try:
        parts = urlsplit(address)
        right = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        right = False
    if not right or not address.isprintable() or parts.scheme not in _SCHEMES:
        raise UserError(f"{variable} is not the address of a proxy, such as http://proxy.example:3128")
    if parts.scheme.startswith("socks"):
        try:
            import socksio  # type: ignore[import-not-found, unused-ignore]  # noqa: F401, PLC0415 - seldom installed
        except ImportError:
            raise UserError(
                f"{variable} is a SOCKS proxy, which needs `pip install 'httpx[socks]'`; or use an HTTP proxy"
            ) from None
    return address


def bypassed(url: str, exceptions: str) -> bool:
    """Return whether NO_PROXY names the host of a URL; invalid entries are ignored."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return any(_names(entry, host, port) for entry in re.split(r"[\s,;]+", exceptions) if entry)


def _names(entry: str, host: str, port: int | None) -> bool:
    """Return whether an entry such as `*`, `.example.com`, `host:8080`, `10.0.0.0/8` or `[::1]` matches a host."""
    if entry == "*":
        return True
    entry = entry.lower().rpartition("://")[2]
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass
    name, colon, digits = entry.rpartition(":")
    if not colon or not digits.isdigit():
        name, digits = entry, ""
    if digits and int(digits[:6]) != port:
        return False
    name = name.strip("[]").rstrip("/.").removeprefix("*").lstrip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))
