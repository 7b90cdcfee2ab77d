"""The files that the documents show in full."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


PAGES = ("my-agent.md", "my-mode.md", "my-site.md", "wrap.md", "extending.md")


FILES = dict(
    re.findall(
        r"^`([\w./]+)`:\n\n```\w+\n(.*?\n)```",
        "\n".join((ROOT / "docs" / page).read_text("utf-8") for page in PAGES),
        re.MULTILINE | re.DOTALL,
    )
)
