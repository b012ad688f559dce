"""Where a scan for secrets stops to look: three linear patterns and the rules they wake.

Owns the patterns. They are kept apart because a joint automaton has many more states to build.
Every pattern reads Latin-1, that is: bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from browser_agent.logic.redact_blocks import (
    CARD_TRIGGER,
    JWT_TRIGGER,
    PEM_TRIGGER,
    card_rule,
    jwt_rule,
    pem_rule,
)
from browser_agent.logic.redact_headers import (
    NETSCAPE_TRIGGER,
    OBJECT_TRIGGER,
    SCHEME_TRIGGER,
    netscape_rule,
    object_rule,
    scheme_rule,
)
from browser_agent.logic.redact_linear import LinearPattern
from browser_agent.logic.redact_pairs import pair_rule
from browser_agent.logic.redact_spans import Rule, Span
from browser_agent.logic.redact_urls import (
    DEVTOOLS_TRIGGER,
    ENDPOINT_TRIGGER,
    PROVIDER_TRIGGER,
    USERINFO_TRIGGER,
    WEBHOOK_TRIGGER,
    devtools_rule,
    endpoint_rule,
    provider_rule,
    userinfo_rule,
    webhook_rule,
)
from browser_agent.logic.redact_vendors import vendor_rule, vendor_trigger

_WORDS: Final = (
    "assertion authoriz contrase cookie credential csrf hmac jwt kennwort mnemonic parola passcode"
    " passphrase passw pwd saml secret senha sessid signature token verifier wachtwoord xsrf"
    " backup[_.~-]?code card[_.~-]?no card[_.~-]?num ccnum credit[_.~-]?card recovery[_.~-]?code"
    " recovery[_.~-]?phrase security[_.~-]?code seed[_.~-]?phrase session[_.-]?(?:id|key|uuid)"
    " sess[_.-]?id (?:cdp|connect|connection|debug|debugger|debugging|frontend|fullscreen|live"
    "|remote|socket|view|viewer|ws)[_-]?url (?:browser|cdp|ws)[_-]?endpoint mfa[_-]?code"
    " 2fa[_-]?code one[_-]?time[_-]?code sms[_-]?code user[_-]?pass db[_-]?pass"
)
_KEYS: Final = (
    "account admin aes api app application auth authentication authorization automation access bot"
    " cipher client consumer crypto csrf customer decryption deploy deployment des developer dsa"
    " ecdsa encrypt encryption function gpg hmac ingest ingestion instrumentation integration"
    " internal jwk jwt licence license live management master merchant partner pass personal pgp"
    " private production psk recovery root rsa salt sas secret security server service session"
    " shared sign signature signing ssh storage subscription symmetric unseal user validator vault"
    " wallet webhook wireguard write"
)
_SHORT: Final = (
    rb"(?:\b|_)(?:auth|creds|csc|cvc|cvv|jwe|otp|pass|pin|pw|sess|session|sid|sig|totp)"
    rb"(?:[0-9_.-][A-Za-z0-9_.-]*)?|x-[a-z0-9-]{1,30}-key"
)
_FOREIGN: Final = "пароль Пароль 密码 密碼 パスワード 비밀번호 contraseña"
_AFTER_NAME: Final = (
    # a sign that closes or assigns, or white space before one, or before no plain word
    rb"(?:[\"'`\\\])*_}&%<>:=|\x80-\xff]"
    rb"|[ \t\r\n]+(?:(?:is|was|are|equals|ist|est)(?: now)?[: \t]+)?[\"'`]?[A-Za-z.,-]*"
    rb"[0-9!@#$%^&*+=~/_\\\[<>:|(\x80-\xff])"
)
_PARAMETERS: Final = (
    rb"(?i:(?:[?&#;]|u0026|%(?:25)?(?:25)?(?:26|3F|23))"
    rb"(?:access[_-]?code|auth|auth[_-]?code|bearer|code|confirm|device[_-]?code|hdnea|hdnts"
    rb"|invitation|invite|key|key-pair-id|(?:auth[_-]?|login[_-]?|service[_-]?)?ticket|login[_-]?code"
    rb"|mac|magic|nonce|oobcode|otk|otp|pass|pin|policy|proof|pw|sas|session|sess|sid|sig|sign|sso|st"
    rb"|state|tkn|tok|totp|user[_-]?code|verification[_-]?code|verify)(?:=|%(?:25)?(?:25)?3D|\\+u003d)"
    rb"|\bbearer[\"']{0,2}[ ]?[:=])|[A-Z0-9]_KEY[\"']?[ ]?[=:]"
)
_PARAMETER_SIGN: Final = re.compile(rb"(?:[?&#;]|u0026|%(?:25){0,2}(?:26|3[fF]|23))")
_LONG_NAME: Final = 256


@dataclass(frozen=True, slots=True)
class Trigger:
    """Patterns of which each wakes its rule."""

    pattern: LinearPattern
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, *parts: tuple[bytes, Rule]) -> Trigger:
        """Pairs of pattern (without groups) and rule."""
        pattern = LinearPattern([source for source, _ in parts])
        return cls(pattern, tuple(rule for _, rule in parts))


@cache
def triggers() -> tuple[Trigger, ...]:
    """Compiled once, on the first use."""
    return (
        Trigger.of((vendor_trigger() + rb"|" + JWT_TRIGGER, _token_rule)),
        Trigger.of((_name_pattern(), _name_rule)),
        Trigger.of(
            (PEM_TRIGGER, pem_rule),
            (CARD_TRIGGER, card_rule),
            (USERINFO_TRIGGER, userinfo_rule),
            (ENDPOINT_TRIGGER, endpoint_rule),
            (PROVIDER_TRIGGER, provider_rule),
            (WEBHOOK_TRIGGER, webhook_rule),
            (DEVTOOLS_TRIGGER, devtools_rule),
            (OBJECT_TRIGGER, object_rule),
            (NETSCAPE_TRIGGER, netscape_rule),
            (SCHEME_TRIGGER, scheme_rule),
        ),
    )


def _name_pattern() -> bytes:
    keys = [key + "[_. -]?key" for key in _KEYS.split()]
    words = "|".join(sorted([*_WORDS.split(), *keys])).replace("~", " ").encode()
    foreign = (
        _FOREIGN.replace(" ", "|").encode()
        + rb"|(?i:mot de passe|identified by|convertto-securestring)"
    )
    names = rb"(?:(?i:" + words + rb")[A-Za-z0-9_.-]*|(?i:" + _SHORT + rb")|" + foreign + rb")"
    return names + _AFTER_NAME + rb"|" + _PARAMETERS


def _token_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    rule = jwt_rule if data[start : start + 2] == b"ey" else vendor_rule
    return rule(data, start, end, found)


def _name_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    sign = _PARAMETER_SIGN.match(data, start)
    start = sign.end() if sign is not None else start
    resume = pair_rule(data, start, end, found)
    if end - start > _LONG_NAME:  # a run of letters that no name has: go on near its end
        return max(resume, end - _LONG_NAME // 2)
    return resume
