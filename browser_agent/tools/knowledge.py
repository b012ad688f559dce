"""Tools about what was read: extract by schema, cite a quote."""

from __future__ import annotations

from browser_agent.logic.citations import Cited, check_citations
from browser_agent.tools.declare import (
    REF,
    STRING,
    Arguments,
    optional_ref,
    schema,
    session_of,
    text_of,
)
from browser_agent.tools.tool import Tool, ToolContext


async def _extract(arguments: Arguments, context: ToolContext) -> object:
    return await session_of(context).extract(
        arguments["schema"], ref=optional_ref(arguments), model=context.model
    )


async def _cite(arguments: Arguments, context: ToolContext) -> object:
    number = context.number_of(text_of(arguments, "result"))
    cited = Cited(
        claim=text_of(arguments, "claim"),
        quote=text_of(arguments, "quote"),
        result=0 if number is None else number,
    )
    citation = check_citations([cited], context.results)[0]
    context.claims.append(cited)
    if citation.verified:
        return {"verified": True}
    return {"verified": False, "reason": citation.reason}


EXTRACT = Tool(
    name="browser_extract",
    description="Extract data that fits a JSON Schema from the page",
    parameters=schema({"schema": {"type": "object"}, "target": REF}, required=("schema",)),
    handler=_extract,
    read_only=True,
)
CITE = Tool(
    name="cite",
    description="Back a claim of your answer with exact words of a Result",
    parameters=schema(
        {
            "result": {"type": "string", "description": "e.g. R3"},
            "quote": STRING,
            "claim": STRING,
        },
        required=("result", "quote", "claim"),
    ),
    handler=_cite,
    read_only=True,
)
