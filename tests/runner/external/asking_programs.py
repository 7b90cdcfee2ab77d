"""Programs that ask a language model, played by `stressweb run`."""

import os
import subprocess
import sys
from pathlib import Path

ASKS = """
from openai import OpenAI
client = OpenAI(max_retries=0)

def ask(**more):
    page_text = page.locator("body").inner_text()
    messages = [{"role": "user", "content": os.environ["STRESSWEB_GOAL"] + page_text}]
    return client.chat.completions.create(model="small", messages=messages, **more)
"""
"""Program that asks about the page through the OpenAI client."""


def stressweb(folder: Path, command: str, *options: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-P", "-m", "stressweb", *options]
    if command:
        words += ["--agent-command", f"mine={command}", "--mode", "remap", "--task", "shop/first-hit"]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "ANTHROPIC_"))}
    return subprocess.run(
        [*words, "--runs-dir", str(folder)],
        env=inherited | environ,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
