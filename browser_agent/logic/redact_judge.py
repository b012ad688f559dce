"""Whether the value beside a telling name is a secret, or a word, a placeholder, a piece of code.

Owns the judgement only. The caller says in which syntax the value stood, because prose after a
colon needs more proof than a parameter of a URL. Works on UTF-8 bytes of a single value.
"""

from __future__ import annotations

import re
import string
from binascii import Error as Base64Error
from binascii import a2b_base64
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from browser_agent.logic.redact_names import Level
from browser_agent.logic.redact_spans import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable


class Syntax(IntEnum):
    """How a value is bound to its name, from the surest to the loosest."""

    QUERY = 1
    """``?name=value&``"""
    QUOTED = 2
    """``name: "value"``, ``<name>value</name>``"""
    ASSIGN = 3
    """``name=value``, ``--name value``"""
    COLON = 4
    """``name: value``, in prose perhaps"""
    LOOSE = 5
    """``name value``, ``name is value``"""


_UPPER: Final = string.ascii_uppercase.encode()
_JUDGED_BYTES: Final = 160  # a prefix is enough to judge by

_STAND_INS: Final = (
    "any async await auth authorization basic bearer bool boolean bytes changeme change-?it const"
    " default denied digest disabled dummy email empty enabled error expired fake false filtered"
    " foo bar baz abc xyz function hash hashed hidden incorrect input int integer invalid jwt key"
    " let login masked missing n/?a nan new nil no none null number oauth2? object off ok on"
    " optional output password passwd passwort pass pwd placeholder redacted removed required"
    " return sample secret secretstr self session cookie str string strong tbd test testing text"
    " this token true type undefined unknown unset user username valid value var varchar weak"
    " wrong yes api[-_]?key example\\w{0,12} contraseña kennwort senha wachtwoord hasło parola"
)
_PLACEHOLDER: Final = re.compile(
    rb"""(?ixs)
    \[REDACTED(?::[\w.-]{1,64})?\] | \[[a-z][a-z0-9 _-]{0,40}\] | <[^<>]{0,80}>?
    | &(?:lt|\#x3c|\#60);.{0,80}
    | \{\{?[^{}]{0,80}\}?\}? | \$\{[^{}]*\}? | \$(?:(?-i:[A-Z_][A-Z0-9_]*)|[a-z_]+) | \$\(.*
    | \$\{\{.* | \#\{.* | <%.* | `.* | @[a-z_]+ | %[a-z] | %[a-z_]\w*% | %\([a-z_]\w*\)s
    | (?:[*x.\#_?\-+=0]|\xe2\x80[\xa2\xa6\x93\x94]|\xe2\x97\x8f|\xc2\xb7)+
    | [\w-]{0,20}(?:\.\.\.|\xe2\x80\xa6)[\w-]{0,6}
    | [\w-]{0,12}(?:[x*]{4,}|(?:\xe2\x80\xa2){3,})[\w-]{0,6}
    | (?:your|my)(?:api|access|client|secret|db|user|new)?(?:key|token|secret|password|pwd|pass)
    | (?:your|my|the|an?|some|insert|enter|replace|put|add|use|paste|set|change|fill|give)[-_ ]
      (?=[a-z_ -]{0,60}(?:key|token|secret|pass|pwd|id|here|value|me|it))[a-z_ -]{1,60}
    | mot\ de\ passe | """
    + "|".join(_STAND_INS.split()).encode()
)
_OBJECTS: Final = (
    b"self this args? config cfg conf settings os env ENV process request req res response form"
    b" data user ctx context opts options params props state event e body credentials creds secrets"
    b" vault input module window document session account client app obj item row payload var local"
    b" import System Environment"
)
_CODE: Final = re.compile(
    rb"""(?xs)
    [A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*\s?[(\[].*
    | (?:"""
    + b"|".join(_OBJECTS.split())
    + rb""")(?:\.|->|::|\?\.)[A-Za-z_$][\w$.\[\]'"?>-]* | os\.environ/\w+
    | [a-z]*(?:_[a-z]*)+ | [A-Z]+[0-9]{0,4}(?:_[A-Z]+[0-9]{0,4})+ | [(),;?\]}].*
    | [A-Za-z_$]+[0-9]{0,5}[A-Za-z_$]*(?:\.[A-Za-z_$]+[0-9]{0,5}[A-Za-z_$]*)+
    """
)
_PROSE_WORDS: Final = re.compile(
    rb"(?i)\b(?:passwor[dt]s?|passphrase|passcode|enter|your|must|please|forgot(?:ten)?|required"
    rb"|invalid|incorrect|confirm|new|current|old|reset|change|show|hide|field|log ?in|sign|least"
    rb"|characters?|min(?:imum)?|max(?:imum)?|choose|create|repeat|again|strength|used|for|the|is"
    rb"|not|token|secret|key|api|and|of|optional|default|with|from)\b"
)
_ORDINARY: Final = re.compile(
    rb"""(?ix)
    (?:https?|wss?|ftp|file|mailto|urn|arn):.* | [a-z]:\\.*
    | (?-i:~?\.{0,2}/[a-z0-9_.-]+(?:/[a-z0-9_.-]+)*/?) | (?-i:[a-z_.-]+(?:/[a-z0-9_.-]+)+)
    | \d{4}-\d\d-\d\d.* | \d{1,2}:\d\d.{0,8} | [\d.,:%-]+
    | v?\d{1,4}(?:\.\d{1,6}){1,4}(?:[-+.][a-z0-9.+-]{0,16})? | \d:\d+\..*
    | sha(?:1|224|256|384|512)[-:].* | md5:.* | 0x[0-9a-f]{40}
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | [\w-]+\.(?:js|css|png|jpe?g|svg|html?|json|ya?ml|py|ts|md|txt)
    | [\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|example)
    """
)
_PAIR: Final = re.compile(rb"[A-Za-z][A-Za-z_-]{2,30}=[^=].*", re.DOTALL)
_UUID: Final = re.compile(rb"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGITS: Final = re.compile(rb"\d+")
_WORDY: Final = re.compile(rb"[A-Za-z]+(?:[-_'.][A-Za-z]+)*")
_SMALL_LETTERS: Final = re.compile(rb"[a-z]{3,}")
_UNSPEAKABLE: Final = re.compile(rb"(?i)[b-df-hj-np-tv-xz]{5}")
_SIGNS: Final = re.compile(rb"[!@#$%^&*+=~?/|\\]")
_REMOTE: Final = re.compile(rb"(?i)(?:wss?|https?):")
_TELLING_URL: Final = re.compile(rb"(?i)wss?:|[0-9a-f-]{16,}|[?&]|%3[fF]|devtools|/live")
_KINDS: Final = tuple(re.compile(kind) for kind in (rb"[a-z]", rb"[A-Z]", rb"[0-9]"))
_TRAILING: Final = b",;.:!?)]}>\"'"


def is_secret_value(value: bytes, level: Level, syntax: Syntax) -> bool:
    """Judge one value; ``value`` carries no quotes and no white space around it."""
    value = value[:_JUDGED_BYTES]
    if b"[REDACTED:" in value:
        rest = PLACEHOLDER.sub(b"", value).strip(_TRAILING)
        return bool(rest) and syntax in {Syntax.QUERY, Syntax.QUOTED, Syntax.ASSIGN}
    if not value or (level is not Level.STORED and _PLACEHOLDER.fullmatch(value)):
        return False
    return _JUDGES[level](value, syntax)


def is_basic(value: bytes) -> bool:
    """Base64 of ``user:password``."""
    if len(value) < 8:
        return False
    try:
        plain = a2b_base64(value + b"=" * (-len(value) % 4), strict_mode=False)
    except Base64Error:
        return False
    return b":" in plain and plain.isascii() and plain.decode().isprintable()


def token_like(value: bytes, least: int) -> bool:
    """One word of at least ``least`` bytes that mixes letters and digits, or case like noise."""
    if len(value) < least or any(space in value for space in b" \t\r\n"):
        return False
    if _ORDINARY.fullmatch(value):
        return False
    return is_noisy(value)


def is_noisy(value: bytes) -> bool:
    """Letters with digits, or cases mixed as words do not."""
    return _mixed(value) or (len(value) >= 16 and _noisy_case(value))


def _mixed(value: bytes) -> bool:
    has_digits = len(value.translate(None, b"0123456789")) < len(value)
    return has_digits and value.lower() != value.upper()


def _wordy(value: bytes) -> bool:
    """Made of words, as ``PKCS7PrivateKey``: mostly small letters, vowels among them."""
    digits = len(value) - len(value.translate(None, b"0123456789"))
    in_words = sum(map(len, _SMALL_LETTERS.findall(value)))
    return digits <= 3 and in_words * 2 >= len(value) and not _UNSPEAKABLE.search(value)


def _noisy_case(value: bytes) -> bool:
    upper = len(value) - len(value.translate(None, _UPPER))
    return 0.25 <= upper / len(value) <= 0.75 and not _wordy(value)


def _password(value: bytes, syntax: Syntax) -> bool:
    if syntax is Syntax.QUERY:
        return len(value) >= 3
    if syntax is Syntax.QUOTED:
        return len(value) >= 3 and not (b" " in value and _PROSE_WORDS.search(value))
    if syntax is Syntax.ASSIGN:
        return len(value) >= 4 and not _CODE.fullmatch(value)
    return _password_in_prose(value.rstrip(_TRAILING), syntax)


def _password_in_prose(bare: bytes, syntax: Syntax) -> bool:
    if _DIGITS.fullmatch(bare):
        return len(bare) >= 6 and syntax is Syntax.COLON
    if _ORDINARY.fullmatch(bare) or _CODE.fullmatch(bare):
        return False
    if syntax is Syntax.LOOSE and _PAIR.fullmatch(bare):
        return False  # ``Password`` ends a line, the next one gives a value to another name
    if syntax is Syntax.COLON:
        return len(bare) >= 6 and (
            _mixed(bare) or _signed(bare) or (_humps(bare) >= 2 and len(bare) >= 12)
        )
    return len(bare) >= 8 and (is_noisy(bare) or _signed(bare)) and _varied(bare)


def _signed(value: bytes) -> bool:
    return _SIGNS.search(value) is not None and not _WORDY.fullmatch(value.strip(b"!?*/=+"))


def _humps(value: bytes) -> int:
    return len(re.findall(rb"[a-z][A-Z]|[A-Z]{2}[a-z]", value))


def _varied(value: bytes) -> bool:
    return len(value) >= 12 or _SIGNS.search(value) is not None or _noisy_case(value)


def _secret(value: bytes, syntax: Syntax) -> bool:
    if syntax is Syntax.QUERY:
        return len(value) >= 6
    if b" " in value or _ORDINARY.fullmatch(value):
        return _DIGITS.fullmatch(value) is not None and len(value) >= 8
    if syntax in {Syntax.QUOTED, Syntax.ASSIGN}:
        words = _WORDY.fullmatch(value) and (_wordy(value) or len(value) < 16)
        long = len(value) >= 24 and syntax is Syntax.QUOTED
        return len(value) >= 8 and not _CODE.fullmatch(value) and (long or not words)
    bare = value.rstrip(_TRAILING)
    if syntax is Syntax.COLON:
        return token_like(bare, 8) and not _is_name(bare)
    return token_like(bare, 16) and not _is_name(bare)


def _is_name(value: bytes) -> bool:
    """Code or a class name, in prose or a signature."""
    return _CODE.fullmatch(value) is not None or _wordy(value)


def _token(value: bytes, syntax: Syntax) -> bool:
    if syntax is Syntax.QUERY:
        if _DIGITS.fullmatch(value):
            return len(value) >= 6
        return token_like(value, 8) or (len(value) >= 20 and not _WORDY.fullmatch(value))
    if syntax in {Syntax.QUOTED, Syntax.ASSIGN}:
        return token_like(value, 10) and not _CODE.fullmatch(value)
    bare = value.rstrip(_TRAILING)
    least = (12 if _all_kinds(bare) else 16) if syntax is Syntax.COLON else 20
    is_id = syntax is Syntax.LOOSE and _UUID.fullmatch(bare)
    return token_like(bare, least) and not _is_name(bare) and not is_id


def _all_kinds(value: bytes) -> bool:
    return all(pattern.search(value) for pattern in _KINDS)


def _weak(value: bytes, syntax: Syntax) -> bool:
    if syntax is Syntax.QUERY:
        return token_like(value, 12) or is_basic(value)
    if _CODE.fullmatch(value):
        return False
    if syntax in {Syntax.QUOTED, Syntax.ASSIGN}:
        return token_like(value, 20) or is_basic(value)
    return syntax is Syntax.COLON and token_like(value.rstrip(_TRAILING), 20)


def _pin(value: bytes, syntax: Syntax) -> bool:
    return _short_code(value, syntax, after_colon=range(3, 5))


def _code(value: bytes, syntax: Syntax) -> bool:
    return _short_code(value, syntax, after_colon=range(4, 9))


def _short_code(value: bytes, syntax: Syntax, *, after_colon: range) -> bool:
    if syntax is Syntax.LOOSE:
        return False
    bare = value.rstrip(_TRAILING)
    digits = bare.translate(None, b" -")
    if not digits.isdigit():
        return token_like(bare, 8)
    return len(digits) in (after_colon if syntax is Syntax.COLON else range(3, 13))


def _card(value: bytes, syntax: Syntax) -> bool:
    digits = value.translate(None, b" -.\t")
    return syntax is not Syntax.LOOSE and len(digits) >= 12 and digits.isdigit()


def _phrase(value: bytes, syntax: Syntax) -> bool:
    if syntax is Syntax.QUOTED:
        return len(value.split()) >= 6 or token_like(value, 8)
    return token_like(value.rstrip(_TRAILING), 8)


def _stored(value: bytes, syntax: Syntax) -> bool:
    return syntax is Syntax.QUOTED and bool(value)


def _endpoint(value: bytes, syntax: Syntax) -> bool:
    if syntax is Syntax.LOOSE:
        return False
    return _REMOTE.match(value) is not None and _TELLING_URL.search(value) is not None


_JUDGES: Final[dict[Level, Callable[[bytes, Syntax], bool]]] = {
    Level.PASSWORD: _password,
    Level.SECRET: _secret,
    Level.TOKEN: _token,
    Level.WEAK: _weak,
    Level.PIN: _pin,
    Level.CODE: _code,
    Level.CARD: _card,
    Level.PHRASE: _phrase,
    Level.COOKIE: _token,
    Level.AUTH: _token,
    Level.ENDPOINT: _endpoint,
    Level.STORED: _stored,
}
