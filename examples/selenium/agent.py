"""Selenium in a browser of its own: it puts the first hit for what the goal quotes into the cart of the shop.

    pip install selenium
    stressweb run --agent-command 'python agent.py' --agent-own-browser --task shop/first-hit --mode remap,popup

Selenium gives a browser no password of a proxy, so the agent opens the start page that needs no proxy.
"""

import json
import os
import re
import urllib.request

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FIRST_HIT = "main [itemtype$='Product'] form button"

options = ChromeOptions()
options.add_argument("--headless")
# A browser, and arguments of it, that are not the usual ones: BROWSER=/usr/bin/chromium BROWSER_ARGS=--no-sandbox
options.binary_location = os.environ.get("BROWSER", "")
for argument in os.environ.get("BROWSER_ARGS", "").split():
    options.add_argument(argument)

with Chrome(options) as browser:
    browser.implicitly_wait(5)
    browser.get(os.environ["STRESSWEB_DIRECT_URL"])
    wanted = re.search('"(.+?)"', os.environ["STRESSWEB_GOAL"])[1]
    browser.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys(wanted, Keys.ENTER)
    browser.find_element(By.CSS_SELECTOR, FIRST_HIT).click()
    claim = json.dumps({"claim": "done"}).encode()
    headers = {"content-type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(os.environ["STRESSWEB_FINISH_URL"], claim, headers))
