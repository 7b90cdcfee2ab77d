"""One question to an endpoint before a run: a wrong address, key or model is one line and not a run of errors."""

import json
import re
from typing import Any

from runner.agents.llm.completion import Failed, Malformed, completion
from runner.agents.llm.endpoint import refused
from runner.agents.llm.endpoint_config import PROBE, EndpointConfig
from runner.agents.llm.refusal import CLOSED, Refusal, refusal
from stressweb.core.choices import offered
from stressweb.core.errors import UserError

QUESTION = "Answer with the word OK."
"""What the model is asked. Its answer does not matter."""
_VERSION = "/v1"
_FEW = 12
"""As many models are listed in a message; of more, only the nearest."""


def check(place: EndpointConfig, model: str) -> None:
    """Ask a model one short question; raises UserError for a wrong address, key or model, and for a lack of money.

    Whatever else goes wrong is left to the episodes, which try again.
    """
    listed = place.probe() or ()
    # It lists the model and asks for no key: there is nothing left that could be wrong, and a question may cost minutes
    # where a model has to be loaded first.
    if model in listed and not place.key:
        return
    found = _asked(place, model)
    if found is not None:
        raise UserError(place.hide(_line(place, model, listed, found)))


def _asked(place: EndpointConfig, model: str) -> Refusal | None:
    """Return why the endpoint will not answer, None if it does or if that may pass."""
    import openai  # noqa: PLC0415 - takes a second

    found: Refusal | None
    message: Any = {"role": "user", "content": QUESTION}
    with place.client(PROBE) as client:
        try:
            answer = client.chat.completions.with_raw_response.create(model=model, messages=[message])
        except openai.APIStatusError as error:
            found = refused(error, place.hide)
        except openai.OpenAIError:
            # A slow server is there; one that broke off may answer the next time.
            return None
        else:
            found = _inside(answer.http_response.content, place)
    return found if found is not None and found.kind in CLOSED else None


def _inside(body: bytes, place: EndpointConfig) -> Refusal | None:
    """Return the refusal that an answer with status 200 holds."""
    try:
        completion(body)
    except Failed as error:
        return refusal(None, error.body, place.hide)
    except Malformed:
        # A page for browsers: this is the address of a site, and not of an endpoint.
        return Refusal("address", "it answers with a web page") if body.lstrip()[:1] == b"<" else None
    return None


def _line(place: EndpointConfig, model: str, listed: tuple[str, ...], found: Refusal) -> str:
    match found.kind:
        case "auth":
            return f"{place.url} rejects {place.key_said}: {found}"[:400]
        case "money":
            return f"{place.url} answers no request until it is paid: {found}"[:400]
        case "address":
            return f"{place.url} is not the base URL of an OpenAI-compatible endpoint ({found}){_hint(place)}"[:400]
        case _:
            names = f"; {offered(model, listed, few=_FEW)}" if listed else ""
            return f"{place.url} has no model {model!r}: {found}"[:400] + names


def _hint(place: EndpointConfig) -> str:
    """Return the address that was meant, if there is an endpoint below `/v1` or without a part too many."""
    url = place.url.rstrip("/")
    shorter = re.sub(r"/(chat/)?completions$|/models$", "", url)
    meant = [shorter] if shorter != url else []
    meant += [f"{shorter}{_VERSION}"] if not shorter.endswith(_VERSION) else []
    for other in meant:
        if _lists_models(EndpointConfig(other, place.key)):
            return f"; did you mean {other}?"
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
