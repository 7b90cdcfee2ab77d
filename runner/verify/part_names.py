"""The parts of the proof of a site. A module of its own, because help must not import the proof."""

PARTS = (
    "tasks", "mistakes", "limits", "further", "detours", "pages", "forms", "cases", "browser", "solvable", "unearned",
)  # fmt: skip
"""Names of the parts of a proof, in their order."""
