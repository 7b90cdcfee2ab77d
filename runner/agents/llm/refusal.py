"""Classifies a server's refusal by a table of rules: by code, parameter and status first, by words last."""

import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from stressweb.runner.agents.llm.evidence import Evidence, evidence

type Kind = Literal[
    "money", "auth", "model", "address", "rate", "overload", "context", "picture", "text", "schema", "role",
    "parameter", "content", "request",
]  # fmt: skip

CLOSED: tuple[Kind, ...] = ("money", "auth", "model", "address")
"""Refusals that would repeat for every request, so the run stops."""
AGAIN: tuple[Kind, ...] = ("rate", "overload")
"""Refusals after which the same request may succeed a moment later."""
PARAMETERS = ("temperature", "seed", "max_tokens")
"""Request parameters that can be left out, by the names of their options."""


class Refusal(NamedTuple):
    """Why a server did not answer."""

    kind: Kind
    message: str
    """The server's message on one line."""
    status: int | None = None
    params: tuple[str, ...] = ()
    """Which of `PARAMETERS` the message names, for the kind `parameter`."""
    wait: float | None = None
    """Seconds to wait, if the message asks for a wait."""
    markup: bool = False
    """Whether a web server in front of the endpoint answered with an HTML page."""

    def __str__(self) -> str:
        """Return status and message."""
        return self.message if self.status is None else f"status {self.status}: {self.message}"


class Rule(NamedTuple):
    """A row of the table; it fits if all its non-empty patterns match."""

    kind: Kind
    status: str = ""
    """Pattern for the whole status, which is "none" if missing."""
    codes: str = ""
    """Pattern for a whole code or type."""
    params: str = ""
    """Pattern for a whole parameter."""
    words: str = ""
    """Pattern to search for in the messages."""

    def fits(self, error: Evidence) -> bool:
        """Return whether this row fits an error."""
        return (
            (not self.status or re.fullmatch(self.status, str(error.status or "none")) is not None)
            and (not self.codes or any(re.fullmatch(self.codes, code) for code in error.codes))
            and (not self.params or any(re.fullmatch(self.params, param) for param in error.params))
            and (not self.words or re.search(self.words, error.words) is not None)
        )


_REFUSED = r"4\d\d|none"
_MONEY = (
    r"insufficient[ _](account )?(balance|credits?|funds|quota)|credit balance|no credits? left|out of credits?|"
    r"(monthly|included|prepaid|free|more|remaining) credits|negative balance|balance is (too low|not enough)|"
    r"exceeded your current quota|billing[ _](hard[ _])?limit|"
    r"(key|budget|spend(ing)?|credit|usage) limit( has been)? ?(exceeded|reached|hit)|"
    r"(exceeded|reached|hit) (your|the)[a-z -]{0,30}(budget|credit|usage|spend(ing)?) ?(limit)?\b|"
    r"budget (has been |limit )?exceeded|exceeded.{0,12}budget|payment (is )?(required|past due)|past due|"
    r"purchase (more )?credits|add (more )?(credits|funds)|top up|not active, please check your billing|余额|欠费"
)
_LASTING = (
    r"per[ -]?day|\bdaily\b|per[ -]?month|\bmonthly\b|per[ -]?week|\bweekly\b|limit: 0\b|\(tpd\)|\(rpd\)|usage limit"
)
_SOON = r"(retry|try again) (in|after) \d|retrydelay \d"
_LENGTH = (
    r"context[ _](length|window|size|limit|overflow)|contextwindowexceeded|exceeds?_context|n_ctx|max_model_len|"
    r"max_seq_len|too long to fit|(prompt|input|request|message|conversation)s? (is|are) (too long|too large)|"
    r"prompt too long|too many (input )?tokens|too long for (the|this|requested) model|input token count|"
    r"less than \d+ tokens|inputs?. tokens \+|maximum (number of )?(input )?tokens|maximum (prompt|model|input) length|"
    r"input length should|prompt exceeds|token limit|max(imum)? input tokens|input tokens exceed|string too long|"
    r"reduce the (length|size|number of)|context the overflows|tokens? .{0,40}exceed|exceed.{0,40}\btokens\b|"
    r"(prompt|input) .{0,40}(longer|greater) than|requested tokens|payload (too large|reached size limit)|"
    r"request (entity|body) (is )?too large|body (size )?(is )?too large"
)
_NOT = (
    r"(not (currently )?(support|allow|enable|available|implement)|n't support|unsupported|no support|cannot|can't|"
    r"unable|unavailable|invalid|unknown|unrecognized|unexpected|not permitted|only)"
)
_IMAGE = r"(image|picture|vision|multi-?modal)"
_NO_IMAGE = (
    rf"{_NOT}.{{0,60}}{_IMAGE}|{_IMAGE}.{{0,60}}{_NOT}|mmproj|{_IMAGE} (add-on|adapter|projector|encoder)|"
    rf"missing data required for {_IMAGE}|{_IMAGE} .{{0,20}}(disabled|exceeds?|too (large|many|big))|"
    rf"(at most|too many|more than|maximum of) \d* ?{_IMAGE}|support {_IMAGE}|not a (multi-?modal|vision)"
)
_FORM = (
    r"response[_ ]?format|json[_ ]schema|json[_ ]object|json[_ ]mode|structured[_ ]outputs?|guided[_ ](json|decoding)|"
    r"response[_ ]schema|responsemimetype|response mime type|invalid schema|parse grammar|invalid grammar|\bxgrammar\b|"
    r"additionalproperties|schema.{0,30}(too complex|constraint)|failed to generate json"
)
_ROLE = (
    r"system (role|message|prompt|instruction)s?.{0,40}(not|n't) (be )?(support|allow|enable|permit)|"
    r"(not|n't) support.{0,40}\bsystem\b|(only|unexpected|invalid|unknown|unsupported).{0,40}\broles?\b|"
    r"roles must alternate|developer instruction is not enabled|\brole.{0,30}(system|developer).{0,30}(not|invalid)|"
    r"\b(system|developer)\b.{0,10}(is not one of|is not a valid role)"
)
_STRING = (
    r"(content|message).{0,80}(must|should|to) be (a |of type )?(valid )?string|"
    r"invalid type: sequence, expected a string|"
    r"unknown variant .?image_url|expected (a )?string, (got|received) (array|list)|content .{0,30}not a string|"
    r"can only concatenate str|cannot unmarshal array into .{0,60}string"
)
_KEY = (
    r"(incorrect|invalid|missing|no|wrong|expired|revoked) (api[ -]?|auth(entication)?[ -]?|access[ -]?)?(key|token|"
    r"credentials?)|api[ -]key (is )?(not|in)valid|authentication(error| failed| error)|unauthori[sz]ed|"
    r"(location|country|region).{0,30}not supported|account (is |has been )?(deactivated|suspended|disabled)"
)
_MODEL = (
    r"model.{0,160}(not found|does ?n[o']t exist|not exist|is not (available|a valid|supported by any|loaded)|"
    r"no longer available|has been (deprecated|decommissioned|removed|retired))|"
    r"(invalid|unknown|no such|unrecognized|could not find|not a valid|unsupported) model\b|"
    r"no models? (is |are )?loaded|"
    r"api deployment for this resource does not exist|no endpoints found for|try pulling it|"
    r"does not have access to model"
)
_PARAMETER = (
    r"(unsupported|unknown|unrecognized|unexpected|extra|invalid)[a-z ]{0,20}(param|argument|field|input|key|value)|"
    r"(fields|inputs) (are )?not permitted|requested parameters|unexpected keyword|does not support parameters|"
    r"only the default"
)
_NAMED = r"(?<![\w/.-])(temperature|seed|max_(completion_|new_|output_)?tokens)(?![\w/-])"

RULES: tuple[Rule, ...] = (
    # Codes and statuses with two meanings that the words distinguish.
    Rule("context", "413|429", words=r"request too large for|tokens must be reduced|reduce your (message|prompt) size"),
    Rule("money", "402"),
    Rule("money", "429", words=_LASTING),
    Rule("rate", "429", words=_SOON),
    # Codes.
    Rule(
        "money",
        codes=r"insufficient_(quota|balance|credits?|funds|user_quota)|billing_(hard_limit_reached|not_active|error)|"
        r"payment_required|credit_balance_too_low|budget_?exceeded(error)?|exceeded_current_quota_error|quota_exceeded|"
        r"usage_limit_(reached|exceeded)|spend(ing)?_limit_(reached|exceeded)|arrearage|1113",
    ),
    Rule(
        "context",
        codes=r"context_(length|window)_exceeded|contextwindowexceedederror|exceed_context_size_error|"
        r"string_above_max_length|model_max_prompt_tokens_exceeded|(request|payload|input)_too_(large|long)|"
        r"prompt_too_long|1261",
    ),
    Rule("schema", codes=r"invalid_json_schema|(invalid|unsupported)_response_format|json_validate_failed"),
    Rule("picture", codes=r"(invalid|unsupported)_(image|vision|modality).*|image_.+|vision_.*not_supported"),
    Rule("schema", _REFUSED, words=r"invalid schema for response_format"),
    Rule(
        "content",
        codes=r"content_(filter|policy_violation)|contentpolicyviolationerror|responsibleaipolicyviolation|"
        r"data_?inspection_?failed|prohibited_content|moderation.*|1301",
    ),
    Rule(
        "model",
        codes=r"model_?not_?(found|exist|supported|available|loaded)|deploymentnotfound|deployment_not_found|"
        r"(invalid|unknown|unsupported)_model.*|model_(decommissioned|terminated|deprecated|retired)",
    ),
    Rule("money", "403", words=_MONEY),
    Rule(
        "auth",
        codes=r"(invalid|incorrect)_api_key|api_key_invalid|invalid_authentication(_error)?|authentication_?error|"
        r"permission_?(error|denied)|unauthenticated|unauthorized|account_(deactivated|suspended|disabled)|"
        r"unsupported_country_region_territory|token_expired|key_model_access_denied",
    ),
    Rule("rate", codes=r"rate_?limit(_?(exceeded|error|reached|reached_error))?|too_?many_?requests|throttl.*"),
    Rule("overload", codes=r"(server_|engine_|model_)?overloaded(_error)?|(service_)?unavailable|capacity_exceeded"),
    # Parameters. A parameter may be too long because of the page.
    Rule("context", params=r"max_.*tokens|input.*|prompt|messages.*", words=_LENGTH),
    Rule("schema", params=r"(.*\.)?(response_?format|json_schema|guided_json|format|grammar|schema)(\..*)?"),
    Rule("picture", params=r".*image.*"),
    Rule("role", params=r".*\brole"),
    Rule("parameter", params=r"(.*\.)?(temperature|seed|max_(completion_|new_|output_)?tokens)"),
    Rule("model", "400|404|422", params=r"model"),
    # Unambiguous statuses.
    Rule("auth", "401|407"),
    Rule("context", "413|414"),
    # Words. For a refused request, anything that they name; for a server error, only a statement that something is
    # unsupported, since the message may quote the request whatever the reason.
    Rule("money", _REFUSED, words=_MONEY),
    Rule("role", words=_ROLE),
    Rule("schema", _REFUSED, words=_FORM),
    Rule("schema", words=rf"({_FORM}).{{0,60}}{_NOT}|{_NOT}.{{0,60}}({_FORM})|parse grammar|invalid grammar"),
    Rule("context", words=_LENGTH),
    Rule("text", _REFUSED, words=_STRING),
    Rule("picture", words=_NO_IMAGE),
    Rule("picture", _REFUSED, words=rf"\b{_IMAGE}|image_url"),
    Rule("address", words=r"unexpected endpoint|invalid url \(|cannot (post|get) /|unknown request url"),
    Rule("model", _REFUSED, words=_MODEL),
    Rule("parameter", _REFUSED, words=_NAMED),
    Rule("parameter", _REFUSED, words=_PARAMETER),
    Rule("parameter", words=rf"{_NAMED}.{{0,40}}not support|not support.{{0,40}}{_NAMED}"),
    Rule("auth", _REFUSED, words=_KEY),
    Rule("content", _REFUSED, words=r"content (management )?policy|content filter|moderation|flagged|prohibited"),
    Rule("rate", _REFUSED, words=r"rate limit|too many requests|throttl"),
    # Less specific statuses.
    Rule("rate", "429"),
    Rule("model", "404|410", words=r"\bmodel"),
    Rule("address", r"404|405|410|3\d\d"),
    Rule("auth", "403"),
    Rule("overload", r"none|408|409|424|425|498|5\d\d"),
)
"""The table. The first row that fits decides; an error without a fitting row is of the kind `request`."""


def refusal_in_body(status: int | None, body: bytes | str | Any, hide: Callable[[str], str] = str) -> Refusal:
    """Classify an error of a server; `body` is its text or JSON value, `hide` removes a key from it."""
    error_evidence = evidence(status, body, hide)
    kind: Kind = next((rule.kind for rule in RULES if rule.fits(error_evidence)), "request")
    # A firewall in front of an endpoint refuses a request for its content, not because of the key.
    if kind == "auth" and error_evidence.status == 403 and error_evidence.markup:
        kind = "content"
    named = (*error_evidence.params, *(match[1] for match in re.finditer(_NAMED, error_evidence.words)))
    params = tuple(dict.fromkeys(name for param in named for name in PARAMETERS if _means_parameter(param, name)))
    return Refusal(
        kind,
        error_evidence.message,
        error_evidence.status,
        params,
        wait_in_words(error_evidence.words),
        error_evidence.markup,
    )


def _means_parameter(param: str, name: str) -> bool:
    last = param.rpartition(".")[2]
    return last == name or (name == "max_tokens" and re.fullmatch(r"max_\w*tokens", last) is not None)


def wait_in_words(words: str) -> float | None:
    """Return the seconds in a text such as "try again in 7m12.5s"; None if there is none."""
    match = re.search(
        r"(?:(?:retry|try again) (?:in|after)|retrydelay) "
        r"(?:(\d{1,4})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d+)?)\s*(ms|s))?",
        words,
    )
    if match is None or not any(match.groups()):
        return None
    hours, minutes, seconds, unit = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0) / (1000 if unit == "ms" else 1)
