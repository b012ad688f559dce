"""``browser_evaluate``: in no default set; the operator must ask for it by its unsafe name."""

from __future__ import annotations

from browser_agent.errors import ConfigurationError
from browser_agent.ports import Evaluates, Session
from browser_agent.records.result import Result
from browser_agent.tools.declare import STRING, Arguments, browser_tool, schema, text_of


async def _evaluate(session: Session, arguments: Arguments) -> Result:
    if not isinstance(session, Evaluates):
        raise ConfigurationError("this session cannot run scripts")
    return await session.evaluate(text_of(arguments, "function"))


EVALUATE = browser_tool(
    "browser_evaluate",
    "Run JavaScript in the page",
    schema({"function": STRING}, required=("function",)),
    _evaluate,
    kind="destroy",
)
