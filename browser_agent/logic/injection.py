"""Flags for page text that reads as if it spoke to a model, and markers that cannot be forged.

Flags say where to look; they never remove or change a word, and their absence proves nothing:
an attacker can always put it another way. Limits outside the model are what protects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from browser_agent.logic.redact_linear import LinearPattern

_MAX_FLAGS: Final = 50

# One paragraph is one pattern; an underscore is white space, line breaks mean nothing.
_MODEL: Final = (
    r"(?:(?:ai|llm|language|web|browser|autonomous|virtual)_(?:assistant|agent|model|bot)s?"
    r"|artificial_intelligence|(?:ai_|large_)?language_models?|ai|llms?|chat_?bots?|assistants?"
    r"|agents?|crawlers?|gpt(?:-?[0-9o.]+)?|chatgpt|claude|gemini|copilot)"
)
_ORDERS: Final = (
    r"(?:instruction|prompt|rule|guideline|direction|directive|command|order|constraint|guardrail"
    r"|system_prompt|system_message|safety_rule|safety_guideline)s?"
)
_EARLIER: Final = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|original|initial)"
_POSSESSIONS: Final = (
    r"(?:notes|conversation|chat_history|history|cookies?|credentials?|passwords?|api_keys?"
    r"|access_tokens?|secrets?|system_prompt|memory|context|instructions|private_data"
    r"|personal_(?:data|information)|session|browsing_data|e-?mails?|inbox)"
)
_OWNER: Final = r"(?:user|human|operator|owner)"
_PHRASES: Final = rf"""
\b(?:ignore|disregard|forget|override|bypass|discard|stop_following|do_not_follow)_
(?:(?:all|any|every|each)(?:_of)?(?:_the|_your|_my|_these|_those)?(?:_{_EARLIER})?
|(?:the|your|my|these|those)_{_EARLIER}|your|{_EARLIER})(?:_[a-z]+)?_{_ORDERS}

\b(?:ignore|disregard|forget)_(?:everything|anything|all|what)_
(?:(?:that_)?(?:you_were_told|you_have_been_told|came_before|was_said|you_know)
|above|before_this|so_far)

\b(?:dear|attention|attn|(?:important_)?(?:note|message|instructions?)_(?:to|for)
|important_(?:to|for))[,:]?_(?:(?:all|any|the|every)_)?{_MODEL}
(?:_(?:reading|visiting|processing|parsing|summari[sz]ing)[a-z \t]{{0,40}})?\s?[,:.!]

\bif_you(?:_are|'re)(?:_an?|_the)?_{_MODEL}\b

\bas_an?_{_MODEL},?_you_(?:must|should|shall|will|have_to|need_to|are_required)

\byou_are_now_(?:an?|the)_(?:[a-z-]+_){{0,2}}(?:{_MODEL}|jailbroken|unrestricted)\b

\byou_are_now_(?:dan\b|in_(?:developer|debug|god|admin|maintenance|unrestricted)_mode)

\b(?:new|updated|revised|real|actual|secret|hidden)_(?:system_)?(?:instructions?|prompt)
(?:_for_(?:you|the_(?:ai|assistant|agent|model)))?\s?:

\bsystem_(?:prompt|message|override|instructions?|notice|directive)\s?[:=]

\b(?:begin|start|end)_(?:of_)?(?:the_)?(?:system|admin|new|hidden|user|tool|untrusted)[-_\s]
(?:instruction|prompt|message|output|input|result)s?\b

\b(?:do_not|don't|never|without)_(?:tell|inform|mention|reveal|alert|notify|warn|ask)(?:ing)?
(?:_this|_it|_that)?(?:_to)?_the_{_OWNER}\b

\b(?:hide|keep|conceal)_this_(?:secret_)?from_the_{_OWNER}\b

\b(?:send|post|submit|e-?mail|mail|paste|upload|forward|exfiltrate|leak|transmit)_(?:me_|us_)?
(?:your|the_user's|the_users|all_(?:of_)?(?:your|the_user's))_(?:[a-z]+_){{0,2}}{_POSSESSIONS}

\b(?:reveal|print|repeat|output|show|display|disclose|leak|dump|recite)_(?:me_|us_)?your_
(?:(?:full|entire|hidden|initial|original|secret)_)?(?:system_)?(?:prompt|instructions|guidelines)\b

\b(?:developer|jailbreak|dan|god)_mode_(?:is_)?(?:enabled|activated|on)\b

\bignoriere?n?_(?:sie_)?(?:bitte_)?alle_(?:vorherigen|bisherigen|obigen|früheren)_
(?:anweisungen|instruktionen|befehle|regeln)

\bignore[zr]?_(?:toutes?_)?(?:les_|tes_|vos_)?instructions?_(?:précédentes?|antérieures?|ci-dessus)

\bignor[ae][rn]?_(?:todas_)?(?:las_|as_)?(?:instrucciones|instruções)_(?:anteriores|previas|prévias)

\bignora_(?:tutte_)?(?:le_)?istruzioni_(?:precedenti|di_cui_sopra)

(?:忽略|无视|忘记|忽視|無視)[^\n]{{0,36}}(?:指令|指示|说明|說明|提示|规则)

(?:以前|これまで|上記|前)の(?:すべての)?(?:指示|命令|ルール)を(?:無視|忘れ)

(?:이전|위의)_(?:모든_)?(?:지시|명령)[^\n]{{0,16}}무시

(?:И|и)гнорируй(?:те)?_(?:все_)?(?:предыдущие|прошлые|прежние)_(?:инструкции|указания)

تجاهل_(?:جميع_|كل_)?التعليمات_السابقة
"""
_TEMPLATES: Final = r"""
<(?:\||｜)[A-Za-z_▁]{2,48}(?:\||｜)>

\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>

<(?:start|end)_of_turn>|<(?:bos|eos)>

(?:^|\n) *#{2,4} ?(?:Instruction|System|Human|Assistant|User|Response)s? ?:

\bHuman: ?[^\n]{0,200}\bAssistant: |\n ?\n ?(?:Human|Assistant):\x20

</?(?:function_calls|tool_calls?|tool_response|tool_result|system_prompt)>

<(?:antml:)?invoke name=
"""
_LOOK_ALIKES: Final = "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅ"
_KINDS: Final = ("chat_template", "mixed_script", "instruction_like")
_CONTINUATION: Final = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class Flag:
    """Why a span of text deserves a second look; offsets in code points.

    Kinds: ``instruction_like`` ``chat_template`` ``mixed_script``.
    """

    kind: str
    start: int
    end: int


@cache
def _pattern() -> LinearPattern:
    look_alike = f"(?:{'|'.join(_LOOK_ALIKES)})"
    mixed = f"[A-Za-z]{{2,}}{look_alike}[A-Za-z]|[A-Za-z]{look_alike}[A-Za-z]{{2,}}"
    orders = _one_of(_PHRASES).replace("_", r"[ \t\r\n]{1,4}")
    return LinearPattern([_one_of(_TEMPLATES).encode(), mixed.encode(), f"(?i:{orders})".encode()])


def _one_of(paragraphs: str) -> str:
    return "|".join(part.replace("\n", "") for part in paragraphs.strip("\n").split("\n\n"))


def flags_of(text: str) -> tuple[Flag, ...]:
    """Flags in the order of the text, fifty at most. Linear in the length of ``text``."""
    data = text.encode("utf-8", "surrogatepass")
    flags: list[Flag] = []
    seen_bytes = seen_chars = 0
    for hit in _pattern().hits(data):
        seen_chars += _chars(data[seen_bytes : hit.start])
        seen_bytes = hit.start
        length = _chars(data[hit.start : hit.end])
        flags.append(Flag(_KINDS[hit.choice], seen_chars, seen_chars + length))
        if len(flags) == _MAX_FLAGS:
            break
    return tuple(flags)


def _chars(data: bytes) -> int:
    """Code points in whole characters of UTF-8."""
    return len(data.translate(None, _CONTINUATION))


def neutralise(text: str, marker: str) -> str:
    """``text`` in which nothing equals ``marker``, in whatever case, that delimits it."""
    if not marker:
        return text
    return re.sub(re.escape(marker), "⟨forged marker⟩", text, flags=re.IGNORECASE)
