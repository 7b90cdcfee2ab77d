"""Classification of server refusals: real error responses, each with its kind."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stressweb.runner.agents.llm.refusal import RULES, Refusal, refusal_in_body, wait_in_words


def openai(
    message: str, type_: str | None = "invalid_request_error", param: str | None = None, code: Any = None
) -> Any:
    return {"error": {"message": message, "type": type_, "param": param, "code": code}}


def vllm(message: str, code: int = 400, type_: str = "BadRequestError", param: str | None = None) -> Any:
    return {"object": "error", "message": message, "type": type_, "param": param, "code": code}


def google(message: str, code: int = 400, status: str = "INVALID_ARGUMENT", **more: Any) -> Any:
    return [{"error": {"code": code, "message": message, "status": status, **more}}]


def anthropic(message: str, type_: str = "invalid_request_error") -> Any:
    return {"type": "error", "error": {"type": type_, "message": message}, "request_id": "req_1"}


def router(message: str, code: int, raw: str = "") -> Any:
    error: dict[str, Any] = {"message": message, "code": code}
    return {"error": error | ({"metadata": {"raw": raw, "provider_name": "P"}} if raw else {}), "user_id": "user_1"}


NGINX = b"<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%s</h1></center><hr></body>\r\n</html>\r\n"


def page(title: str) -> bytes:
    return NGINX.replace(b"%s", title.encode())


VECTORS: list[tuple[str, int | None, Any]] = [
    # Money and quota: no further request will be answered.
    ("money", 402, {"error": "You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO"}),
    ("money", 402, openai("Insufficient Balance", "unknown_error", None, "invalid_request_error")),
    ("money", 402, router("Insufficient credits. Add more using https://openrouter.ai/settings/credits", 402)),
    ("money", 402, b""),
    ("money", 402, page("402 Payment Required")),
    ("money", 402, router("This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens", 402)),
    ("money", 429, openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", None, "insufficient_quota")),
    ("money", 429, openai("Your account is not active, please check your billing details on our website.", "billing_not_active", None, "billing_not_active")),
    ("money", 400, openai("Billing hard limit has been reached", "invalid_request_error", None, "billing_hard_limit_reached")),
    ("money", 400, anthropic("Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing")),
    ("money", 402, anthropic("Your account has a billing problem", "billing_error")),
    ("money", 400, anthropic("You have reached your specified API usage limits. You will regain access on 2026-12-01")),
    ("money", 403, router("Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys", 403)),
    ("money", 403, router("Budget limit exceeded (monthly limit).", 403)),
    ("money", 403, openai("your subscription payment is past due. update your payment method", "api_error")),
    ("money", 429, router("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests", 429)),
    ("money", 429, google("Quota exceeded for quota metric 'Requests' and limit 'Requests per day per user per tier'", 429, "RESOURCE_EXHAUSTED")),
    ("money", 429, google("You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: free_tier_requests, limit: 0, model: g Please retry in 10.6s.", 429, "RESOURCE_EXHAUSTED")),
    ("money", 429, google("You exceeded your current quota.", 429, "RESOURCE_EXHAUSTED", details=[{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}])),
    ("money", 429, openai("Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 99000. Please try again in 7m12s.", "tokens", None, "rate_limit_exceeded")),
    ("money", 400, {"error": {"message": "Budget has been exceeded! Current cost: 10.2, Max budget: 10.0", "type": "budget_exceeded", "param": None, "code": "400"}}),
    ("money", 400, {"error": {"message": "ExceededBudget: User=a over budget. Spend=12, Budget=10 budget exceeded", "type": "None", "code": "400"}}),
    ("money", 429, {"error": {"message": "Your account u is suspended, please check your plan and billing details", "type": "exceeded_current_quota_error"}}),
    ("money", 400, {"code": "Arrearage", "message": "Access denied, please make sure your account is in good standing.", "request_id": "1"}),
    ("money", 429, {"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}}),
    ("money", 429, {"error": "you've reached your hourly usage limit, please upgrade to continue"}),
    # Rate limits: the same request succeeds a moment later.
    ("rate", 429, openai("Rate limit reached for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000. Please try again in 4.2s.", "tokens", None, "rate_limit_exceeded")),
    ("rate", 429, {"error": {"code": "429", "message": "Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 6 seconds."}}),
    ("rate", 429, google("You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: free_tier_requests, limit: 15 Please retry in 32.5s.", 429, "RESOURCE_EXHAUSTED")),
    ("rate", 429, google("Resource has been exhausted (e.g. check quota).", 429, "RESOURCE_EXHAUSTED")),
    ("rate", 429, anthropic("This request would exceed your organization's rate limit of 40,000 input tokens per minute.", "rate_limit_error")),
    ("rate", 429, router("Provider returned error", 429, "m is temporarily rate-limited upstream. Please retry shortly")),
    ("rate", 429, b"Too Many Requests"),
    ("rate", 429, page("429 Too Many Requests")),
    ("rate", 429, {"error": {"message": "litellm.RateLimitError: No deployments available for selected model, Try again in 5 seconds.", "type": "None", "code": "429"}}),
    ("overload", 429, {"error": "Model is overloaded", "error_type": "overloaded"}),
    # Length: the page is cut.
    ("context", 400, openai("This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.", param="messages", code="context_length_exceeded")),
    ("context", 400, router("This endpoint's maximum context length is 200000 tokens. However, you requested about 264437 tokens (262437 of text input, 2000 in the output).", 400)),
    ("context", 400, router("Provider returned error", 400, json.dumps(openai("This model's maximum context length is 8192 tokens", code="context_length_exceeded")))),
    ("context", 400, vllm("This model's maximum context length is 4096 tokens. However, you requested 4118 tokens (3118 in the messages, 1000 in the completion).")),
    ("context", 400, vllm("'max_tokens' or 'max_completion_tokens' is too large: 512. This model's maximum context length is 4096 tokens and your request has 3900 input tokens", param="max_tokens")),
    ("context", 400, vllm("The prompt (total length 9018) is too long to fit into the model (context length 8192). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens. For image inputs, the number of image tokens depends on the number of images.")),
    ("context", 400, vllm("The decoder prompt (length 9018) is longer than the maximum model length of 8192.", type_="ValueError")),
    ("context", 422, {"error": "Input validation error: `inputs` must have less than 2048 tokens. Given: 9123", "error_type": "validation"}),
    ("context", 422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9123 `inputs` tokens and 100 `max_new_tokens`", "error_type": "validation"}),
    ("context", 400, {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "exceed_context_size_error", "n_prompt_tokens": 9018, "n_ctx": 8192}}),
    ("context", 500, {"error": {"code": 500, "message": "the request exceeds the available context size", "type": "server_error"}}),
    ("context", 400, {"error": "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough."}),
    ("context", 400, {"error": "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)."}),
    ("context", None, {"error": "Trying to keep the first 15857 tokens when context the overflows."}),
    ("context", 400, google("The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).")),
    ("context", 400, {"error": {"message": json.dumps({"error": {"code": 400, "message": "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}), "code": 400, "status": "Bad Request"}}),
    ("context", 400, anthropic("prompt is too long: 212345 tokens > 200000 maximum")),
    ("context", 400, anthropic("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`")),
    ("context", 413, anthropic("Request exceeds the maximum size", "request_too_large")),
    ("context", 413, page("413 Request Entity Too Large")),
    ("context", 413, b""),
    ("context", 413, b"Payload Too Large"),
    ("context", 413, openai("Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9123, please reduce your message size and try again.", "tokens", None, "rate_limit_exceeded")),
    ("context", 429, openai("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41234. The input or output tokens must be reduced in order to run successfully.", "tokens", None, "rate_limit_exceeded")),
    ("context", 400, openai("Invalid 'messages[1].content[0].text': string too long. Expected a string with maximum length 10485760", param="messages[1].content[0].text", code="string_above_max_length")),
    ("context", 400, {"error": {"message": "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - prompt is over the limit", "type": None, "param": None, "code": "400"}}),
    ("context", 400, {"message": "Input is too long for requested model."}),
    ("context", 400, {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 9123."}),
    ("context", 400, {"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_prompt", "code": "3051"}),
    ("context", 400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}),
    ("context", 400, openai("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", code="invalid_parameter_error")),
    ("context", 400, openai("This model's maximum prompt length is 131072 but the request contains 180000 tokens.")),
    ("context", 400, openai("Invalid request: Your request exceeded model token limit: 131072")),
    ("context", 400, openai("prompt token count of 68000 exceeds the limit of 64000", code="model_max_prompt_tokens_exceeded")),
    ("context", 400, {"object": "error", "message": "The input (9123 tokens) is longer than the model's context length (8192 tokens).", "type": "BadRequestError", "code": 400}),
    # Pictures.
    ("picture", 400, openai("Invalid content type. image_url is only supported by certain models.", param="messages.[1].content.[1].type")),
    ("picture", 404, router("No endpoints found that support image input", 404)),
    ("picture", 404, {"error": {"code": "404", "message": "No endpoints found that support image input", "param": "", "type": ""}}),
    ("picture", 400, openai("this model does not support image input (ref: b8bd)", "api_error")),
    ("picture", 500, openai("this model is missing data required for image input", "api_error")),
    ("picture", 500, {"error": {"code": 500, "message": "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", "type": "server_error"}}),
    ("picture", 400, vllm("m is not a multimodal model")),
    ("picture", 400, vllm("At most 0 image(s) may be provided in one prompt.")),
    ("picture", 400, {"error": "Model does not support images. Please use a model that does."}),
    ("picture", 400, {"error": "Error in iterating prediction stream: ValueError: Vision add-on is not loaded, but images were provided for processing"}),
    ("picture", 400, openai("Invalid image data.", code="invalid_image_format")),
    ("picture", 400, anthropic("messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes")),
    ("picture", 400, openai("The model does not support vision inputs")),
    ("picture", 422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 1, "content", 1, "image_url"], "msg": "Extra inputs are not permitted", "input": "data:"}]}),
    # Content in parts, which some servers accept only for pictures or not at all.
    ("text", 400, openai("Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 99")),
    ("text", 400, openai("messages[1].content must be a string")),
    ("text", 422, {"detail": [{"type": "string_type", "loc": ["body", "messages", 1, "content"], "msg": "content: Input should be a valid string", "input": ["image"]}]}),
    ("text", 400, openai("Failed to deserialize the JSON body: messages[0].content: invalid type: sequence, expected a string")),
    # The form of the answer.
    ("schema", 400, openai("Invalid schema for response_format 'action': In context=('properties', 'action'), 'additionalProperties' is required to be supplied and to be false.", param="response_format")),
    ("schema", 400, {"detail": "400: Invalid schema for response_format 'default': In context=(), 'additionalProperties' is required"}),
    ("schema", 400, router("Provider returned error", 400, json.dumps(openai("Invalid schema for response_format 'd': In context=()", param="response_format")))),
    ("schema", 400, {"error": {"message": "litellm.ContentPolicyViolationError: AzureException - Invalid schema for response_format 'X': In context=(), 'additionalProperties' is required", "type": None, "param": None, "code": "400"}}),
    ("schema", 400, {"type": "error", "error": {"type": "invalid_request_error", "code": "invalid_json_schema", "message": "In context=()", "param": "text.format.schema"}}),
    ("schema", 400, openai("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", param="response_format")),
    ("schema", 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
    ("schema", 400, {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar", "type": "invalid_request_error"}}),
    ("schema", 500, {"error": {"code": 500, "message": "json_schema is not supported by this backend", "type": "server_error"}}),
    ("schema", 400, google("Invalid JSON payload received. Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field.")),
    ("schema", 400, openai("Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.", code="json_validate_failed")),
    ("schema", 400, router("Function calling with a response mime type: 'application/json' is unsupported", 400)),
    ("schema", 422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}),
    # The role of the instructions.
    ("role", 400, vllm("System role not supported")),
    ("role", 500, {"error": "Error in applying chat template: jinja2.exceptions.TemplateError: System role not supported"}),
    ("role", 422, {"error": "Template error: invalid operation: System role not supported (in <string>:1)", "error_type": "template_error"}),
    ("role", 400, openai("Unsupported value: 'messages[0].role' does not support 'system' with this model.", param="messages[0].role", code="unsupported_value")),
    ("role", 400, google("Developer instruction is not enabled for models/gemma-3-27b-it")),
    ("role", 400, vllm("Conversation roles must alternate user/assistant/user/assistant/...")),
    ("role", 400, vllm("Only user and assistant roles are supported!")),
    ("role", 400, openai("invalid parameter 'messages[0].role': invalid role 'system', must be one of: user, assistant", param="")),
    # Parameters.
    ("parameter", 400, openai("Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", param="temperature", code="unsupported_value")),
    ("parameter", 400, openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter")),
    ("parameter", 400, openai("max_tokens is too large: 100000. This model supports at most 16384 completion tokens", param="max_tokens", code="invalid_value")),
    ("parameter", 400, anthropic("max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-3-5")),
    ("parameter", 422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 7}]}),
    ("parameter", 422, {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted", "type": "value_error.extra"}]}),
    ("parameter", 400, {"error": {"message": "litellm.UnsupportedParamsError: openai does not support parameters: ['seed'], for model=o3", "type": "None", "code": "400"}}),
    ("parameter", 404, router("No endpoints found that can handle the requested parameters.", 404)),
    ("parameter", 400, openai("Unrecognized request argument supplied: seed")),
    ("parameter", 400, google("Invalid JSON payload received. Unknown name \"seed\": Cannot find field.")),
    # Keys.
    ("auth", 401, openai("Incorrect API key provided: sk-a. You can find your API key at https://platform.openai.com", param=None, code="invalid_api_key")),
    ("auth", 401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."}}),
    ("auth", 401, router("No auth credentials found", 401)),
    ("auth", 401, anthropic("invalid x-api-key", "authentication_error")),
    ("auth", 400, google("API key not valid. Please pass a valid API key.", 400, details=[{"reason": "API_KEY_INVALID"}])),
    ("auth", 401, {"error": "Invalid username or password."}),
    ("auth", 401, b""),
    ("auth", 403, openai("Country, region, or territory not supported", "request_forbidden", None, "unsupported_country_region_territory")),
    ("auth", 403, google("Permission denied: Consumer has been suspended", 403, "PERMISSION_DENIED")),
    ("auth", 403, b"Forbidden"),
    ("auth", 400, google("User location is not supported for the API use.", 400, "FAILED_PRECONDITION")),
    # Models.
    ("model", 404, openai("The model `gpt-9` does not exist or you do not have access to it.", param=None, code="model_not_found")),
    ("model", 404, vllm("The model `small` does not exist.", 404, "NotFoundError")),
    ("model", 404, openai("model 'small' not found, try pulling it first", "api_error")),
    ("model", 404, {"error": "model 'qwen2.5-coder' not found"}),
    ("model", 404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait"}}),
    ("model", 400, router("foo/bar is not a valid model ID", 400)),
    ("model", 404, router("No endpoints found for foo/bar.", 404)),
    ("model", 404, {"error": {"message": "No models loaded. Please load a model in the developer page", "type": "invalid_request_error", "param": "model", "code": "model_not_found"}}),
    ("model", 400, {"error": {"message": "The requested model 'small' is not supported by any provider you have enabled.", "type": "invalid_request_error", "param": "model", "code": "model_not_supported"}}),
    ("model", 404, anthropic("model: claude-9", "not_found_error")),
    ("model", 400, {"error": {"message": "/chat/completions: Invalid model name passed in model=small. Call `/v1/models` to view available models", "type": "None", "param": "None", "code": "400"}}),
    ("model", 404, google("models/gemini-9 is not found for API version v1main, or is not supported for generateContent.", 404, "NOT_FOUND")),
    ("model", 404, openai("The model `ByteDance/Seed-OSS-36B` does not exist.", None, None, 404)),
    # Addresses.
    ("address", 404, b"404 page not found"),
    ("address", 404, page("404 Not Found")),
    ("address", 404, {"detail": "Not Found"}),
    ("address", 404, {"error": {"code": "404", "message": "Resource not found"}}),
    ("address", 404, openai("Invalid URL (POST /chat/completions)")),
    ("address", 405, {"detail": "Method Not Allowed"}),
    ("address", None, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
    ("address", 404, b"<pre>Cannot POST /chat/completions</pre>"),
    ("address", 404, b""),
    # Load and other temporary faults.
    ("overload", 503, openai("The engine is currently overloaded, please try again later", "server_error")),
    ("overload", 529, anthropic("Overloaded", "overloaded_error")),
    ("overload", 503, google("The model is overloaded. Please try again later.", 503, "UNAVAILABLE")),
    ("overload", 500, openai("The server had an error while processing your request. Sorry about that!", "server_error")),
    ("overload", 502, page("502 Bad Gateway")),
    ("overload", 504, page("504 Gateway Time-out")),
    ("overload", 502, router("Provider returned error", 502)),
    ("overload", 503, {"error": "Model m is currently loading", "estimated_time": 20.0}),
    ("overload", 424, {"error": "Request failed during generation: CUDA out of memory", "error_type": "generation"}),
    ("overload", 500, openai("failed to decode image", "api_error")),
    ("overload", 500, b"out of memory while decoding an image"),
    ("overload", 503, b"context is busy"),
    ("overload", 408, b"Request Timeout"),
    ("overload", 409, b""),
    ("overload", None, {"error": "something went wrong"}),
    # Content filters.
    ("content", 400, {"error": {"message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", "type": None, "param": "prompt", "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    ("content", 400, {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}),
    ("content", 403, page("Attention Required! | Cloudflare")),
    # Unknown refusals.
    ("request", 400, b"Bad Request"),
    ("request", 400, {"error": {"message": "Provider returned error", "code": 400}}),
    ("request", 422, {"detail": "Unprocessable Entity"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "status", "body"), VECTORS, ids=[f"{n}-{vector[0]}" for n, vector in enumerate(VECTORS)]
)
def test_the_kind_of_a_refusal(kind: str, status: int | None, body: Any) -> None:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    parsed = refusal_in_body(status, text)
    assert parsed.kind == kind, parsed
    assert "\n" not in parsed.message
    assert 0 < len(parsed.message) <= 300


def test_every_kind_of_the_table_has_a_vector() -> None:
    """Every kind has vectors, and every vector a known kind."""
    assert {rule.kind for rule in RULES} | {"request"} == {kind for kind, _, _ in VECTORS}


@pytest.mark.parametrize("status", [400, 422, 500, 503])
@pytest.mark.parametrize("inner", ["billing", "context", "exceed", "quota", "image"])
def test_a_single_word_in_a_server_error_is_no_refusal(status: int, inner: str) -> None:
    parsed = refusal_in_body(status, json.dumps({"error": {"message": f"internal: {inner}", "type": "server_error"}}))
    expected = {"image": ("picture",)} if status < 500 else {}
    assert parsed.kind in expected.get(inner, ("request", "overload")), parsed


@pytest.mark.parametrize(
    ("body", "params"),
    [
        (openai("Unsupported value", param="temperature"), ("temperature",)),
        (openai("no", param="max_completion_tokens"), ("max_tokens",)),
        ({"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]}, ("seed",)),
        (openai("Unknown parameters: 'seed', 'temperature'"), ("seed", "temperature")),
        (router("No endpoints found that can handle the requested parameters.", 404), ()),
    ],
)
def test_which_parameters_are_refused(body: Any, params: tuple[str, ...]) -> None:
    assert refusal_in_body(400, body).params == params


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("please retry in 32.5s.", 32.5),
        ("please try again in 7m12.5s.", 432.5),
        ("try again in 1h2m3s", 3723),
        ("try again in 250ms", 0.25),
        ("retrydelay 17s", 17),
        ("try again later", None),
        ("retry", None),
    ],
)
def test_waits_are_read_from_words(words: str, seconds: float | None) -> None:
    assert wait_in_words(words) == seconds


def test_a_status_in_the_body_counts_where_http_has_none() -> None:
    body = {"error": {"code": 429, "message": "slow down"}}
    assert (refusal_in_body(200, body).kind, refusal_in_body(200, body).status) == ("rate", 429)
    assert str(refusal_in_body(200, body)) == "status 429: slow down"
    assert str(refusal_in_body(None, {"error": "broken"})) == "broken"


def test_a_gateway_forwards_the_message_of_another_server() -> None:
    parsed = refusal_in_body(429, router("Provider returned error", 429, "m is temporarily rate-limited upstream"))
    assert parsed.message == "Provider returned error · m is temporarily rate-limited upstream"


def test_a_key_is_hidden_before_anything_is_cut() -> None:
    key = "sk-test-0123456789abcdef"
    text = "x" * 290 + key
    parsed = refusal_in_body(
        403, json.dumps({"error": {"message": text}}), lambda text_before: text_before.replace(key, "[key]")
    )
    assert "sk-" not in parsed.message


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "type", "param", "detail", "loc", "metadata", "raw"]), inner
        )
    ),
    max_leaves=12,
)


@example(None, {"param": "\x1e0"})
@example(None, {"param": ["a", "b\n\ud800"]})
@example(None, {"message": "quota", "quotaId": "a\u2028b"})
@given(st.none() | st.integers(100, 599), JSON | st.binary() | st.text())
def test_any_answer_has_a_kind_and_a_line(status: int | None, body: Any) -> None:
    parsed = refusal_in_body(status, body)
    assert isinstance(parsed, Refusal)
    assert parsed.message
    assert parsed.message.encode()
    assert len(parsed.message.splitlines()) == 1
