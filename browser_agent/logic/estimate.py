"""How many tokens a model call may take, judged from its size and from earlier calls.

An estimate is meant to be an upper bound: bytes of the request over a low number of bytes a
token, and never less than what a call of the same conversation took before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from browser_agent._json import dumps
from browser_agent.records.model import ModelPrice, ModelReply, ModelRequest, Usage

BYTES_PER_TOKEN = 3
"""English text has about 4.5, code and URLs about 3.5: three leaves room."""
GROWTH_BYTES_PER_TOKEN = 2
"""What was added since an observed call may be denser (digests, identifiers)."""
DEFAULT_OUTPUT_TOKENS = 4096
"""Reserved, and asked for, where a budget binds and no output bound was set."""
MIN_OUTPUT_TOKENS = 16
"""A call that could not write this much is not worth making."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Size and tokens of a call that was made."""

    request_bytes: int
    input_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """What a call is planned to take: reserve this, and bound the output by it."""

    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens


def request_bytes(request: ModelRequest) -> int:
    """UTF-8 bytes of everything that a request sends."""
    sent = [*request.messages, *request.tools, request.output_schema]
    return sum(len(dumps(item).encode()) for item in sent if item is not None)


def reply_tokens(reply: ModelReply) -> int:
    """Tokens of a reply, judged from its size."""
    said = [reply.text or "", reply.reasoning or ""]
    said += [call.name + str(call.arguments) for call in reply.tool_calls]
    return math.ceil(sum(len(text.encode("utf-8", "replace")) for text in said) / BYTES_PER_TOKEN)


def estimate_input(size_bytes: int, observed: Observed | None) -> int:
    """Tokens of a request of this size; ``observed`` is the largest call of the conversation."""
    by_size = math.ceil(size_bytes / BYTES_PER_TOKEN)
    if observed is None:
        return by_size
    growth = max(0, size_bytes - observed.request_bytes)
    return max(by_size, observed.input_tokens + math.ceil(growth / GROWTH_BYTES_PER_TOKEN))


def observe(observed: Observed | None, size_bytes: int, usage: Usage) -> Observed | None:
    """The larger of what was seen before and this call."""
    if usage.input_tokens is None:
        return observed
    if observed is not None and observed.input_tokens >= usage.input_tokens:
        return observed
    return Observed(request_bytes=size_bytes, input_tokens=usage.input_tokens)


def plan_output(*, input_tokens: int, wanted: int | None, remaining_tokens: int | None) -> CallPlan:
    """Bound the output by what remains, but ask for no less than a useful minimum."""
    bound = DEFAULT_OUTPUT_TOKENS if wanted is None else wanted
    least = min(bound, MIN_OUTPUT_TOKENS)
    if remaining_tokens is not None:
        bound = max(least, min(bound, remaining_tokens - input_tokens))
    return CallPlan(input_tokens=input_tokens, output_tokens=bound)


def fit_price(plan: CallPlan, price: ModelPrice, remaining_usd: float | None) -> CallPlan:
    """Bound the output by the dollars that remain, but ask for no less than a useful minimum."""
    if remaining_usd is None or price.output_usd <= 0:
        return plan
    left = remaining_usd - plan.input_tokens * price.input_usd
    least = min(plan.output_tokens, MIN_OUTPUT_TOKENS)
    affordable = max(least, math.floor(left / price.output_usd))
    return CallPlan(
        input_tokens=plan.input_tokens, output_tokens=min(plan.output_tokens, affordable)
    )


def cost_of_plan(plan: CallPlan, price: ModelPrice) -> float:
    """US dollars of a call that takes all it is planned to take."""
    return plan.input_tokens * price.input_usd + plan.output_tokens * price.output_usd
