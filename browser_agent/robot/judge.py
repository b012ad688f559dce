"""A reply without tool calls: is it the answer, does it have to be asked for again, or is it over?

Asking again is bounded; each time the model is told what was wrong.
"""

from __future__ import annotations

from browser_agent.errors import InvalidInput
from browser_agent.logic.citations import check_citations, split_reply
from browser_agent.records.events import Warned
from browser_agent.records.message import TextMessage
from browser_agent.records.model import ModelReply
from browser_agent.records.run_parts import StopReason
from browser_agent.robot.prompt import EMPTY, NO_CITATION, WRONG_OUTPUT
from browser_agent.robot.state import RunState, RunStop

MAX_REPAIRS = {"empty": 2, "output": 2, "citations": 1}
"""How often a reply is asked for again, by what was wrong with it."""

_ENDINGS = {
    "refusal": StopReason.REFUSED,
    "content_filter": StopReason.CONTENT_FILTER,
    "length": StopReason.LENGTH,
}


def judge_reply(state: RunState, reply: ModelReply) -> None:
    """Raise RunStop with the run's end, or tell the model what is missing."""
    state.answered = reply.answered
    ending = _ENDINGS.get(reply.finish_reason or "")
    if ending is not None:
        raise RunStop(ending, f"the model's reply ended with {reply.finish_reason}")
    text = (reply.text or "").strip()
    if not text:
        _ask_again(state, "empty", EMPTY, "the model gave no answer")
    elif _fits(state, text) and _is_cited(state, text):
        raise RunStop(StopReason.COMPLETED)


def _fits(state: RunState, text: str) -> bool:
    output = state.settings.output
    if output is None:
        return True
    try:
        state.parsed = output.read(text)
    except InvalidInput as exc:
        problem = state.redact(exc.message)
        _ask_again(
            state, "output", WRONG_OUTPUT.format(problem=problem), f"wrong output: {problem}"
        )
        return False
    return True


def _is_cited(state: RunState, text: str) -> bool:
    if not state.settings.require_citations or state.answered is False:
        return True
    _, cited = split_reply(text)
    citations = check_citations((*cited, *state.context.claims), state.results)
    reasons = sorted({c.reason or "" for c in citations if not c.verified})
    if citations and not reasons:
        return True
    problem = "; ".join(reasons) or "there is no citation"
    _ask_again(state, "citations", NO_CITATION + problem, f"citations: {problem}")
    return False


def _ask_again(state: RunState, kind: str, message: str, problem: str) -> None:
    if state.repairs[kind] >= MAX_REPAIRS[kind]:
        raise RunStop(StopReason.OUTPUT_INVALID, problem)
    state.repairs[kind] += 1
    state.final_text = None
    state.events.emit(Warned, message=problem)
    state.say(TextMessage(role="user", content=message))
