"""The outbox of a client is bounded: a client that sends requests without reading is disconnected."""

import asyncio
import json
import re

import pytest
from fastapi import HTTPException
from pydantic import ValidationError

from scripts.blocking import run
from stressweb.core.verdict import Verdict, verdict_in
from stressweb.runner.external import gate
from stressweb.runner.external.gate import Outbox
from stressweb.runner.external.offer import Claim


class StalledConnection:
    """A connection whose client reads nothing."""

    async def send_text(self, text: str) -> None:
        await asyncio.Event().wait()


class ReadingConnection:
    """A connection whose client reads everything."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def send_text(self, text: str) -> None:
        self.texts.append(text)


@pytest.fixture
def outbox() -> Outbox:
    """An outbox with a limit of ten characters."""
    return Outbox(most=10)


def test_a_client_that_takes_nothing_overruns_it(outbox: Outbox) -> None:
    async def ask() -> None:
        sending = asyncio.create_task(outbox.send_all(StalledConnection()))
        for _ in range(10):
            outbox.put("x")
            await asyncio.sleep(0)
        assert not outbox.overrun.is_set()
        outbox.put("x")
        assert outbox.overrun.is_set()
        sending.cancel()

    run(ask())


def test_a_client_that_takes_its_answers_gets_all_of_them(outbox: Outbox) -> None:
    async def ask() -> None:
        reading = ReadingConnection()
        sending = asyncio.create_task(outbox.send_all(reading))
        for number in range(50):
            outbox.put(f"{number:03}")
            await asyncio.sleep(0)
        await outbox.send_queued(reading)
        assert reading.texts == [f"{number:03}" for number in range(50)]
        assert not outbox.overrun.is_set()
        sending.cancel()

    run(ask())


def test_only_the_first_claim_counts() -> None:
    async def finish() -> None:
        guest = gate.Guest(None)
        await guest.finish(Claim(claim="failed"))
        with pytest.raises(HTTPException, match="the episode was finished before, with claim 'failed'") as refused:
            await guest.finish(Claim(claim="done"))
        assert refused.value.status_code == 409
        assert guest.claim.result().claim == "failed"

    run(finish())


def test_a_verdict_is_a_claim_with_the_verdict_as_its_message() -> None:
    posted = {"verdict": "fail", "step": 3, "cause": "action", "note": "no button", "usage": {"tokens_in": 5}}
    claim = Claim.model_validate(posted)
    assert (claim.claim, claim.usage.tokens_in) == ("done", 5)
    assert verdict_in(claim.message) == Verdict(verdict="fail", step=3, cause="action", note="no button")
    for wrong, reason in (
        ({"verdict": "fail"}, "needs the step that fails"),
        ({"verdict": "pass", "claim": "done"}, "claim"),
        ({"verdict": "perhaps"}, "'pass' or 'fail'"),
    ):
        with pytest.raises(ValidationError, match=reason):
            Claim.model_validate(wrong)


def test_the_schema_of_a_claim_offers_a_verdict_instead() -> None:
    schema = Claim.model_json_schema()
    assert {"claim", "message", "usage", "verdict", "step", "cause", "steps", "note"} == set(schema["properties"])
    assert "required" not in schema
    assert "anyOf" not in schema
    used = set(re.findall(r"#/\$defs/(\w+)", json.dumps(schema)))
    assert used == set(schema["$defs"])
    assert schema["$defs"]["Result"]["enum"] == ["pass", "fail"]
