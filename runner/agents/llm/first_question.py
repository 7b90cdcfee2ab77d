"""Asks an endpoint one question before a run, to report a wrong address, key or model at once."""

import json
import re
from typing import Any

from stressweb.core.choices import offered
from stressweb.core.errors import UserError
from stressweb.runner.agents.llm.completion import Failed, Malformed, completion
from stressweb.runner.agents.llm.endpoint import refusal_in_error
from stressweb.runner.agents.llm.endpoint_config import PROBE, EndpointConfig
from stressweb.runner.agents.llm.refusal import CLOSED, Refusal, refusal_in_body

QUESTION = "Answer with the word OK."
"""Question to the model; its answer does not matter."""
_VERSION = "/v1"
_FEW = 12
"""Maximum number of models listed in a message, the nearest names first."""


def check(config: EndpointConfig, model: str, patience_s: float = PROBE) -> None:
    """Ask a model one short question; raises UserError for a wrong address, key or model, and for missing credit.

    Other failures are left to the episodes, which retry, and so is an answer that takes longer than `patience_s`.
    """
    model_names = config.probe() or ()
    # The endpoint lists the model and needs no key, so nothing else can be wrong; a question may take minutes if it
    # must load the model first.
    if model in model_names and not config.key:
        return
    refusal = _ask(config, model, patience_s)
    if refusal is not None:
        raise UserError(config.hide(_line(config, model, model_names, refusal)))


def _ask(config: EndpointConfig, model: str, patience_s: float) -> Refusal | None:
    """Return why the endpoint refuses; None if it answers, or if the failure is temporary."""
    import openai  # noqa: PLC0415 - takes a second

    refusal: Refusal | None
    message: Any = {"role": "user", "content": QUESTION}
    with config.client(patience_s) as client:
        try:
            answer = client.chat.completions.with_raw_response.create(model=model, messages=[message])
        except openai.APIStatusError as error:
            refusal = refusal_in_error(error, config.hide)
        except openai.OpenAIError:
            # A slow or failing server may answer next time.
            return None
        else:
            refusal = _refusal_in_answer(answer.http_response.content, config)
    return refusal if refusal is not None and refusal.kind in CLOSED else None


def _refusal_in_answer(body: bytes, config: EndpointConfig) -> Refusal | None:
    """Return the refusal in an answer with status 200."""
    try:
        completion(body)
    except Failed as error:
        return refusal_in_body(None, error.body, config.hide)
    except Malformed:
        # An HTML page: the address is that of a site, not of an endpoint.
        return Refusal("address", "it answers with a web page") if body.lstrip()[:1] == b"<" else None
    return None


def _line(config: EndpointConfig, model: str, model_names: tuple[str, ...], refusal: Refusal) -> str:
    match refusal.kind:
        case "auth":
            return f"{config.url} rejects {config.key_description}: {refusal}"[:400]
        case "money":
            return f"{config.url} answers no request until it is paid: {refusal}"[:400]
        case "address":
            line = f"{config.url} is not the base URL of an OpenAI-compatible endpoint ({refusal})"
            return f"{line}{_hint(config)}"[:400]
        case _:
            names = f"; {offered(model, model_names, few=_FEW)}" if model_names else ""
            return f"{config.url} has no model {model!r}: {refusal}"[:400] + names


def _hint(config: EndpointConfig) -> str:
    """Suggest another address if an endpoint answers below `/v1`, or without the last part of the path."""
    url = config.url.rstrip("/")
    shorter = re.sub(r"/(chat/)?completions$|/models$", "", url)
    meant = [shorter] if shorter != url else []
    meant += [f"{shorter}{_VERSION}"] if not shorter.endswith(_VERSION) else []
    for address in meant:
        if _lists_models(EndpointConfig(address, config.key)):
            return f"; did you mean {address}?"
    return "" if url.endswith(_VERSION) else f"; most end in {_VERSION}"


def _lists_models(config: EndpointConfig) -> bool:
    import httpx  # noqa: PLC0415 - with openai
    import openai  # noqa: PLC0415 - takes a second

    with config.client(PROBE) as client:
        try:
            answer = client.models.with_raw_response.list()
            return isinstance(json.loads(answer.http_response.content), dict)
        except (openai.OpenAIError, httpx.HTTPError, ValueError):
            return False
