"""Content security policies: admit our one script and our reports, and nothing else."""

HEADER = "Content-Security-Policy"


def admit(header: str, nonce: str) -> str:
    """Return a header that admits an inline script with `nonce` and requests to the page's own origin.

    Its policies allow and forbid everything else as before. If inline scripts run without nonce or hash, a nonce would
    disable them, so none is added.
    """
    # One header may hold several policies, and a script has to satisfy each of them.
    return ", ".join(_admit(policy, nonce) for policy in header.split(","))


def _admit(policy: str, nonce: str) -> str:
    directives: dict[str, list[str]] = {}
    for name, *words in (part.split() for part in policy.split(";") if part.split()):
        # Of a directive that comes twice, browsers take the first.
        directives.setdefault(name.lower(), words)
    for name, source in (("script-src", f"'nonce-{nonce}'"), ("connect-src", "'self'")):
        scripts = name == "script-src"
        # Without a directive every source is allowed, so adding a directive would only forbid.
        governing = next((key for key in _fallbacks(name) if key in directives), None)
        if governing is None or (scripts and _inline_runs(directives[governing])) or source in directives[governing]:
            continue
        # In default-src, the source would also admit pictures, styles and frames, so it gets its own directive.
        # Browsers ignore 'none' next to another word, so it is removed.
        directives[governing if scripts and governing != "default-src" else name] = [
            *(word for word in directives[governing] if word.lower() != "'none'"),
            source,
        ]
    return "; ".join(" ".join([name, *words]) for name, words in directives.items())


def nonce_of(policy: str) -> str | None:
    """Return a nonce that a policy already admits; None if it has none."""
    words = (word.strip(";,") for word in policy.split())
    return next((word[7:-1] for word in words if word.startswith("'nonce-") and word.endswith("'")), None)


def _fallbacks(name: str) -> tuple[str, ...]:
    # In the order in which browsers search; the first existing directive applies. script-src-elem governs script
    # elements.
    return ("script-src-elem", "script-src", "default-src") if name == "script-src" else (name, "default-src")


def _inline_runs(words: list[str]) -> bool:
    lowered = [word.lower() for word in words]
    # Browsers ignore 'unsafe-inline' next to one of these.
    ignoring = ("'nonce-", "'sha256-", "'sha384-", "'sha512-", "'strict-dynamic'")
    nonce_or_hash = any(word.startswith(ignoring) for word in lowered)
    return "'unsafe-inline'" in lowered and not nonce_or_hash
