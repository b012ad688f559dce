"""Secrets that are known by their own structure: private keys, JWTs, payment cards.

Owns the checks that go beyond a prefix (Luhn, the header of a JWT, the lines of a PEM block).
"""

from __future__ import annotations

import re
from typing import Final

from browser_agent.logic.redact_spans import Span, begins_word

# --- private keys ------------------------------------------------------------------------------

PEM_TRIGGER: Final = rb"-{4,5}[ ]?(?i:BEGIN|END)[ +_%]|PuTTY-User-Key-File|\"kty\"|'kty'"
_BEGIN: Final = re.compile(
    rb"(?i)-{4,5}[ ]?BEGIN(?:[ +_]|%20)(?:[A-Z0-9.]{1,16}(?:[ +_]|%20)){0,4}?"
    rb"(?:PRIVATE(?:[ +_]|%20)KEY|STATIC(?:[ +_]|%20)KEY)(?:(?:[ +_]|%20)(?:BLOCK|V1))?-{0,5}"
)
_END: Final = re.compile(
    rb"(?i)-{4,5}[ ]?END(?:[ +_]|%20)[A-Z0-9 +_%.]{0,60}(?:KEY|BLOCK|V1)-{0,5}"
)
_BODY: Final = re.compile(
    # lines of a block that was cut off: base64 and headers, quoted, escaped or indented
    rb"(?:[ \t>|*\#\"'+,;:\\]|\r?\n|\\+[rn]|%0[aAdD]|<br[ /]{0,2}>"
    rb"|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset):[^\r\n\\]{0,200}"
    rb"|[A-Za-z0-9+/=%_-]{16,}|[A-Za-z0-9+/]{1,15}={0,2}(?=\s*(?:$|\r?\n|\\n|[\"'-])))*+"
)
_KEY_LINE: Final = re.compile(rb"[ \t>|*\#\"'+,]{0,8}[A-Za-z0-9+/=]{16,76}[\"'+,\\ nr]{0,6}")
_LINE_ENDS: Final = re.compile(rb"\r?\n|\\n")
_SUBSTANCE: Final = re.compile(rb"[A-Za-z0-9+/]{24}")
_MAX_PEM: Final = 32_768
_MIN_KEY_BYTES: Final = 24
_MAC: Final = b"Private-MAC:"
_JWK_MEMBER: Final = re.compile(
    rb"[\"'](?:d|p|q|dp|dq|qi|k|oth)[\"'][ ]?:[ ]?[\"']([A-Za-z0-9_-]{16,4096})[\"']"
)


def pem_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """A private key block, whole, quoted, escaped or cut off at either end."""
    first = data[start : start + 1]
    if first in b"\"'":
        return _jwk(data, start, end, found)
    if first == b"P":
        return _putty(data, start, end, found)
    begin = _BEGIN.match(data, start)
    if begin is None:
        return _headless(data, start, end, found)
    return _block(data, begin, found)


def _block(data: bytes, begin: re.Match[bytes], found: list[Span]) -> int:
    next_begin = data.find(b"BEGIN", begin.end(), begin.end() + _MAX_PEM)
    limit = next_begin if next_begin >= 0 else begin.end() + _MAX_PEM
    stop = _END.search(data, begin.end(), limit)
    if stop is not None:
        if not _SUBSTANCE.search(data, begin.end(), stop.start()):
            return stop.end()  # an ellipsis in a manual
        found.append(Span(begin.start(), stop.end(), "private_key"))
        return stop.end()
    body = _BODY.match(data, begin.end())
    tail = body.end() if body is not None else begin.end()
    tail = begin.end() + len(data[begin.end() : tail].rstrip(b" \t\r\n\"'"))
    if not _SUBSTANCE.search(data, begin.end(), tail):
        return begin.end()
    found.append(Span(begin.start(), tail, "private_key"))
    return tail


def _putty(data: bytes, start: int, end: int, found: list[Span]) -> int:
    mac = data.find(_MAC, start, start + _MAX_PEM)
    if mac < 0:
        return end
    stop = re.compile(rb"[ ]?[0-9a-f]*").match(data, mac + len(_MAC))
    found.append(Span(start, stop.end() if stop is not None else mac, "private_key"))
    return found[-1].end


def _headless(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """Only the end of the block is here: the lines above it are key."""
    stop = _END.match(data, start)
    if stop is None or b"PRIVATE" not in stop.group().upper():
        return end
    window = max(0, start - _MAX_PEM // 4)
    lines = _LINE_ENDS.split(data[window:start])
    key_bytes = len(lines.pop())
    while lines and _KEY_LINE.fullmatch(lines[-1]):
        key_bytes += len(lines.pop()) + 1
    if key_bytes < _MIN_KEY_BYTES:
        return end
    found.append(Span(max(window, start - key_bytes), stop.end(), "private_key"))
    return stop.end()


def _jwk(data: bytes, start: int, end: int, found: list[Span]) -> int:
    opening = max(data.rfind(b"{", max(0, start - 4096), start), 0)
    closing = data.find(b"}", end, end + 8192)
    members = _JWK_MEMBER.finditer(data, opening, closing if closing > 0 else end + 4096)
    found += [Span(one.start(1), one.end(1), "private_key") for one in members]
    return end


# --- JSON web tokens ---------------------------------------------------------------------------

JWT_TRIGGER: Final = rb"ey[IJ][A-Za-z0-9_-]{6}"
_JWT: Final = re.compile(
    rb"ey[IJ][A-Za-z0-9_-]{8,8192}\.(?:ey[IJ][A-Za-z0-9_-]{4,16384}(?:\.[A-Za-z0-9_-]{0,8192}){0,3}"
    rb"|[A-Za-z0-9_-]{0,16384}(?:\.[A-Za-z0-9_-]{6,16384}){1,3}(?:\.[A-Za-z0-9_-]{0,8192})?)"
)


def jwt_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """A JWS or JWE in compact form, signed or not, also cut off in its payload."""
    token = _JWT.match(data, start) if begins_word(data, start) else None
    if token is None:
        return end
    found.append(Span(start, token.end(), "jwt"))
    return token.end()


# --- payment cards -----------------------------------------------------------------------------

_GAP: Final = (
    rb"(?:[ \t.\-+_/]|\xc2[\xa0\xad]|\xe2\x80[\x80-\x95\xaf]|\xe2\x88\x92|%20|&nbsp;|&\#160;){1,2}"
)
CARD_TRIGGER: Final = (
    rb"\b(?:[2-6][0-9]{12,18}\b|[2-6][0-9]{3}" + _GAP + rb"[0-9]{4}" + _GAP + rb"[0-9]{4}"
    + _GAP + rb"[0-9]{1,4}\b|3[0-9]{3}" + _GAP + rb"[0-9]{6}" + _GAP + rb"[0-9]{4,5}\b"
    + rb"|[2-6][0-9]{7}" + _GAP + rb"[0-9]{8}\b)"
)  # fmt: skip
_CARD: Final = re.compile(
    rb"[2-6][0-9]{3}(" + _GAP + rb")[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{1,3}(?![0-9]))?"
    rb"|[2-6][0-9]{3}(" + _GAP + rb")[0-9]{4}\2[0-9]{4}\2[0-9]{1,3}(?![0-9])"
    rb"|3[0-9]{3}" + _GAP + rb"[0-9]{6}" + _GAP + rb"[0-9]{4,5}"
    rb"|[2-6][0-9]{7}" + _GAP + rb"[0-9]{8}|[2-6][0-9]{12,18}"
)  # fmt: skip
_ISSUERS: Final = (
    # (first digits, lengths sure enough alone, lengths believed beside a word about cards)
    (rb"4", {16, 19}, {13}),
    (rb"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)", {16}, set[int]()),
    (rb"3[47]", {15}, set[int]()),
    (rb"30[0-5]|3095|3[689]", {14, 16, 19}, set[int]()),
    (rb"35(?:2[89]|[3-8])", {16, 17, 18, 19}, set[int]()),
    (rb"6(?:011|4[4-9]|5|2)", {16, 17, 18, 19}, set[int]()),
    (rb"5[06-9]|6", {16, 18, 19}, {13, 14, 15, 17}),
)
_RANGES: Final = tuple((re.compile(first), sure, likely) for first, sure, likely in _ISSUERS)
_ABOUT_CARDS: Final = re.compile(
    rb"(?i)card|visa|master|amex|maestro|discover|diners|jcb|\bpan\b|\bcc\b|credit|debit|karte|carte"
)
_DECIMAL: Final = re.compile(rb"[0-9][.,]\Z")
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def card_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """A number of a card issuer's range and length whose check digit is right."""
    del end
    about = data[max(0, start - 40) : start]
    if _DECIMAL.search(about):
        return start + 1
    for pattern in (_CARD, _FOUR_FOURS):
        card = pattern.match(data, start)
        if card is not None and _is_card(_digits(card.group()), about=about):
            found.append(Span(start, card.end(), "card"))
            return card.end()
    group = _DIGITS.match(data, start)
    return group.end() if group is not None else start + 1


_DIGITS: Final = re.compile(rb"[0-9]+")
_FOUR_FOURS: Final = re.compile(
    rb"[2-6][0-9]{3}(" + _GAP + rb")[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?![0-9])"
)
_ENCODED_GAP: Final = re.compile(rb"%20|&#160;")


def _digits(text: bytes) -> bytes:
    return bytes(byte for byte in _ENCODED_GAP.sub(b"", text) if 48 <= byte <= 57)


def _is_card(digits: bytes, *, about: bytes) -> bool:
    for first, sure, likely in _RANGES:
        if first.match(digits):
            fits = len(digits) in sure or (len(digits) in likely and _ABOUT_CARDS.search(about))
            return bool(fits) and len(set(digits)) > 1 and _luhn(digits)
    return False


def _luhn(digits: bytes) -> bool:
    total = 0
    for place, byte in enumerate(reversed(digits)):
        digit = byte - 48
        total += _DOUBLED[digit] if place % 2 else digit
    return total % 10 == 0
