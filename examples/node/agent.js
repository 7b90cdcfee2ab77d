// An agent in Node.js: it searches the shop for what the goal quotes, and puts the first hit into the cart.
//
//     npm install
//     stressweb run --agent-command 'node agent.js' --task shop/first-hit --mode remap,popup
import { chromium } from "playwright-core";

const { STRESSWEB_GOAL, STRESSWEB_CDP_URL, STRESSWEB_START_URL, STRESSWEB_FINISH_URL } = process.env;

const wanted = STRESSWEB_GOAL.match(/"(.+?)"/)[1];
const browser = await chromium.connectOverCDP(STRESSWEB_CDP_URL);
const page = browser.contexts()[0].pages()[0];
await page.goto(STRESSWEB_START_URL);
await page.getByRole("searchbox").first().fill(wanted);
await page.getByRole("searchbox").first().press("Enter");
await page.locator('main [itemtype$="Product"] form button').first().click();
await page.waitForLoadState();

await fetch(STRESSWEB_FINISH_URL, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ claim: "done" }),
});
await browser.close();
