"""Content security policies with our script and our reports admitted."""

import pytest

from stressweb.perturbations.csp import admit, nonce_of


@pytest.mark.parametrize(
    ("policy", "admitted"),
    [
        ("img-src 'self'", "img-src 'self'"),
        ("script-src 'self'", "script-src 'self' 'nonce-n'"),
        ("script-src 'unsafe-inline'", "script-src 'unsafe-inline'"),
        ("script-src 'unsafe-inline' 'nonce-a'", "script-src 'unsafe-inline' 'nonce-a' 'nonce-n'"),
        ("script-src 'none'; connect-src 'none'", "script-src 'nonce-n'; connect-src 'self'"),
        ("default-src 'self'", "default-src 'self'; script-src 'self' 'nonce-n'"),
        ("script-src-elem 'self'", "script-src-elem 'self' 'nonce-n'"),
        ("default-src 'none'", "default-src 'none'; script-src 'nonce-n'; connect-src 'self'"),
        ("script-src 'strict-dynamic' 'nonce-a'", "script-src 'strict-dynamic' 'nonce-a' 'nonce-n'"),
        ("script-src 'unsafe-inline' 'strict-dynamic'", "script-src 'unsafe-inline' 'strict-dynamic' 'nonce-n'"),
        ("script-src 'self'; script-src *", "script-src 'self' 'nonce-n'"),
        ("img-src 'none'; Img-Src *", "img-src 'none'"),
        (
            "script-src 'self', script-src 'none'; img-src *",
            "script-src 'self' 'nonce-n', script-src 'nonce-n'; img-src *",
        ),
        ("img-src *,default-src 'none'", "img-src *, default-src 'none'; script-src 'nonce-n'; connect-src 'self'"),
        ("", ""),
    ],
)
def test_admit(policy: str, admitted: str) -> None:
    """Our nonce and our reports are admitted; nothing else changes."""
    assert admit(policy, "n") == admitted


def test_nonce_of() -> None:
    """The site's own nonce is used where there is one."""
    assert nonce_of("script-src 'self' 'nonce-xyz'; img-src *") == "xyz"
    assert nonce_of("script-src 'self'") is None
    assert nonce_of("script-src 'nonce-a', script-src 'nonce-b'") == "a"
