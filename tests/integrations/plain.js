// An agent that plays a script with Playwright for Node.js: `plain.js SCRIPT`, with the variables of `--agent-command`.
const { readFileSync } = require("node:fs");
const { chromium } = require("playwright-core");

// How long it looks for an element; without, it ends, and claims what it always claims.
const PATIENCE_MS = 8000;

async function main() {
  const script = JSON.parse(readFileSync(process.argv[2], "utf-8"));
  const browser = await chromium.connectOverCDP(process.env.STRESSWEB_CDP_URL);
  const page = browser.contexts()[0].pages()[0];
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(process.env.STRESSWEB_START_URL);
  try {
    for (const { does, role, name, nth, text } of script) {
      const element = page.getByRole(role, { name, exact: true }).nth(nth);
      if (does === "click") await element.click();
      else if (does === "fill") await element.fill(text);
      else await element.selectOption({ label: text });
    }
  } catch (error) {
    console.error(error.message);
  }
  await page.waitForLoadState();
  const headers = { "content-type": "application/json" };
  await fetch(process.env.STRESSWEB_FINISH_URL, { method: "POST", headers, body: '{"claim": "done"}' });
  await browser.close();
}

main();
