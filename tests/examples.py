"""Number of examples that Hypothesis draws: fewer in `make test`, all in `make audit`."""

from hypothesis import settings

# As in the profile `ci`: no deadline, which a busy machine would miss, and the same examples every time.
settings.register_profile("sample", settings.get_profile("ci"), max_examples=30)
settings.register_profile("audit", settings.get_profile("ci"), max_examples=300)


def examples(audit: int) -> settings:
    """Return settings for `audit` examples in the audit, and a quarter of them otherwise."""
    return settings(max_examples=audit if settings.get_current_profile_name() == "audit" else audit // 4)
