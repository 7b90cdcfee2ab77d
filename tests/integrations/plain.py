"""An agent that plays a script with plain Playwright: `plain.py SCRIPT`, with the variables of `--agent-command`."""

import contextlib
import json
import os
import sys
import urllib.request
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

PATIENCE_MS = 8000
"""Time limit to find an element; if it is missing, the script ends and claims done as always."""

script = json.loads(Path(sys.argv[1]).read_text("utf-8"))
with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(os.environ["STRESSWEB_CDP_URL"])
    page = browser.contexts[0].pages[0]
    page.set_default_timeout(PATIENCE_MS)
    page.goto(os.environ["STRESSWEB_START_URL"])
    with contextlib.suppress(Error):
        for gesture in script:
            element = page.get_by_role(gesture["role"], name=gesture["name"], exact=True).nth(gesture["nth"])
            if gesture["does"] == "click":
                element.click()
            elif gesture["does"] == "fill":
                element.fill(gesture["text"])
            else:
                element.select_option(label=gesture["text"])
    page.wait_for_load_state()
    headers = {"content-type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(os.environ["STRESSWEB_FINISH_URL"], b'{"claim": "done"}', headers))
