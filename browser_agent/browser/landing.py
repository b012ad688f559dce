"""Where an action led when that is no page: a refused address, or a server that gave none.

Reads what the network and the policy said. It asks the page nothing, and what the browser or our
proxy shows in such a page's place is never content.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from browser_agent.browser.arrival import check_page
from browser_agent.browser.egress_log import NO_ANSWER
from browser_agent.browser.outcome import OperationFailed, Outcome
from browser_agent.records.codes import Effect, ErrorCode, Status

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.tab import Tab
    from browser_agent.browser.trace import Trace

_OF_PAGE = ("changes", "http_status")
_NEVER_SENT = frozenset(
    {
        ErrorCode.POLICY_DENIED,
        ErrorCode.SECRET_DENIED,
        ErrorCode.ROBOTS_DENIED,
        ErrorCode.INVALID_URL,
        ErrorCode.DNS_FAILED,
        ErrorCode.TLS_FAILED,
    }
)


def failed_landing(core: Core, trace: Trace) -> Outcome | None:
    """How the document that an action led to failed; None where it did not or none was asked for.

    A form that was sent to a server which then gave no answer is `unknown`: it may have been taken.
    """
    tab = trace.tab
    if tab.load is None or tab.load is trace.load or trace.page_closed or trace.crashed:
        return None
    failed = _failure(core, tab)
    if failed is None or failed.code is ErrorCode.HTTP_ERROR:
        return None
    data = {name: value for name, value in trace.data(changed=True).items() if name not in _OF_PAGE}
    data |= {"changes": {"added": (), "removed": ()}, "navigated": True}
    if _may_have_arrived(trace, failed):
        return Outcome(
            status=Status.UNKNOWN,
            code=ErrorCode.OUTCOME_UNKNOWN,
            message="The form was sent and the server gave no answer; its effect is not known.",
            data=data,
            effect=Effect.ACKNOWLEDGED,
        )
    # the way there failed, the action did not: repeating it is for nobody but the model to decide
    return replace(failed, data=data, effect=Effect.ACKNOWLEDGED, retryable=False)


def lost_tabs(core: Core, trace: Trace) -> dict[str, str]:
    """Codes by tab id of the tabs that an action opened and that show no page."""
    lost = {tab.id: _failure(core, tab) for tab in trace.new_tabs if tab.usable}
    return {name: str(failed.code) for name, failed in lost.items() if failed is not None}


def _failure(core: Core, tab: Tab) -> Outcome | None:
    try:
        check_page(core, tab)
    except OperationFailed as failed:
        return failed.outcome
    return None


def _may_have_arrived(trace: Trace, failed: Outcome) -> bool:
    """Whether a form was sent before its connection failed; most refusals of ours come before."""
    refusal = trace.tab.load.refusal if trace.tab.load is not None else None
    if failed.code in _NEVER_SENT or (refusal is not None and refusal.reason != NO_ANSWER):
        return False
    documents = [one for one in trace.requests if one.navigation]
    return bool(documents) and documents[-1].is_save and not _is_refused(documents[-1].failure)


def _is_refused(failure: str | None) -> bool:
    return failure is not None and failure.endswith(
        ("CONNECTION_REFUSED", "TUNNEL_CONNECTION_FAILED")
    )
