"""Running a caller's script in the page. Off by default everywhere: a script of a model can read
what the page can read and send it wherever the policy admits.

Owns the call alone. No tool of the default set reaches it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from browser_agent._json import canonical, loads
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Operation
    from browser_agent.records.result import Result

SCRIPT_CHARS = 20_000


class Evaluator:
    """Evaluation in the current tab of one session."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def evaluate(self, script: str) -> Result:
        """Evaluate a JavaScript expression or function; its JSON value is in ``data.value``."""
        if not isinstance(script, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput("script must be a string")

        async def act(op: Operation) -> Outcome:
            if len(script) > SCRIPT_CHARS:
                fail(ErrorCode.TOO_LARGE, f"A script has at most {SCRIPT_CHARS} characters.")
            op.dispatching()
            value: object = await op.call(op.tab.page.evaluate(script))
            op.acknowledged()
            try:
                return Outcome(data={"value": loads(canonical(value))})
            except InvalidInput as exc:
                fail(ErrorCode.UNSUPPORTED, f"The value is no JSON: {exc.message}.")

        limit_s = self._core.limits.action_timeout_s
        kind = Kind("evaluate", limit_s, ErrorCode.ACTION_TIMEOUT, effectful=True)
        return await self._core.run(kind, act)
