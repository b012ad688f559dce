"""What stands between the reader and a page: a bot check, a captcha, a login, a paywall, consent.

Pure rules over what is seen, in that order. They only name what is there; they get past nothing.
A page with much text of its own is never called blocked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

SHORT_CHARS = 1_500
"""A page with more visible text than this shows its content."""

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
    r"|confirm (that )?you('re| are) (a )?human|are you (a )?(human|robot)\?",
    re.IGNORECASE,
)
_CAPTCHA_FRAMES = re.compile(
    r"recaptcha/(api2|enterprise)/(anchor|bframe)|hcaptcha\.com|challenges\.cloudflare\.com"
    r"|arkoselabs|funcaptcha|captcha-delivery|geetest",
    re.IGNORECASE,
)
_CAPTCHA_TEXT = re.compile(
    r"\bcaptcha\b|i('| a)m not a robot|type the (characters|letters|text) (you see|below|shown)"
    r"|enter the (characters|letters) (you see|below|shown)|prove you('re| are) not a robot",
    re.IGNORECASE,
)
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
    r"|already a subscriber|(article|story) is (for|reserved for|only for) (our )?"
    r"(subscribers|members)|reached your (free )?(article )?limit|free articles? (left|remaining)"
    r"|unlock this (article|story)",
    re.IGNORECASE,
)
_CONSENT_TEXT = re.compile(
    r"(accept|agree|allow|reject) (all|and continue|to all|cookies)|before you continue"
    r"|we (value|care about) your privacy|(use|uses) cookies|cookie (consent|settings|preferences)"
    r"|alle akzeptieren|tout accepter|aceptar todo",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSigns:
    """What is seen of a page. ``challenged``: the server's own header says so."""

    title: str
    text: str
    url: str
    frame_urls: Sequence[str] = ()
    has_password: bool = False
    has_dialog: bool = False
    challenged: bool = False


def find_block(page: PageSigns) -> str | None:
    """``bot_check``, ``captcha``, ``login``, ``paywall``, ``consent``, or None."""
    if page.challenged:
        return "bot_check"
    if len(page.text) > SHORT_CHARS:
        return None
    return _captcha_or_check(page) or _login(page) or _paywall_or_consent(page)


def _captcha_or_check(page: PageSigns) -> str | None:
    framed = any(_CAPTCHA_FRAMES.search(url) for url in page.frame_urls)
    asked = _CAPTCHA_TEXT.search(f"{page.title}\n{page.text}") is not None
    if (framed or asked) and not page.has_password:
        return "captcha"
    if _BOT_TITLES.search(page.title.strip()) or _BOT_TEXT.search(page.text):
        return "bot_check"
    return None


def _login(page: PageSigns) -> str | None:
    if page.has_password and _LOGIN_TEXT.search(f"{page.title}\n{page.text}\n{page.url}"):
        return "login"
    at_door = _LOGIN_URL.search(page.url.partition("?")[0]) is not None
    return "login" if at_door and _LOGIN_TEXT.search(f"{page.title}\n{page.text}") else None


def _paywall_or_consent(page: PageSigns) -> str | None:
    if _PAYWALL_TEXT.search(page.text):
        return "paywall"
    if _CONSENT_TEXT.search(page.text) and (page.has_dialog or len(page.text) < SHORT_CHARS // 2):
        return "consent"
    return None
