"""How a URL is shown: without userinfo, secret values or control characters.

Owns the display form only. It decides nothing: what may be visited is judged in
``logic.url_policy`` with a WHATWG parser, and a displayed URL is never the one to open.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, unquote, urlsplit

__all__ = ["MASK", "display_url", "is_secret_name", "origin_of", "without_query"]

MASK = "[REDACTED:query]"
LIMIT_CHARS = 4096
"""A longer display form is cut and ends in an ellipsis."""

_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}
_NESTING = 3
_WEAK_CHARS = 8

_EXACT_NAMES = frozenset(
    [
        "authorization",
        "assertion",
        "credential",
        "credentials",
        "jwt",
        "magic",
        "otp",
        "pass",
        "passphrase",
        "passcode",
        "passwd",
        "password",
        "pwd",
        "relaystate",
        "samlart",
        "samlrequest",
        "samlresponse",
        "secret",
        "sid",
        "sig",
        "signature",
        "ticket",
        "token",
        "totp",
        "jsessionid",
        "phpsessid",
        "sessid",
        "sessionid",
        "oauthverifier",
        "codeverifier",
        "awsaccesskeyid",
        "keypairid",
    ]
)
_SUFFIXES = (
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "sessionkey",
    "subscriptionkey",
    "signature",
    "credential",
    "sessionid",
    "webhookkey",
)
_WEAK_NAMES = frozenset({"auth", "code", "key", "session", "hash", "hmac", "policy"})
"""Words that are secret only where their value is long enough to be one."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SQUASH = re.compile(r"[^a-z0-9]")
_PAIR_BREAK = re.compile(r"([&;])")
_NESTED_PAIR = re.compile(r"(?:^|[?&#;])([^?&#;=/]{1,64})=([^&#;]+)")
_USERINFO = re.compile(r"//[^/?#]*@")


def is_secret_name(name: str, value: str | None = None) -> bool:
    """Say whether a query or form field of this name holds a secret.

    Case, ``-``, ``_`` and ``.`` do not matter. A word with other meanings (``code``, ``key``)
    counts only when ``value`` is not given or has at least 8 characters.
    """
    squashed = _SQUASH.sub("", unquote(name).lower())
    if squashed in _WEAK_NAMES:
        return value is None or len(unquote(value)) >= _WEAK_CHARS
    return squashed in _EXACT_NAMES or squashed.endswith(_SUFFIXES)


def display_url(url: str) -> str:
    """The form of ``url`` that a Result, a log or a report may show.

    Scheme and host in lower case, default port and userinfo dropped, values of secret query and
    fragment fields replaced by ``[REDACTED:query]``, nested and double-encoded ones too; of
    ``data:`` and ``javascript:`` only the kind is left. Never raises; bounded to 4096 characters.
    """
    text = _CONTROLS.sub("", url.strip())
    shown = _display(text, 0)
    return shown if len(shown) <= LIMIT_CHARS else shown[: LIMIT_CHARS - 1] + "…"


def without_query(url: str) -> str:
    """The display form without query and fragment, for one-line texts."""
    return re.split(r"[?#]", display_url(url), maxsplit=1)[0]


def origin_of(url: str) -> str | None:
    """``scheme://host[:port]`` of an http(s) or ws(s) URL, None for anything else."""
    parts = _split(_CONTROLS.sub("", url.strip()))
    if parts is None or parts.scheme not in _DEFAULT_PORTS or not parts.netloc:
        return None
    return f"{parts.scheme}://{_authority(parts)}"


def _display(text: str, depth: int) -> str:
    parts = _split(text)
    if parts is None:
        return re.split(r"[?#]", _USERINFO.sub("//", text), maxsplit=1)[0]
    if parts.scheme and not parts.netloc and not text.startswith("/"):
        return _display_opaque(parts)
    shown = f"{parts.scheme}:" if parts.scheme else ""
    if parts.netloc:
        shown += f"//{_authority(parts)}"
    shown += parts.path
    if parts.query:
        shown += f"?{_mask_query(parts.query, depth)}"
    if parts.fragment:
        shown += f"#{_mask_fragment(parts.fragment, depth)}"
    return shown


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        _ = parts.port  # an impossible port raises only when read
    except ValueError:
        return None
    return parts


def _authority(parts: SplitResult) -> str:
    host = parts.netloc.rpartition("@")[2].lower()
    default = _DEFAULT_PORTS.get(parts.scheme)
    if parts.port == default and default is not None:
        host = host.rpartition(":")[0]
    return host.removesuffix(":")


def _display_opaque(parts: SplitResult) -> str:
    if parts.scheme == "data":
        return f"data:{re.split('[,;]', parts.path, maxsplit=1)[0][:64]}"
    if parts.scheme == "blob":
        origin = origin_of(parts.path)
        return f"blob:{origin}" if origin else "blob:"
    if parts.scheme == "javascript":
        return "javascript:"
    return f"{parts.scheme}:{'//' if parts.scheme == 'file' else ''}{parts.path}"


def _mask_query(query: str, depth: int) -> str:
    pieces = _PAIR_BREAK.split(query)
    return "".join(piece if piece in "&;" else _mask_pair(piece, depth) for piece in pieces)


def _mask_pair(pair: str, depth: int) -> str:
    name, equals, value = pair.partition("=")
    if not equals:
        return _mask_nested(pair, depth)
    if value and value != MASK and is_secret_name(name, value):
        return f"{name}={MASK}"
    return f"{name}={_mask_nested(value, depth)}"


def _mask_fragment(fragment: str, depth: int) -> str:
    route, question, query = fragment.partition("?")
    if question:
        return f"{_mask_nested(route, depth)}?{_mask_query(query, depth)}"
    return _mask_query(fragment, depth)


def _mask_nested(value: str, depth: int) -> str:
    """Mask secrets inside a value that is itself a URL or a query, however often encoded."""
    if depth >= _NESTING:
        return MASK if "%25" in value else value
    decoded = unquote(value)
    if not _holds_more(decoded):
        return value
    inner = _display(decoded, depth + 1) if "://" in decoded else _mask_query_in(decoded, depth)
    changed = inner != decoded and not _same_url(inner, decoded)
    return quote(inner, safe="[]:/") if changed else value


def _mask_query_in(text: str, depth: int) -> str:
    head, question, query = text.partition("?")
    if question:
        return f"{head}?{_mask_query(query, depth + 1)}"
    return _mask_query(text, depth + 1)


def _holds_more(decoded: str) -> bool:
    return "%" in decoded or "://" in decoded or _NESTED_PAIR.search(decoded) is not None


def _same_url(inner: str, decoded: str) -> bool:
    return MASK not in inner and "@" not in decoded
