"""From the browser's words for a failed load to a typed code and a sentence of ours. Pure.

Only the error's name is read: the rest of such a text holds the URL with its query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from browser_agent.records.codes import ErrorCode

_NAME = re.compile(r"net::(ERR_[A-Z0-9_]+)")


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A code and one sentence; no message means the sentence of the code table."""

    code: ErrorCode
    message: str | None = None


_BY_NAME = {
    "ERR_NAME_NOT_RESOLVED": LoadFailure(ErrorCode.DNS_FAILED),
    "ERR_TOO_MANY_REDIRECTS": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server redirects without end."
    ),
    "ERR_UNSAFE_REDIRECT": LoadFailure(
        ErrorCode.POLICY_DENIED, "The server redirects to an address that is no web page."
    ),
    "ERR_UNSAFE_PORT": LoadFailure(
        ErrorCode.POLICY_DENIED, "Browsers do not connect to this port."
    ),
    "ERR_UNKNOWN_URL_SCHEME": LoadFailure(
        ErrorCode.POLICY_DENIED, "Only http and https can be visited."
    ),
    "ERR_DISALLOWED_URL_SCHEME": LoadFailure(
        ErrorCode.POLICY_DENIED, "Only http and https can be visited."
    ),
    "ERR_INVALID_AUTH_CREDENTIALS": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server asks for a user name and a password."
    ),
    "ERR_RESPONSE_HEADERS_TOO_BIG": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server's answer has headers that are too long."
    ),
    "ERR_INVALID_HTTP_RESPONSE": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "What the server sent is no HTTP."
    ),
    "ERR_INVALID_REDIRECT": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server redirects to an address that is no URL."
    ),
    "ERR_CONTENT_DECODING_FAILED": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server's answer is damaged."
    ),
    "ERR_CONTENT_LENGTH_MISMATCH": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server's answer ended too early."
    ),
    "ERR_INCOMPLETE_CHUNKED_ENCODING": LoadFailure(
        ErrorCode.NAVIGATION_FAILED, "The server's answer ended too early."
    ),
    "ERR_EMPTY_RESPONSE": LoadFailure(
        ErrorCode.CONNECT_FAILED, "The server closed the connection without an answer."
    ),
}
_BY_PREFIX = (
    (("ERR_CERT_", "ERR_SSL_", "ERR_BAD_SSL_", "ERR_ECH_", "ERR_TLS"), ErrorCode.TLS_FAILED),
    (
        (
            *("ERR_CONNECTION_", "ERR_ADDRESS_", "ERR_NETWORK_", "ERR_INTERNET_", "ERR_SOCKET_"),
            *("ERR_TUNNEL_", "ERR_PROXY_", "ERR_TIMED_OUT"),
        ),
        ErrorCode.CONNECT_FAILED,
    ),
    (("ERR_DNS_",), ErrorCode.DNS_FAILED),
)


def name_of(text: str) -> str | None:
    """``ERR_…`` in an error's text, or None."""
    found = _NAME.search(text)
    return found.group(1) if found else None


def failure_of(text: str) -> LoadFailure:
    """What an error text of a load means; navigation_failed when its name says nothing more."""
    name = name_of(text)
    if name is None:
        return LoadFailure(ErrorCode.NAVIGATION_FAILED)
    if name in _BY_NAME:
        return _BY_NAME[name]
    for prefixes, code in _BY_PREFIX:
        if name.startswith(prefixes):
            return LoadFailure(code)
    return LoadFailure(ErrorCode.NAVIGATION_FAILED, f"The page could not be loaded ({name}).")
