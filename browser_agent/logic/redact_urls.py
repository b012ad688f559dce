"""Secrets that the place in a URL gives away: userinfo, browser endpoints, webhooks.

Owns addresses. Parameters with telling names are the business of :mod:`redact_pairs`.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from browser_agent.logic.redact_judge import token_like
from browser_agent.logic.redact_spans import PLACEHOLDER, Span, trim_end

_SLASH: Final = rb"(?:\\{0,2}/|%(?:25){0,2}2[fF])"
_URL: Final = re.compile(rb"[^\s\"'<>`|^]{0,4096}")
_URL_TAIL: Final = re.compile(rb"[^\s\"'<>`|^]*")
_TRAILING: Final = b",.;:!?)]}*\\"

_AUTHORITY_BYTE: Final = rb"[^\s/?#\"'<>@\\]"
_ENCODED_BYTE: Final = rb"[^\s/?#\"'<>@&%]"
USERINFO_TRIGGER: Final = (
    rb"[\s\"'(=]//[^\s/?#\"'<>@\\:]*:" + _AUTHORITY_BYTE + rb"*@"
    rb"|:(?://|\\{1,2}/\\{1,2}/)" + _AUTHORITY_BYTE + rb"*@"
    rb"|://[^\s/?#\"'<>@\\:]*:[^\s\"'<>@\\]*@"
    rb"|%3[aA]%2[fF]%2[fF]" + _ENCODED_BYTE + rb"*(?:%3[aA]" + _ENCODED_BYTE + rb"*)?(?:%40|@)"
)  # fmt: skip
_USERINFO: Final = re.compile(
    rb"(?:[\s\"'(=]//|:(?://|\\{1,2}/\\{1,2}/)|%3[aA]%2[fF]%2[fF])(.*)(?:@|%40)\Z", re.DOTALL
)
_HARMLESS_USERS: Final = re.compile(rb"(?i)(?:git|hg|svn|ssh|www|user|username|anonymous|ftp)")

ENDPOINT_TRIGGER: Final = rb"(?i:wss?)(?::|%3[aA]|%253[aA])(?:\\{0,2}/|%2[fF]|%252[fF]){2}"
_ID: Final = (
    rb"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{20,}|[A-Z0-9]{24,}"
    rb"|[A-Za-z0-9_-]{22,})"
)
_DEVTOOLS: Final = re.compile(rb"(?i)/devtools/(?:browser|page|inspector)|/json/version")
_ENDPOINT_PATH: Final = re.compile(
    rb"(?i)^[a-z]+://[^/]*/(?:(?:v\d|api|ws|wss|cdp|connect|session|sessions|devtools|browser"
    rb"|browsers|playwright|puppeteer|chrom[a-z]*|firefox|webkit|debug|live|agent|remote|tunnel"
    rb"|page|e)/){0,4}" + _ID + rb"(?:[/?#]|$)"
)
_ENDPOINT_HOST: Final = re.compile(rb"(?i)^[a-z]+://(?:[^/@]*@)?" + _ID + rb"\.")
_LOOPBACK_ID: Final = re.compile(
    rb"(?i)^[a-z]+://(?:localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?::\d+)?"
    rb"/(?:[^?#]*/)?" + _ID + rb"(?:[/?#]|$)"
)
_PROVIDER_NAMES: Final = (
    "airtop.ai anchorbrowser.io apify.com brightdata.com browser-use.com browserbase.com"
    " browsercat.com browserless.io browserstack.com gologin.com hyperbrowser.ai kernel.sh"
    " lambdatest.com lightpanda.io notte.cc nstbrowser.io onkernel.com oxylabs.io rebrowser.net"
    " saucelabs.com scrapeless.com scrapingbee.com steel.dev superproxy.io surfsky.io"
    " testingbot.com zenrows.com"
)
PROVIDER_TRIGGER: Final = (
    rb"(?i:" + b"|".join(re.escape(name.encode()) for name in _PROVIDER_NAMES.split()) + rb")"
)
_PROVIDER_ID: Final = re.compile(
    rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{24,}|[A-Za-z0-9]{24,}"
    rb"|(?<=[=/])eyJ[A-Za-z0-9_.-]{16,}"
)

_REST: Final = rb"((?:[^\s\"'<>?#&\\]|\\{1,2}/){6,})"
_WEBHOOKS: Final = (
    rb"hooks\.slack(?:-gov)?\.com" + _SLASH + rb"(?:services|workflows|triggers)" + _SLASH + _REST,
    rb"discord(?:app)?\.com" + _SLASH + rb"api" + _SLASH + rb"(?:v\d+" + _SLASH + rb")?webhooks"
    + _SLASH + _REST,
    rb"webhook\.office(?:365)?\.com" + _SLASH + rb"webhookb2?" + _SLASH + _REST,
    rb"outlook\.office(?:365)?\.com" + _SLASH + rb"webhook" + _SLASH + _REST,
    rb"hooks\.zapier\.com" + _SLASH + rb"hooks" + _SLASH + rb"(?:catch|standard)" + _SLASH + _REST,
    rb"hook\.[a-z0-9.]{0,20}make\.com" + _SLASH + _REST,
    rb"hook\.[a-z0-9.]{0,20}integromat\.com" + _SLASH + _REST,
    rb"maker\.ifttt\.com" + _SLASH + rb"trigger" + _SLASH + rb"[^\s/]{1,80}" + _SLASH
    + rb"(?:json" + _SLASH + rb")?with" + _SLASH + rb"key" + _SLASH + _REST,
    rb"(?:hc-ping|healthchecks)\.(?:com|io)" + _SLASH + rb"(?:ping" + _SLASH + rb")?" + _REST,
    rb"api\.telegram\.org" + _SLASH + rb"(?:file" + _SLASH + rb")?bot([^\s/\"'<>?#&\\]{8,})",
    rb"hooks\.[a-z0-9.-]{1,60}" + _SLASH + rb"(?:hooks|services)" + _SLASH + _REST,
    rb"(?:open\.feishu\.cn|open\.larksuite\.com)" + _SLASH + rb"open-apis" + _SLASH + rb"bot"
    + _SLASH + rb"(?:v2" + _SLASH + rb")?hook" + _SLASH + _REST,
    rb"webhook\.site" + _SLASH + _REST,
    rb"[a-z0-9.-]*pipedream\.(?:net|com)" + _SLASH + rb"([A-Za-z0-9]{16,})",
    rb"hooks" + _SLASH + rb"([A-Za-z0-9]{20,})",
    rb"otpauth-migration://[^\s\"'<>]{0,40}data=([^\s\"'<>&]{8,})",
    rb"api\.pushcut\.io" + _SLASH + _REST,
    rb"events\.pagerduty\.com" + _SLASH + rb"integration" + _SLASH + _REST,
    rb"(?:connect|api)\.mailerlite\.com" + _SLASH + rb"webhook" + _SLASH + _REST,
)  # fmt: skip
WEBHOOK_TRIGGER: Final = (
    rb"hooks\.slack|discord(?:app)?\.com|webhook\.office|outlook\.office|hooks\.zapier|hook\.[a-z0-9]"
    rb"|maker\.ifttt|hc-ping|api\.telegram|hooks(?:\.[a-z]|/|\\{1,2}/|%2F)|otpauth-m|open\.feishu|open\.larksuite|webhook\.site"
    rb"|pipedream\.|api\.pushcut|events\.pagerduty"
)
_WEBHOOK: Final = re.compile(b"|".join(_WEBHOOKS))

DEVTOOLS_TRIGGER: Final = (
    rb"(?i:devtools)(?:\\{0,2}/|%2[fF]|%252[fF])(?i:browser|page)(?:\\{0,2}/|%2[fF]|%252[fF])"
)
_DEVTOOLS_ID: Final = re.compile(
    rb"(?i)devtools" + _SLASH + rb"(?:browser|page)" + _SLASH + rb"([A-Za-z0-9-]{8,})"
)


def userinfo_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """``scheme://user:password@host``: what stands before the last ``@`` of the authority."""
    match = _USERINFO.match(data, start, end)
    if match is None:
        return start + 1
    info = match[1]
    nested = data[start : start + 1] == b"%"
    info_end = _last_at(data, match.end(1), nested=nested)
    info = data[match.start(1) : info_end]
    has_password = (b":" in info) or (nested and b"%3a" in info.lower())
    if not info or PLACEHOLDER.fullmatch(info) or _is_template(info) or _PORT.match(info):
        return match.start(1)
    if not has_password and not token_like(info, 12):
        return match.end(1)
    if has_password and info.split(b":", 1)[1:] == [b""] and _HARMLESS_USERS.fullmatch(info[:-1]):
        return match.end(1)
    found.append(Span(match.start(1), info_end, "userinfo"))
    return info_end


def _last_at(data: bytes, at: int, *, nested: bool) -> int:
    """A password may hold a raw ``@``: the last one of the authority counts."""
    if nested:
        return at
    rest = _AUTHORITY.match(data, at)
    if rest is None:
        return at
    more = rest.group().rfind(b"@")
    return at + more if more > 0 else at


_PORT: Final = re.compile(rb"[^:]*:[0-9]{1,5}/")
_AUTHORITY: Final = re.compile(rb"@[^\s/?#\"'<>\\,;()]{0,255}")


def _is_template(info: bytes) -> bool:
    """``user:password@``, ``<user>:<pass>@``, ``${USER}:${PASS}@``"""
    user, _, password = info.partition(b":")
    known = {b"pass", b"password", b"pwd", b"passwd", b"secret", b"pw", b"p", b"token"}
    if password.lower() in known and user.lower() in {
        b"user",
        b"username",
        b"u",
        b"login",
        b"name",
    }:
        return True
    return bool(_PLACEHOLDER_PART.fullmatch(password or user))


_PLACEHOLDER_PART: Final = re.compile(
    rb"(?i)<[^<>]*>|\{[^{}]*\}|\$\{?\w+\}?|\$\([^()]*\)|\*+|x{3,}|\.{3}|your[-_]\w+|%[a-z_]\w*%"
)


def endpoint_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """A WebSocket URL through which a browser is driven: the whole of it goes."""
    region = _URL.match(data, start)
    if region is None:
        return end
    plain = unquote_to_bytes(unquote_to_bytes(region.group().replace(b"\\/", b"/")))
    if not _drives_a_browser(plain):
        return start + 2
    stop = _end_of_url(data, start, region.end())
    found.append(Span(start, stop, "endpoint"))
    return stop


def _drives_a_browser(url: bytes) -> bool:
    if _DEVTOOLS.search(url) or _LOOPBACK_ID.search(url) or _ENDPOINT_HOST.search(url):
        return True
    path = _ENDPOINT_PATH.search(url)
    return path is not None or _is_provider(url)


def _is_provider(url: bytes) -> bool:
    host = re.match(rb"(?i)[a-z]+://(?:[^/?#@]*@)?([^/?#:]+)", url)
    if host is None:
        return False
    name = host[1].decode("ascii", "ignore").lower()
    return name.endswith(tuple(_PROVIDER_NAMES.split())) and b"." in host[1]


def _end_of_url(data: bytes, start: int, at: int) -> int:
    tail = _URL_TAIL.match(data, at)
    stop = tail.end() if tail is not None else at
    return start + len(trim_end(data[start:stop], _TRAILING))


def provider_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """Ids in the URLs of a browser provider (live views, session pages, debuggers)."""
    del start
    region = _URL.match(data, end)
    resume = end
    if region is None:
        return resume
    for one in _PROVIDER_ID.finditer(data, end, region.end()):
        if token_like(one.group(), 16):
            found.append(Span(one.start(), one.end(), "endpoint"))
            resume = one.end()
    return resume


def webhook_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """URLs that let anybody post: the part of the path that is the secret."""
    match = _WEBHOOK.match(data, start)
    if match is None or match.lastindex is None:
        return end
    group = match.lastindex
    secret = trim_end(match[group], _TRAILING)
    if secret.startswith(b"[REDACTED:") or not re.search(rb"[0-9A-Z]", secret):
        return end
    found.append(Span(match.start(group), match.start(group) + len(secret), "webhook"))
    return match.end(group)


def devtools_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """``/devtools/browser/<id>`` without its host."""
    match = _DEVTOOLS_ID.match(data, start)
    if match is None or not re.search(rb"[0-9]", match[1]):
        return end
    found.append(Span(match.start(1), match.end(1), "endpoint"))
    return match.end(1)
