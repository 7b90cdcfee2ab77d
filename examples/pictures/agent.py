"""An agent that gets only pictures of the page and answers with coordinates, without an agent library.

    pip install websockets
    stressweb run --agent-command 'python agent.py' --task shop/first-hit --mode noise --base-url http://localhost:8080/v1

It shows a picture to a vision model, and does what the model answers: a click at a position, a text, a key, or stop.
"""

import json
import os
import time
import urllib.request

from websockets.sync.client import connect

INSTRUCTIONS = (
    'Reach the goal in the browser that the picture shows. Answer with JSON alone: {"click": [x, y]} in pixels,'
    ' {"type": "a text"}, {"press": "Enter"}, or {"done": true}.'
)


def post(url: str, body: object, **headers: str) -> dict:
    """Post JSON, and return the JSON of the answer."""
    content = json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"content-type": "application/json", **headers})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Page:
    """The first page of the episode's browser, by the DevTools protocol."""

    def __init__(self, url: str) -> None:
        """Connect to the browser."""
        self.socket, self.number, self.session = connect(url, max_size=None), 0, None
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.send("Page.enable")

    def send(self, method: str, **params: object) -> dict:
        """Send a command, and return its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        self.socket.send(json.dumps(message | ({"sessionId": self.session} if self.session else {})))
        while (answer := json.loads(self.socket.recv(60))).get("id") != self.number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url: str) -> None:
        """Go to an address, and wait until it has loaded."""
        self.send("Page.navigate", url=url)
        while json.loads(self.socket.recv(60)).get("method") != "Page.loadEventFired":
            pass

    def picture(self) -> str:
        """Return a picture of the page."""
        return self.send("Page.captureScreenshot", format="png")["data"]

    def do(self, action: dict) -> None:
        """Perform the model's action."""
        if place := action.get("click"):
            x, y = place
            for event_type in ("mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=event_type, x=x, y=y, button="left", clickCount=1)
        if text := action.get("type"):
            self.send("Input.insertText", text=text)
        if key := action.get("press"):
            code = {"windowsVirtualKeyCode": 13, "text": "\r"} if key == "Enter" else {}
            for event_type in ("keyDown", "keyUp"):
                self.send("Input.dispatchKeyEvent", type=event_type, key=key, code=key, **code)


def next_action(goal: str, picture: str) -> dict:
    """Return the model's action."""
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    message = {"role": "user", "content": [{"type": "text", "text": f"{INSTRUCTIONS}\n\nGoal: {goal}"}, image]}
    key = os.environ.get("OPENAI_API_KEY", "none")
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    body = {"model": os.environ.get("MODEL", "gpt-5-mini"), "messages": [message]}
    answer = post(url, body, authorization=f"Bearer {key}")
    return json.loads(answer["choices"][0]["message"]["content"])


def main() -> None:
    """Look and act until the model is done."""
    page = Page(os.environ["STRESSWEB_CDP_URL"])
    page.open(os.environ["STRESSWEB_START_URL"])
    while not (action := next_action(os.environ["STRESSWEB_GOAL"], page.picture())).get("done"):
        page.do(action)
        # A page needs a moment to react.
        time.sleep(0.5)
    post(os.environ["STRESSWEB_FINISH_URL"], {"claim": "done"})


if __name__ == "__main__":
    main()
