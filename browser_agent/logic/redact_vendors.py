"""Keys and tokens that are known by their own look, whatever stands beside them.

Owns the table of families: what a token begins with and which bytes follow. A new family is one
word in the table.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from browser_agent.logic.redact_judge import is_noisy
from browser_agent.logic.redact_spans import Span, begins_word


class _Family(NamedTuple):
    """Prefixes (space-separated) and the ``body`` that follows.

    A ``noisy`` body must mix letters with digits or cases, as words do not.
    """

    prefixes: str
    body: bytes
    noisy: bool = True


_BASE62: Final = rb"[A-Za-z0-9]{16,400}"
_LONG: Final = rb"[A-Za-z0-9]{28,400}"
_SAFE: Final = rb"[A-Za-z0-9_-]{20,400}"
_PADDED: Final = rb"[A-Za-z0-9_.+/=-]{24,400}"
_HEX: Final = rb"[0-9a-fA-F]{30,400}"
_UUID: Final = rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

# Prefixes that no word ends with are found anywhere; the others only where a word begins.
_ANYWHERE: Final = (
    _Family(
        "ghp_ gho_ ghu_ ghs_ ghr_ gsk_ npm_ sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ sk_org_"
        " ek_live_ ek_test_ whsec_ bb_live_ bb_test_ lin_api_ lin_oauth_ apify_api_ apify_proxy_"
        " rubygems_ shippo_live_ shippo_test_ sqp_ squ_ sqa_ mdb_sa_sk_ rdme_ alcht_ phx_"
        " packagist_ api_org_ ddapi_ tr_dev_ tr_prod_ hcaik_ sec_live_ wandb_v1_ live_sk_ test_sk_"
        " prod_sk_ hb_live_ bu_live_ ste-live- key_live_ key_test_ sk_kernel_",
        _BASE62,
    ),
    _Family(
        "sk-proj- sk-svcacct- sk-admin- sk-None- sk-ant- sk-or- sk-lf- sk-litellm- pcsk_ tvly-"
        " nvapi- pplx- xai- jina_ tgp_v1_ lsv2_pt_ lsv2_sk_ GOCSPX- github_pat_ glpat- gldt- glrt-"
        " glptt- glsoat- glcbt- glft- glimt- glagent- gloas- glffct- GR1348941 pypi-AgE dckr_pat_"
        " dckr_oat_ nfp_ nfc_ nfo_ NRAK- NRJS- NRII- NRAL- figd_ figo_ figu_ CCIPAT_ CCIPRJ_ PMAK-"
        " CFPAT- HRKU- tfp_ xkeysib- xsmtpsib- FLWSECK- FLWSECK_ sq0atp- sq0csp- tskey-api-"
        " tskey-auth- tskey-client- tskey-scim- tskey-webhook- signkey-prod- signkey-test-"
        " secret-live- secret-test- hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. pscale_tkn_"
        " pscale_oauth_ pscale_pw_ sb_secret_ fm1_ fm2_ vercel_blob_rw_ fio-u- access-sandbox-"
        " access-production- access-development- zpka_ unkey_ duffel_live_ duffel_test_ sl.u."
        " ops_eyJ sk-kimi- sgamp_ ctx7sk- cfat_ cfut_",
        _SAFE,
    ),
    _Family("ATATT3 ATCTT3 ATBB ATSTT3 sntrys_ sntryu_ glc_ glsa_ AQ.Ab8 dt0c01. dt0s01.", _PADDED),
    _Family("shpat_ shpca_ shppa_ shpss_ shptka_ shprt_ dop_v1_ doo_v1_ dor_v1_ sbp_ sgp_", _HEX),
    _Family("napi_", rb"[a-z0-9]{40,100}"),
    _Family("access_token$production$ access_token$sandbox$", rb"[A-Za-z0-9]{8,40}\$[0-9a-f]{32}"),
    _Family("AGE-SECRET-KEY-", rb"[0-9A-Z]{40,80}"),
    _Family(
        "xoxa- xoxb- xoxc- xoxd- xoxo- xoxp- xoxr- xoxs- xoxe- xoxe. xapp- xwfp-",
        rb"[A-Za-z0-9%.+/=-]{16,400}",
    ),
)
_WHOLE_WORDS: Final = (
    _Family(
        "sk- r8_ hf_ re_ co_ fw_ ntn_ e2b_ dtn_ rpa_ pnu_ vcp_ vci_ vca_ vcr_ vck_  rnd_ fal_"
        " csk- fpk_ hl_ sk_ bu_ AKCp oy2 sess- CLOJARS_ oauth: bkua_ slk_ ste- ico-",
        _LONG,
    ),
    _Family("re_", rb"[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,40}"),
    _Family(
        "fo1_ ya29. 1//0 sl. IGQV EAAA y0_ t1. AQVN vk1.a. fat_ ABSK IQoJb3JpZ2lu FwoGZXIvYXdz",
        rb"[A-Za-z0-9_.+/=-]{36,400}",
    ),
    _Family("live_ dapi pul- hb_ fc- key- SK cfk_ dose", rb"[0-9a-f]{32,64}(?:-[0-9])?"),
    _Family("EAA", rb"[A-Za-z0-9]{80,400}"),
    _Family("AIza", rb"[A-Za-z0-9_-]{30,60}"),
    _Family("AKIA ASIA ABIA ACCA", rb"[A-Z0-9]{16}(?![A-Za-z0-9])", noisy=False),
    _Family("LTAI AKID", rb"[A-Za-z0-9]{12,40}"),
    _Family("EZAK EZTK", rb"[A-Za-z0-9]{50,70}"),
    _Family("cio", rb"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _Family("nsec1", rb"[a-z0-9]{50,70}"),
    _Family("xprv yprv zprv tprv", rb"[1-9A-HJ-NP-Za-km-z]{100,120}"),
    _Family("SG.", rb"[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{30,60}"),
    _Family("pk_", rb"(?:[0-9]{3,12}_[A-Z0-9]{28,40}|[0-9a-f]{34})"),
    _Family("pat-na1- pat-na2- pat-eu1- pat-ap1- sdk- mob- api-", _UUID),
    _Family("pat", rb"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _Family("sha256~", rb"[A-Za-z0-9_-]{40,50}"),
    _Family("v1.0-", rb"[0-9a-f]{24}-[0-9a-f]{100,160}"),
    _Family("secret_", rb"[A-Za-z0-9]{40,60}"),
    _Family("sk.eyJ", rb"[A-Za-z0-9_-]{16,4000}\.[A-Za-z0-9_-]{10,200}"),
)
_MIDDLES: Final = (
    # The rare part stands in the middle: (trigger, bytes before it, whole token).
    (rb":AA[A-Za-z0-9_-]{6}", 12, rb"[0-9]{7,11}:AA[A-Za-z0-9_-]{30,60}"),  # Telegram
    (
        rb"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}",
        30,
        rb"[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,60}",
    ),  # Discord
    (
        rb"[78]Q~[A-Za-z0-9_.~-]{10}",
        4,
        rb"[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,40}",
    ),  # Azure
    (rb"[0-9a-f]-us[0-9]", 34, rb"[0-9a-f]{32}-us[0-9]{1,2}"),  # Mailchimp
    (rb"\.atlasv1\.", 16, rb"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,90}"),  # Terraform
)
_HEAD: Final = 2
_TAIL: Final = re.compile(rb"[A-Za-z0-9_-]*=*")


def vendor_trigger() -> bytes:
    """One RE2 pattern (Latin-1) that stops wherever a token may begin or has its rare part."""
    known = [prefix for prefix in _prefixes(_ANYWHERE) if prefix != b"napi_"]
    anywhere = b"|".join(map(re.escape, known))
    words = b"|".join(re.escape(one) for one in _prefixes(_WHOLE_WORDS) if one != b"pat")
    middles = b"|".join(trigger for trigger, _, _ in _MIDDLES)
    return (
        rb"(?:"
        + anywhere
        + rb")[A-Za-z0-9]|(?:"
        + words
        + rb")[A-Za-z0-9_-]{8}|napi_[a-z0-9]{24}|pat[A-Za-z0-9]{14}\.|"
        + middles
    )


def _prefixes(families: tuple[_Family, ...]) -> list[bytes]:
    return sorted({word.encode() for family in families for word in family.prefixes.split()})


def vendor_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """Mask the token that a trigger announced, if the whole of it is there."""
    del end
    head = data[start : start + _HEAD]
    token = _anchored(head, anywhere=True).match(data, start)
    if token is None and begins_word(data, start):
        token = _anchored(head, anywhere=False).match(data, start)
    if token is None:
        token = _around(data, start)
    if token is None or not _is_noisy(token):
        return start + 1
    stop = _end_of(data, token.end())
    found.append(Span(token.start(), stop, "key"))
    return max(stop, start + 1)


def _is_noisy(token: re.Match[bytes]) -> bool:
    return token.lastgroup != "noisy" or is_noisy(token["noisy"])


def _end_of(data: bytes, at: int) -> int:
    tail = _TAIL.match(data, at)
    return tail.end() if tail is not None else at


@cache
def _anchored(head: bytes, *, anywhere: bool) -> re.Pattern[bytes]:
    """Every family whose prefix begins with ``head``, longest prefix first."""
    known = [
        (prefix, family)
        for family in (_ANYWHERE if anywhere else _WHOLE_WORDS)
        for prefix in map(str.encode, family.prefixes.split())
        if prefix.startswith(head)
    ]
    known.sort(key=lambda one: -len(one[0]))
    noisy = [re.escape(prefix) + family.body for prefix, family in known if family.noisy]
    plain = [re.escape(prefix) + family.body for prefix, family in known if not family.noisy]
    choices = [rb"(?P<noisy>" + b"|".join(noisy) + rb")"] if noisy else []
    return re.compile(b"|".join((*choices, *plain)) or rb"(?!)")


@cache
def _middle_patterns() -> tuple[tuple[re.Pattern[bytes], int, re.Pattern[bytes]], ...]:
    return tuple(
        (re.compile(trigger), back, re.compile(whole)) for trigger, back, whole in _MIDDLES
    )


def _around(data: bytes, start: int) -> re.Match[bytes] | None:
    for trigger, back, whole in _middle_patterns():
        if trigger.match(data, start):
            token = whole.search(data, max(0, start - back), start + 128)
            if token is not None and token.end() > start:
                return token
    return None
