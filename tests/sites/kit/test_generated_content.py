"""Texts that style sheets draw have an alternative text: an arrow is no part of the name of what it marks."""

import re
from importlib.resources import files
from pathlib import Path

TEXT = re.compile(r"(?<![\w-])content:\s*([^;}]*)")
WITHOUT_TEXT = ('""', "none", "normal")


def test_every_generated_text_has_an_alternative_text() -> None:
    sheets = [*Path(str(files("stressweb.sites"))).rglob("*.css")]
    texts = {
        (sheet.name, text)
        for sheet in sheets
        for text in TEXT.findall(sheet.read_text("utf-8"))
        if not text.startswith(WITHOUT_TEXT)
    }
    assert len(texts) > 3
    assert {text for _, text in texts if "/" not in text} == set()
