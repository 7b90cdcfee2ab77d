"""Asks an endpoint one question before a run: a wrong address, key or model is one line, not a run of errors."""

import json
import re
from typing import Any

from stressweb.core.choices import offered
from stressweb.core.errors import UserError
from stressweb.runner.agents.llm.completion import Failed, Malformed, completion
from stressweb.runner.agents.llm.endpoint import refused
from stressweb.runner.agents.llm.endpoint_config import PROBE, EndpointConfig
from stressweb.runner.agents.llm.refusal import CLOSED, Refusal, refusal

QUESTION = "Answer with the word OK."
"""Question to the model, whose answer does not matter."""
_VERSION = "/v1"
_FEW = 12
"""Maximum number of models in a message; of more, only the nearest are listed."""


def check(place: EndpointConfig, model: str) -> None:
    """Ask a model one short question; raises UserError for a wrong address, key or model, and for lack of credit.

    Other failures are left to the episodes, which retry.
    """
    listed = place.probe() or ()
    # It lists the model and needs no key, so nothing else could be wrong, and a question may take minutes if the model
    # must be loaded first.
    if model in listed and not place.key:
        return
    refused_question = _ask(place, model)
    if refused_question is not None:
        raise UserError(place.hide(_line(place, model, listed, refused_question)))


def _ask(place: EndpointConfig, model: str) -> Refusal | None:
    """Return why the endpoint will not answer; None if it does, or if the failure is temporary."""
    import openai  # noqa: PLC0415 - takes a second

    refused_question: Refusal | None
    message: Any = {"role": "user", "content": QUESTION}
    with place.client(PROBE) as client:
        try:
            answer = client.chat.completions.with_raw_response.create(model=model, messages=[message])
        except openai.APIStatusError as error:
            refused_question = refused(error, place.hide)
        except openai.OpenAIError:
            # A slow or failing server may answer the next time.
            return None
        else:
            refused_question = _inside(answer.http_response.content, place)
    return refused_question if refused_question is not None and refused_question.kind in CLOSED else None


def _inside(body: bytes, place: EndpointConfig) -> Refusal | None:
    """Return the refusal in an answer with status 200."""
    try:
        completion(body)
    except Failed as error:
        return refusal(None, error.body, place.hide)
    except Malformed:
        # A page for browsers: this is the address of a site, not of an endpoint.
        return Refusal("address", "it answers with a web page") if body.lstrip()[:1] == b"<" else None
    return None


def _line(place: EndpointConfig, model: str, listed: tuple[str, ...], refused_question: Refusal) -> str:
    match refused_question.kind:
        case "auth":
            return f"{place.url} rejects {place.key_description}: {refused_question}"[:400]
        case "money":
            return f"{place.url} answers no request until it is paid: {refused_question}"[:400]
        case "address":
            return (
                f"{place.url} is not the base URL of an OpenAI-compatible endpoint ({refused_question}){_hint(place)}"[
                    :400
                ]
            )
        case _:
            names = f"; {offered(model, listed, few=_FEW)}" if listed else ""
            return f"{place.url} has no model {model!r}: {refused_question}"[:400] + names


def _hint(place: EndpointConfig) -> str:
    """Return a suggestion, if there is an endpoint below `/v1`, or without the last part of the path."""
    url = place.url.rstrip("/")
    shorter = re.sub(r"/(chat/)?completions$|/models$", "", url)
    meant = [shorter] if shorter != url else []
    meant += [f"{shorter}{_VERSION}"] if not shorter.endswith(_VERSION) else []
    for address in meant:
        if _lists_models(EndpointConfig(address, place.key)):
            return f"; did you mean {address}?"
    return "" if url.endswith(_VERSION) else f"; most end in {_VERSION}"


def _lists_models(place: EndpointConfig) -> bool:
    import httpx  # noqa: PLC0415 - with openai
    import openai  # noqa: PLC0415 - takes a second

    with place.client(PROBE) as client:
        try:
            answer = client.models.with_raw_response.list()
            return isinstance(json.loads(answer.http_response.content), dict)
        except (openai.OpenAIError, httpx.HTTPError, ValueError):
            return False
