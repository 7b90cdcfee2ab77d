"""browser-use in the browser of an episode.

pip install browser-use
stressweb run --agent-command 'python agent.py' --task shop/first-hit --mode remap,popup
"""

import asyncio
import json
import os
import urllib.request

from browser_use import Agent, Browser, ChatOpenAI


async def main() -> None:
    """Have the model play, and claim its own verdict."""
    agent = Agent(
        task=f"Open {os.environ['STRESSWEB_START_URL']} and reach this goal there: {os.environ['STRESSWEB_GOAL']}",
        llm=ChatOpenAI(model=os.environ.get("MODEL", "gpt-5-mini")),
        # Frames around elements would be drawn into the page, which counts as a change of it.
        browser=Browser(cdp_url=os.environ["STRESSWEB_CDP_URL"], highlight_elements=False),
        use_judge=False,
    )
    history = await agent.run(max_steps=int(os.environ["STRESSWEB_MAX_STEPS"]))
    claim = json.dumps({"claim": "done" if history.is_successful() else "failed"}).encode()
    headers = {"content-type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(os.environ["STRESSWEB_FINISH_URL"], claim, headers))


asyncio.run(main())
