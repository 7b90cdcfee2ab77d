"""Content security policies: let our one script and our reports through, and nothing else."""

HEADER = "Content-Security-Policy"


def admit(header: str, nonce: str) -> str:
    """Return a header that admits an inline script with `nonce` and requests to the page's own origin.

    Everything else that its policies forbid stays forbidden, and what they allowed stays allowed: where inline scripts
    run without nonce or hash, a nonce would switch them off, so none is added.
    """
    # One header may hold several policies, and a script has to satisfy each of them.
    return ", ".join(_admit(policy, nonce) for policy in header.split(","))


def _admit(policy: str, nonce: str) -> str:
    named: dict[str, list[str]] = {}
    for name, *words in (part.split() for part in policy.split(";") if part.split()):
        # Of a directive that comes twice, browsers take the first.
        named.setdefault(name.lower(), words)
    for name, wanted in (("script-src", f"'nonce-{nonce}'"), ("connect-src", "'self'")):
        scripts = name == "script-src"
        # Nothing said about a kind means that everything of it is allowed: a directive of ours would only forbid.
        source = next((key for key in _fallbacks(name) if key in named), None)
        if source is None or (scripts and _inline_runs(named[source])) or wanted in named[source]:
            continue
        # A source added to default-src would also let pictures, styles and frames in, so the directive is written out.
        # 'none' has to stand alone: beside another word browsers ignore it.
        named[source if scripts and source != "default-src" else name] = [
            *(word for word in named[source] if word.lower() != "'none'"),
            wanted,
        ]
    return "; ".join(" ".join([name, *words]) for name, words in named.items())


def nonce_of(policy: str) -> str | None:
    """Return a nonce that a policy admits already."""
    words = (word.strip(";,") for word in policy.split())
    return next((word[7:-1] for word in words if word.startswith("'nonce-") and word.endswith("'")), None)


def _fallbacks(name: str) -> tuple[str, ...]:
    # In the order in which browsers look, and the first that is there counts alone. Of scripts, script-src-elem is the
    # one that governs a script element.
    return ("script-src-elem", "script-src", "default-src") if name == "script-src" else (name, "default-src")


def _inline_runs(words: list[str]) -> bool:
    lowered = [word.lower() for word in words]
    # Browsers ignore 'unsafe-inline' as soon as one of these stands beside it.
    ignoring = ("'nonce-", "'sha256-", "'sha384-", "'sha512-", "'strict-dynamic'")
    guarded = any(word.startswith(ignoring) for word in lowered)
    return "'unsafe-inline'" in lowered and not guarded
