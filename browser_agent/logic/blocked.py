"""What stands between the reader and a page: a bot check, a captcha, a login, a paywall, consent.

Pure rules over what is seen, in that order. They only name what is there; they get past nothing.
Words of a wall stand in short lines, as words of controls do; the same words in a paragraph are a
text about walls. A page with much text of its own is never called blocked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

SHORT_CHARS = 1_500
"""A page with more visible text than this shows its content."""

_LINE_CHARS = 200
"""A line of a wall is no longer than this."""

_PROSE_CHARS = 40
"""A line of at least this length that ends a sentence is a sentence of the page's own."""

_MUCH_PROSE = 500
_SOME_PROSE = 80

_BOT_TITLES = re.compile(
    r"^(just a moment|attention required|access denied|please wait|one moment, please"
    r"|ddos-guard|security check|pardon our interruption|checking your browser"
    r"|bot verification|are you a robot|human verification)\b",
    re.IGNORECASE,
)
_BOT_TEXT = re.compile(
    r"checking (if the site connection is secure|your browser)|verify(ing)? (that )?you are "
    r"(a )?(human|not a (ro)?bot)|unusual traffic from your|automated (requests|access|queries)"
    r"|enable javascript and cookies to continue|bot (check|protection|detection)"
    r"|confirm (that )?you('re| are) (a )?human|are you (a )?(human|robot)\?"
    r"|(sorry, )?you have been blocked",
    re.IGNORECASE,
)
_CAPTCHA_FRAMES = re.compile(
    r"recaptcha/(api2|enterprise)/(anchor|bframe)|hcaptcha\.com|challenges\.cloudflare\.com"
    r"|arkoselabs|funcaptcha|captcha-delivery|geetest",
    re.IGNORECASE,
)
_UNSEEN_FRAME = re.compile(r"[?&]size=invisible\b", re.IGNORECASE)
_CAPTCHA_TEXT = re.compile(
    r"(complete|solve|enter|fill in|pass|answer|type)\b.{0,30}\bcaptcha\b"
    r"|\bcaptcha\b.{0,12}\b(required|verification|challenge|check)\b"
    r"|i('| a)m not a robot|prove (that )?you('re| are) not a robot"
    r"|(type|enter) the (characters|letters|text|digits) (that )?(you see|below|shown)",
    re.IGNORECASE,
)
_CAPTCHA_LABEL = re.compile(r"^captcha( code)?:?$", re.IGNORECASE)
_LOGIN_URL = re.compile(
    r"/(log-?in|sign-?in|signon|sso|auth(enticate)?|accounts?/login)\b", re.IGNORECASE
)
_LOGIN_TEXT = re.compile(
    r"\b(log ?in|sign ?in|please (log|sign) ?in|login required|anmelden|einloggen|connexion"
    r"|iniciar sesi[oó]n|password|passwort|mot de passe|contraseña)\b",
    re.IGNORECASE,
)
_PAYWALL_TEXT = re.compile(
    r"subscribe (now )?(to|for) (continue|read|keep|unlock|full)|subscribers? only"
    r"|(continue|keep) reading (with|by|for)|(only|exclusive(ly)?) (for|to) (our )?subscribers"
    r"|(article|story) is (for|reserved for|only for) (our )?(subscribers|members)"
    r"|reached your (free |monthly )?(article )?limit|(no|0) (more )?free articles?"
    r"|unlock this (article|story)",
    re.IGNORECASE,
)
_CONSENT_WALL = re.compile(r"before you continue|to continue, (please )?accept", re.IGNORECASE)
_CONSENT_TEXT = re.compile(
    r"(accept|agree|allow|reject) (all|and continue|to all|cookies)"
    r"|we (value|care about) your privacy|(use|uses) cookies|cookie (consent|settings|preferences)"
    r"|alle akzeptieren|tout accepter|aceptar todo",
    re.IGNORECASE,
)
_ABOUT_CONSENT = re.compile(
    r"cookie|consent|privacy|personal data|partners|vendors|datenschutz|confidentialit|privacidad",
    re.IGNORECASE,
)
_ENDS_SENTENCE = re.compile(r"[.!?…。][\"'”’)]*(\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSigns:
    """What is seen of a page. ``challenged``: the server's own header says so.

    ``has_password``: a password field outside of headers and navigation. ``has_fields``: other
    fields to write in, so that a captcha among them guards a form and not the page.
    """

    title: str
    text: str
    url: str
    frame_urls: Sequence[str] = ()
    has_password: bool = False
    has_fields: bool = False
    challenged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """``kind``: bot_check, captcha, login, paywall or consent. ``evidence``: what shows it."""

    kind: str
    evidence: str


def find_block(page: PageSigns) -> Block | None:
    """What keeps the reader from the page, or None."""
    if page.challenged:
        return Block(kind="bot_check", evidence="response header cf-mitigated: challenge")
    if len(page.text) > SHORT_CHARS:
        return None
    return _captcha(page) or _bot_check(page) or _login(page) or _paywall(page) or _consent(page)


def _captcha(page: PageSigns) -> Block | None:
    if page.has_password or _prose(page.text) > _MUCH_PROSE:
        return None
    asked = _line_with(_CAPTCHA_TEXT, page)
    if asked is None and _prose(page.text) <= _SOME_PROSE:
        asked = _line_with(_CAPTCHA_LABEL, page)
    if asked is not None:
        return Block(kind="captcha", evidence=asked)
    framed = [
        url
        for url in page.frame_urls
        if _CAPTCHA_FRAMES.search(url) and not _UNSEEN_FRAME.search(url)
    ]
    if framed and not page.has_fields:
        return Block(kind="captcha", evidence=f"frame {framed[0].partition('?')[0]}")
    return None


def _bot_check(page: PageSigns) -> Block | None:
    if _BOT_TITLES.search(page.title.strip()):
        return Block(kind="bot_check", evidence=page.title.strip())
    if _prose(page.text) > _MUCH_PROSE:
        return None
    told = _line_with(_BOT_TEXT, page)
    return None if told is None else Block(kind="bot_check", evidence=told)


def _login(page: PageSigns) -> Block | None:
    told = _line_with(_LOGIN_TEXT, page)
    at_door = _LOGIN_URL.search(page.url.partition("?")[0]) is not None
    if page.has_password and (at_door or (told is not None and _prose(page.text) <= _MUCH_PROSE)):
        return Block(kind="login", evidence=f"password field, {told or page.title!r}")
    if at_door and told is not None:
        return Block(kind="login", evidence=told)
    return None


def _paywall(page: PageSigns) -> Block | None:
    told = _line_with(_PAYWALL_TEXT, page)
    return None if told is None else Block(kind="paywall", evidence=told)


def _consent(page: PageSigns) -> Block | None:
    wall = _line_with(_CONSENT_WALL, page)
    told = _line_with(_CONSENT_TEXT, page)
    if told is None:
        return None
    own = "\n".join(line for line in page.text.splitlines() if not _ABOUT_CONSENT.search(line))
    if wall is None and _prose(own) > _SOME_PROSE:
        return None
    return Block(kind="consent", evidence=wall or told)


def _line_with(pattern: re.Pattern[str], page: PageSigns) -> str | None:
    """The first short line of the title and the text that matches."""
    for line in (page.title, *page.text.splitlines()):
        plain = line.strip()
        if len(plain) <= _LINE_CHARS and pattern.search(plain):
            return plain
    return None


def _prose(text: str) -> int:
    """How many characters of the text stand in sentences rather than in labels and controls."""
    lines = (line.strip() for line in text.splitlines())
    return sum(
        len(line) for line in lines if len(line) >= _PROSE_CHARS and _ENDS_SENTENCE.search(line)
    )
