"""Names that stand before secrets: ``OPENAI_API_KEY``, ``accessToken``, ``x-csrf-token``.

Owns what a name says about the value beside it. Does not look at values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final


class Level(IntEnum):
    """How sure a name is, which decides how much the value itself must look like a secret."""

    PASSWORD = 1
    SECRET = 2
    TOKEN = 3
    WEAK = 4
    PIN = 5
    CODE = 6
    CARD = 7
    PHRASE = 8
    COOKIE = 9
    AUTH = 10
    ENDPOINT = 11
    STORED = 12


@dataclass(frozen=True, slots=True)
class Name:
    """Kind that is written into the placeholder, and how sure the name is.

    ``query_only`` names mean a secret only as a parameter of a URL or a form.
    """

    kind: str
    level: Level
    query_only: bool = False


_PASSWORD: Final = Name("password", Level.PASSWORD)
_SECRET: Final = Name("secret", Level.SECRET)
_KEY: Final = Name("key", Level.SECRET)
_SECRET_TOKEN: Final = Name("token", Level.SECRET)
_TOKEN: Final = Name("token", Level.TOKEN)
_SESSION: Final = Name("session", Level.TOKEN)
_ENDPOINT: Final = Name("endpoint", Level.ENDPOINT)

_PASSWORD_ENDS: Final = (
    "password", "passwd", "passwrd", "passphrase", "passcode", "passwort", "kennwort", "pwd",
    "contrasena", "motdepasse", "wachtwoord", "senha", "lozinka", "parola",
)  # fmt: skip
_PASS_BEFORE: Final = frozenset(
    {"db", "user", "smtp", "ftp", "mail", "email", "mysql", "pg", "redis", "admin", "root", "auth",
     "ssh", "ssl", "key", "proxy", "http", "ldap", "rabbitmq", "mongo", "login", "wifi", "vpn",
     "database", "postgres", "imap", "keystore", "store", "cert", "api", "basic"}
)  # fmt: skip

_KEY_ENDS: Final = re.compile(
    r"(?:api|app|application|access|account|secret|private|encryption|encrypt|decryption|crypto"
    r"|signing|sign|signature|master|auth|authentication|authorization|storage|subscription|shared"
    r"|preshared|psk|consumer|client|customer|hmac|deploy|deployment|ssh|rsa|dsa|ecdsa|gpg|pgp|root"
    r"|admin|service|session|webhook|cipher|aes|des|jwt|jwk|server|write|ingest|ingestion"
    r"|integration|license|licence|vault|unseal|recovery|bot|sas|management|instrumentation"
    r"|wallet|validator|wireguard|sharedaccess|security|symmetric|cookie|csrf|salt|pass|user"
    r"|function|automation|personal|developer|partner|merchant|production|live|internal|license)"
    r"keys?(?:id|value|base|base64|b64|hex|data|primary|secondary)?$"
)
_NOT_KEYS: Final = re.compile(r"public|publishable|foreign|sortkey|cachekey|userkeyboard")
_SECRET_ENDS: Final = re.compile(
    r"secrets?(?:keys?|accesskeys?|keybase|value|token|id|text|string|data)?$"
)
_STRONG_TOKENS: Final = re.compile(
    r"(?:access|refresh|auth|authentication|authorization|api|id|bearer|session|csrf|xsrf|security"
    r"|private|personal|personalaccess|pat|bot|app|user|service|serviceaccount|deploy|registry|npm"
    r"|github|gh|gitlab|hf|slack|oauth|sso|jwt|login|reset|confirmation|verification|invite|secret"
    r"|middleware|authenticity|requestverification|verify|device|push|webhook|vault|client|admin"
    r"|root|master|cloud|identity|web|magic|signin|unsubscribe|sas|password|recovery|activation"
    r"|x|my|the|delegation|impersonation|federated)tokens?(?:value|secret|id)?$"
)
_NOT_TOKENS: Final = re.compile(
    r"(?:page|next|prev|previous|continuation|cursor|sync|max|min|input|output|prompt|completion"
    r"|start|end|stop|pad|eos|bos|unk|mask|sep|cls|special|design|num|per|cancel|cancellation"
    r"|new|total|used|cached|reasoning|first|last|current|lookahead|sub|word|text|char|color"
    r"|colour|theme|spacing|erc|nft|governance|utility|native|base|quote|stable|reward)tokens?$"
)
_SESSION_ENDS: Final = re.compile(
    r"(?:sessionid|sessid|sessionuuid|sessiontoken|sessioncookie|sessionguid|connectsid"
    r"|laravelsession|ciid|cfduid|sessionsid|authsession|usersession|loginsession)$"
    r"|^aspsessionid|^wordpressloggedin"
)
_PHRASE_ENDS: Final = re.compile(
    r"(?:mnemonic|mnemonicphrase|seedphrase|seedwords|recoveryphrase|backupphrase|secretphrase"
    r"|recoverycodes?|backupcodes?|mnemonicwords)$"
)
_ENDPOINT_NAMES: Final = re.compile(
    r"(?:websocketdebuggerurl|websocketdebugger|debuggerurl|debuggerfullscreenurl"
    r"|devtoolsfrontendurl|devtoolsurl|connecturl|connectionurl|cdpurl|cdpwsurl|cdpendpoint"
    r"|cdpwsendpoint|wsendpoint|browserwsendpoint|browserwsurl|wsconnecturl|liveviewurl"
    r"|browserliveviewurl|liveurl|sessionviewerurl|debugurl|seleniumremoteurl"
    r"|remotedebuggingurl|computeractionsurl|websocketurl|cdpconnecturl)$"
)
_CARD_NAMES: Final = frozenset(
    {"cardnumber", "ccnumber", "ccnum", "creditcard", "creditcardnumber", "cardno", "cardnum",
     "primaryaccountnumber", "debitcardnumber", "cardpan"}
)  # fmt: skip
_PIN_KINDS: Final = {
    "cvv": "cvv", "cvc": "cvv", "csc": "cvv", "cvn": "cvv", "securitycode": "cvv",
    "cardsecuritycode": "cvv", "pin": "pin", "pincode": "pin", "otp": "otp", "totp": "otp",
    "otpcode": "otp", "totpcode": "otp", "mfacode": "otp", "tfacode": "otp", "2facode": "otp",
    "onetimecode": "otp", "twofactorcode": "otp", "smscode": "otp", "totpsecret": "otp",
}  # fmt: skip
_TAILS: Final = {
    "cookie": Name("cookie", Level.COOKIE),
    "cookies": Name("cookie", Level.COOKIE),
    "authorization": Name("authorization", Level.AUTH),
    "jwt": Name("token", Level.TOKEN),
    "jwe": Name("token", Level.TOKEN),
    "bearer": Name("token", Level.WEAK),
    "credential": Name("credential", Level.TOKEN),
    "credentials": Name("credential", Level.TOKEN),
    "creds": Name("credential", Level.TOKEN),
    "signature": Name("signature", Level.TOKEN),
    "hmac": Name("signature", Level.TOKEN),
    "sig": Name("signature", Level.WEAK),
    "sid": Name("session", Level.WEAK),
    "session": Name("session", Level.WEAK),
    "sess": Name("session", Level.WEAK),
    "auth": Name("auth", Level.WEAK),
    "csrf": Name("token", Level.TOKEN),
    "xsrf": Name("token", Level.TOKEN),
    "samlresponse": Name("assertion", Level.TOKEN),
    "samlrequest": Name("assertion", Level.TOKEN),
    "assertion": Name("assertion", Level.TOKEN),
    "verifier": Name("code", Level.TOKEN),
    "pass": Name("password", Level.WEAK),
    "pw": Name("password", Level.WEAK),
}
_QUERY_NAMES: Final = {
    name: Name(kind, Level.WEAK, query_only=True)
    for kind, names in {
        "key": "key keypairid",
        "code": "code oobcode authcode accesscode usercode devicecode logincode verificationcode",
        "state": "state nonce",
        "ticket": "ticket loginticket authticket serviceticket",
        "token": (
            "tok tkn magic invite invitation hdnts hdnea otk proof sso policy st sas verify confirm"
        ),
        "signature": "sign mac hmacsha256",
    }.items()
    for name in names.split()
}

_WORKING_DIRECTORIES: Final = frozenset({"PWD", "OLDPWD"})
_ADDITIONS: Final = frozenset(
    {"json", "value", "raw", "b64", "base64", "plaintext", "env", "again"}
)
_SPLIT: Final = re.compile(
    r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])",
)


@lru_cache(maxsize=4096)
def classify_name(name: str) -> Name | None:
    """What a name in any spelling (snake, kebab, camel, glued) says of its value, if anything."""
    parts = [part.lower() for part in _SPLIT.split(name) if part]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _ADDITIONS):
        parts.pop()
    if not parts or name in _WORKING_DIRECTORIES:
        return None
    tail = parts[-1].rstrip("0123456789") or parts[-1]
    joined = "".join(parts[:-1]) + tail
    return (
        _by_password(parts, tail, joined)
        or _by_special(tail, joined)
        or _by_key(name, parts, joined)
        or _by_token(tail, joined)
        or _TAILS.get(tail)
        or _TAILS.get(joined)
        or _QUERY_NAMES.get(joined)
    )


def _by_password(parts: list[str], tail: str, joined: str) -> Name | None:
    if joined.removesuffix("s").endswith(_PASSWORD_ENDS) or joined.endswith(_PASSWORD_ENDS):
        return _PASSWORD
    if tail in {"pass", "pw"} and len(parts) > 1 and parts[-2] in _PASS_BEFORE:
        return _PASSWORD
    return None


def _by_special(tail: str, joined: str) -> Name | None:
    if joined in _CARD_NAMES:
        return Name("card", Level.CARD)
    pin = _PIN_KINDS.get(joined) or _PIN_KINDS.get(tail)
    if pin is not None:
        return Name(pin, Level.CODE if pin == "otp" else Level.PIN)
    if _PHRASE_ENDS.search(joined):
        return Name("phrase", Level.PHRASE)
    if _ENDPOINT_NAMES.search(joined):
        return _ENDPOINT
    return None


def _by_key(name: str, parts: list[str], joined: str) -> Name | None:
    if _SECRET_ENDS.search(joined):
        return _SECRET
    if _NOT_KEYS.search(joined):
        return None
    if _KEY_ENDS.search(joined):
        return _KEY
    if parts[-1] == "key" and len(parts) > 1:
        if parts[0] == "x":
            return _KEY
        if name.isupper():
            return Name("key", Level.WEAK)
    return None


def _by_token(tail: str, joined: str) -> Name | None:
    if _SESSION_ENDS.search(joined):
        return _SESSION
    if not joined.endswith(("token", "tokens")):
        return _SECRET_TOKEN if _STRONG_TOKENS.search(joined) else None
    if _NOT_TOKENS.search(joined) or tail == joined == "tokens":
        return None
    return _SECRET_TOKEN if _STRONG_TOKENS.search(joined) else _TOKEN
