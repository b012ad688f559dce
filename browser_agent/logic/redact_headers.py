"""Cookies and credentials as HTTP writes them, and as browsers and tools dump them.

Owns Cookie, Set-Cookie, Authorization, bare schemes (``Bearer …``), and the objects in which
cookies, headers and stored values are listed (``{"name": …, "value": …}``).
"""

from __future__ import annotations

import re
from typing import Final

from browser_agent.logic.redact_judge import Syntax, is_basic, is_secret_value, token_like
from browser_agent.logic.redact_names import Level, classify_name
from browser_agent.logic.redact_spans import PLACEHOLDER, Span, trim_end

_COOKIE_NAME: Final = rb"[A-Za-z0-9!#$%&*+.^_|~\-\[\]]{1,128}"
_COOKIE: Final = re.compile(rb"[ \t]*(" + _COOKIE_NAME + rb")=\"?([^;\"\r\n]*)")
_LATER_COOKIE: Final = re.compile(rb",[ \t]*(" + _COOKIE_NAME + rb")=\"?([^;,\s\"]*)")
_CRUMB: Final = re.compile(rb"[^;]+")
_COOKIE_ATTRIBUTES: Final = frozenset(
    {b"path", b"domain", b"expires", b"max-age", b"samesite", b"priority", b"version", b"comment"}
)
_COOKIE_ITEM: Final = re.compile(
    rb"[\"'][ ]?:[ ]?(?:[bu]?\"([^\"\r\n]{1,8192})|[bu]?'([^'\r\n]{1,8192}))"
)
_SCHEME: Final = re.compile(
    rb"(?i)[ \t]*(?:(basic|bearer|digest|token|negotiate|ntlm|hawk|oauth|apikey|api-key|key|jwt"
    rb"|sharedkey(?:lite)?|sharedaccesssignature|mac|signature|ssws|splunk|googlelogin|dpop"
    rb"|aws4-hmac-sha256|aws|genie[a-z]*|klaviyo-api-key|discogs|bot|private-token|scram-sha-256"
    rb"|vapid|cwt|user|session|zoho-oauthtoken)(?:[ \t]|%20|\+)+)?"
)
_PARAMETERS: Final = re.compile(rb"[A-Za-z][\w-]{0,40}=")
_WORD: Final = re.compile(rb"[^\s,;\"'<>\\`]{0,600}")
_CLOSING_SIGNS: Final = b" \t\"'`,;)}]\\."
_IDLE_BYTES: Final = 8192  # a line of attributes alone is not followed any further
_NO_MORE: Final = re.compile(rb"[\s.,;:!?)\]}\"'`\\-]*")

_BARE: Final = re.compile(
    rb"(?i)(bearer|basic|digest|negotiate|ntlm|apikey|ssws|dpop|aws4-hmac-sha256)"
    rb"(?:[ \t]{1,4}|%20|\+|\\u0020)(?=[^\s])"
)
_CREDENTIALS: Final = re.compile(rb"[A-Za-z0-9._~+/=%|:-]+")
_DIGEST: Final = re.compile(rb"[^\r\n]{0,400}?\bresponse=")

SCHEME_TRIGGER: Final = (
    rb"(?i:\b(?:apikey|aws4-hmac-sha256|basic|bearer|digest|dpop|negotiate|ntlm|ssws)"
    rb"(?:[ \t+]|%20|\\u0020))"
)
OBJECT_TRIGGER: Final = rb"(?i:[\"';2]value(?:\\{0,4}[\"']|&quot;|%22)[ ]?(?::|=>|,|%3A))"
NETSCAPE_TRIGGER: Final = rb"(?:FALSE|TRUE)[ \t]+/[^\s]*[ \t]+(?:FALSE|TRUE)[ \t]"

_VALUE_KEY: Final = re.compile(
    rb"(?i)value(?P<quote>\\{0,4}[\"']|&quot;|%22)[ ]?(?::|=>|,|%3A)\s{0,8}"
    rb"(?:[bu]?(?P<open>\\{0,4}[\"']|&quot;|%22))"
)
_OWNER: Final = re.compile(
    rb"(?i)(?:name|key|id|header|field|property)(?:\\{0,4}[\"']|&quot;|%22)?[ ]?(?::|=>|=|,|%3A)"
    rb"\s{0,8}[bu]?(?:\\{0,4}[\"']|&quot;|%22)([^\"'\\&%]{1,128})"
)
_COOKIE_FIELDS: Final = re.compile(
    rb"(?i)(?:[\"']|&quot;|%22)(?:domain|path|expires|expirationdate|expiry|httponly|samesite"
    rb"|hostonly|storeid)(?:\\{0,4}[\"']|&quot;|%22)"
)
_SESSION_COOKIES: Final = re.compile(
    r"(?i)(?:.*(?:sess|sid|auth|token|csrf|xsrf|login|remember|secure-|host-).*|h?s?sid|s?apisid"
    r"|li_at|cf_clearance|__cf_bm|ct0|c_user|xs|datr|nid|user_id_token|_gh_sess|d|dbsc.*|jwt.*)"
)
_NETSCAPE: Final = re.compile(
    rb"(?:TRUE|FALSE)[ \t]+/[^\s]{0,256}[ \t]+(?:TRUE|FALSE)[ \t]+-?\d{1,12}(?:\.\d{1,9})?[ \t]+"
    rb"[^\s]{1,256}[ \t]+([^\s]+)"
)
_OBJECT_BYTES: Final = 1024
_UNBRACED_BYTES: Final = 256
_STORED: Final = re.compile(rb"(?i)(?:local|session)Storage\\{0,4}[\"']?[ ]?:")


def mask_cookies(data: bytes, at: int, closing: bytes, found: list[Span]) -> int:
    """Mask every cookie value that begins at ``at``: a header, ``document.cookie``, a mapping.

    Gives the end of the last one, 0 when there is none.
    """
    if data[at : at + 1] == b"{":
        return _cookie_mapping(data, at, found)
    if _COOKIE.match(data, at) is None:
        word = _WORD.match(data, at)
        if word is None or not is_secret_value(word.group(), Level.WEAK, Syntax.ASSIGN):
            return 0
        found.append(Span(word.start(), word.end(), "cookie"))
        return word.end()
    end = _region_end(data, at, closing)
    last, count = 1, len(found)
    for crumb in _CRUMB.finditer(data, at, end):
        last = _mask_crumb(data, crumb, end, found) or last
        if crumb.end() - at > _IDLE_BYTES and len(found) == count:
            break
    return last


def _mask_crumb(data: bytes, crumb: re.Match[bytes], end: int, found: list[Span]) -> int:
    """Mask the cookie of one ``;``-separated part; attributes of Set-Cookie stay."""
    cookie = _COOKIE.match(data, crumb.start(), crumb.end())
    if cookie is not None and cookie[1].lower() in _COOKIE_ATTRIBUTES:
        cookie = _LATER_COOKIE.search(data, cookie.start(2), crumb.end())
    if cookie is None:
        return 0
    value = cookie[2].rstrip(b" \t")
    if crumb.end() == end:
        value = trim_end(value.split(b" ", 1)[0], b"'\",)}]>\\`")
    if not PLACEHOLDER.sub(b"", value).strip(b" ,'\""):
        return cookie.end()
    found.append(Span(cookie.start(2), cookie.start(2) + len(value), "cookie"))
    return cookie.end()


def _cookie_mapping(data: bytes, at: int, found: list[Span]) -> int:
    end = data.find(b"}", at, at + 65_536)
    last = 0
    for item in _COOKIE_ITEM.finditer(data, at, max(at, end)):
        group = item.lastindex or 1
        if not PLACEHOLDER.fullmatch(item[group]):
            found.append(Span(item.start(group), item.end(group), "cookie"))
            last = item.end()
    return last


def _region_end(data: bytes, at: int, closing: bytes) -> int:
    """End of the line, or of the quotes in which the header stands."""
    end = data.find(b"\n", at)
    end = len(data) if end < 0 else end
    if closing:
        close = data.find(closing, at, end)
        end = close if close >= 0 else end
    return at + len(data[at:end].rstrip(b"\r"))


def mask_authorization(data: bytes, at: int, closing: bytes, found: list[Span]) -> int:
    """Mask the credentials of an Authorization value that begins at ``at``; 0 when it is prose."""
    scheme = _SCHEME.match(data, at)
    start = scheme.end() if scheme is not None else at
    known = scheme[1] if scheme is not None and scheme[1] is not None else b""
    if known and _PARAMETERS.match(data, start):
        return _mask_rest(data, start, _region_end(data, start, closing), found)
    word = _WORD.match(data, start)
    credentials = trim_end(word.group(), _CLOSING_SIGNS) if word is not None else b""
    if not _are_credentials(credentials, known):
        return 0
    line_end = _region_end(data, start, closing)
    word_end = start + len(credentials)
    if closing or _NO_MORE.fullmatch(data, word_end, min(line_end, word_end + 16)):
        return _mask_rest(data, start, line_end, found)
    whole = _CREDENTIALS.match(data, start)
    found.append(Span(start, max(word_end, whole.end() if whole else 0), "authorization"))
    return found[-1].end


def _are_credentials(word: bytes, scheme: bytes) -> bool:
    if scheme.lower() == b"basic":
        return is_basic(word) or (
            is_secret_value(word, Level.SECRET, Syntax.QUOTED) and token_like(word, 6)
        )
    if scheme:
        return is_secret_value(word, Level.SECRET, Syntax.QUOTED)
    return is_secret_value(word, Level.SECRET, Syntax.COLON)


def _mask_rest(data: bytes, start: int, end: int, found: list[Span]) -> int:
    rest = trim_end(data[start:end], _CLOSING_SIGNS)
    if not PLACEHOLDER.sub(b"", rest).strip(b" ,;"):
        return 0
    found.append(Span(start, start + len(rest), "authorization"))
    return start + len(rest)


def scheme_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """``Bearer …`` and its kin without the header's name."""
    scheme = _BARE.match(data, start)
    if scheme is None:
        return end
    name = scheme[1].lower()
    if name in {b"digest", b"aws4-hmac-sha256"}:
        line_end = _region_end(data, scheme.end(), b"")
        if name != b"digest" or _DIGEST.match(data, scheme.end()):
            return _mask_rest(data, scheme.end(), line_end, found) or end
        return end
    value = _CREDENTIALS.match(data, scheme.end())
    if value is None:
        return end
    word = value.group().rstrip(b".:")
    if name == b"basic":
        secret = is_basic(word)
    else:
        secret = token_like(word, 16) and is_secret_value(word, Level.TOKEN, Syntax.QUOTED)
    if not secret:
        return end
    found.append(Span(value.start(), value.start() + len(word), "authorization"))
    return value.end()


def object_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """``"value": "…"`` inside an object that is a cookie, a header or a stored secret."""
    key = _VALUE_KEY.match(data, start + 1)
    if key is None:
        return end
    closing = key["open"]
    value_end = data.find(closing, key.end(), key.end() + 16_384)
    if value_end < 0:
        value_end = _region_end(data, key.end(), b"")
    value = data[key.end() : value_end]
    if not value or PLACEHOLDER.fullmatch(value):
        return end
    kind = _kind_of_object(data, start, value_end, value)
    if kind is None:
        return end
    found.append(Span(key.end(), value_end, kind))
    return value_end


def _kind_of_object(data: bytes, start: int, value_end: int, value: bytes) -> str | None:
    brace = data.rfind(b"{", max(0, start - _OBJECT_BYTES), start)
    opening = brace if brace >= 0 else max(0, start - _UNBRACED_BYTES)
    closing = data.find(b"}", value_end, value_end + _OBJECT_BYTES)
    tail = data[value_end : closing if closing >= 0 else value_end + _UNBRACED_BYTES]
    around = data[opening:start] + b" " + tail
    owner = _OWNER.search(around)
    if owner is None:
        return None
    if _COOKIE_FIELDS.search(around):
        return "cookie"
    return kind_of_owned(owner[1].decode("utf-8", "replace"), value) or _stored(data, opening)


def _stored(data: bytes, opening: int) -> str | None:
    """Everything in a dumped localStorage goes."""
    before = data[max(0, opening - 4096) : opening]
    at = max(before.rfind(b"localStorage"), before.rfind(b"sessionStorage"))
    if at < 0 or not _STORED.match(before, at) or b"]" in before[at:]:
        return None
    return "storage"


def kind_of_owned(owner: str, value: bytes) -> str | None:
    """Kind of the value of a ``name``/``value`` pair; None when the name says nothing."""
    name = classify_name(owner)
    if name is not None and not name.query_only:
        if name.level in {Level.COOKIE, Level.AUTH}:
            return name.kind if value.strip() else None
        return name.kind if is_secret_value(value, name.level, Syntax.QUOTED) else None
    if _SESSION_COOKIES.fullmatch(owner) and token_like(value, 12):
        return "cookie"
    return None


def netscape_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """A line of a cookies.txt."""
    line = _NETSCAPE.match(data, start)
    if line is None or PLACEHOLDER.fullmatch(line[1]):
        return end
    found.append(Span(line.start(1), line.end(1), "cookie"))
    return line.end()
