"""A report shows the whole traceback of an error or a crash, closed and as text."""

import base64
import gzip
import re
from dataclasses import replace

import pytest

from stressweb.report.page import report
from tests.support.small_reports import recorded, source

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nLookupError: <script>alert(1)</script>'


@pytest.mark.parametrize(
    ("status", "label"), [("error", "What failed"), ("crashed", "How the agent crashed"), ("done", "It said")]
)
def test_the_traceback_is_there_and_harmless(status: str, label: str) -> None:
    graded, record = recorded(status=status, claim="none")
    traced = replace(record, traceback="" if status == "done" else TRACE)
    text = report(source([(graded, traced)]))
    match = re.search(r'<script type="text/base64" id="d1">([^<]*)</script>', text)
    assert match
    detail = gzip.decompress(base64.b64decode(match[1])).decode()
    assert f"{label}:</span>" in detail
    assert "<script>" not in detail
    is_escaped = "&lt;script&gt;alert(1)&lt;/script&gt;</pre></details>" in detail
    assert is_escaped == (status != "done")
    assert ("<details><summary>Traceback</summary><pre>Traceback (most" in detail) == (status != "done")
