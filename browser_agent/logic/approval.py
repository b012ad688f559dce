"""What an action is for, whether its arguments were taken from a page, and what the rules say.

Owns the classification of one call by its tool, its element and the Results shown before it. It
is a help for careful operators and no proof: a button may do something else than it says. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import unquote_plus, urlsplit

from browser_agent._text import drop_invisible, fold
from browser_agent._urls import origin_of
from browser_agent.records.approval import Action, ActionPolicy, ActionRule, Purpose, Ruling

TAINT_CHARS: Final = 12
"""So many characters in a row are no coincidence."""

_LONGEST: Final = 4000
_LABEL_WORDS: Final = 6
_LINK_WORDS: Final = 3
"""A longer name is a headline that speaks of buying, not a button that buys."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_PAY: Final = frozenset(
    _WORD.findall(
        "pay payment buy purchase order checkout donate bezahlen zahlen kaufen bestellen"
        " zahlungspflichtig kostenpflichtig spenden acheter payer commander comprar pagar pedir"
        " acquista acquistare compra paga ordina kopen betalen bestel afrekenen kup zapłać zamów"
        " köp betala beställ køb betal купить оплатить заказать satın öde شراء ادفع"
    )
)
_DELETE: Final = frozenset(
    _WORD.findall(
        "delete remove erase destroy wipe löschen entfernen supprimer effacer retirer eliminar"
        " borrar quitar excluir apagar remover elimina eliminare cancella rimuovi verwijder"
        " verwijderen usuń skasuj radera slet slett удалить стереть sil kaldır حذف"
    )
)
_PAY_SIGNS: Final = re.compile("购买|支付|付款|下单|購買|購入|支払|注文|구매|결제|주문")
_DELETE_SIGNS: Final = re.compile("删除|移除|刪除|削除|삭제|제거")
_NO_ORDER: Final = re.compile(
    r"\b(?:order (?:by|history|status|details?|number|of)|(?:sort|in|reverse|my|your|view) order)\b"
    r"|\bpayment (?:methods?|history|options?)\b"
)
_CARD_FIELD: Final = re.compile(
    r"(?:^|[^a-z])(?:cc|card|credit|iban|cvv|cvc)(?:[^a-z]|$)|card_?num|cardholder|creditcard"
)
_PAY_PATH: Final = re.compile(r"/(?:checkout|pay|payments?|purchase|place-?order|buy)(?:[/.?]|$)")
_FILE: Final = re.compile(
    r"\.(?:zip|gz|tgz|7z|rar|exe|msi|dmg|pkg|deb|rpm|iso|apk|csv|xlsx?|docx?)$"
)

_POINTED: Final = frozenset({"browser_click", "browser_press_key", "browser_type"})
_SENDS_FILES: Final = frozenset({"browser_file_upload", "browser_drop"})
_GOES: Final = frozenset({"browser_navigate", "browser_tabs"})
_WRITTEN: Final = ("url", "text", "fields", "promptText", "data", "values")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Text that was read from one origin, normalised by :func:`normal`."""

    origin: str | None
    text: str


def normal(text: str) -> str:
    """Text for comparison: typography, case, spacing and what cannot be seen make no difference."""
    return " ".join(fold(drop_invisible(text)).casefold().split())


def classify(
    tool: str, arguments: Mapping[str, object], about: Mapping[str, object]
) -> Purpose | None:
    """What a call is for. ``about``: what the page says of the element (``describe``), or empty."""
    if tool in _SENDS_FILES:
        return Purpose.UPLOAD if tool == "browser_file_upload" or arguments.get("paths") else None
    if tool not in _POINTED or (tool == "browser_type" and not arguments.get("submit")):
        return None
    if tool == "browser_press_key" and "enter" not in str(arguments.get("key", "")).casefold():
        return None
    form = _mapping(about.get("form"))
    submits = tool != "browser_click" or (form and about.get("type") in ("submit", "image"))
    named = _named_purpose(tool, arguments, about)
    if named is not None:
        return named
    if submits:
        return Purpose.PAYMENT if _takes_money(form) else Purpose.SUBMIT
    path = urlsplit(str(about.get("href") or "")).path.casefold() if about.get("href") else ""
    return Purpose.DOWNLOAD if _FILE.search(path) else None


def _named_purpose(
    tool: str, arguments: Mapping[str, object], about: Mapping[str, object]
) -> Purpose | None:
    if tool != "browser_click":
        return None
    names = [str(about.get("name") or ""), str(arguments.get("element") or "")]
    limit = _LINK_WORDS if about.get("role") == "link" else _LABEL_WORDS
    for label in map(normal, names):
        words = _WORD.findall(label)
        if len(words) > limit:
            continue
        if _DELETE.intersection(words) or _DELETE_SIGNS.search(label):
            return Purpose.DELETE
        if _PAY.intersection(_WORD.findall(_NO_ORDER.sub(" ", label))) or _PAY_SIGNS.search(label):
            return Purpose.PAYMENT
    return None


def _takes_money(form: Mapping[str, object]) -> bool:
    fields = cast("Iterable[object]", form.get("fields") or ())
    path = urlsplit(str(form.get("action") or "")).path.casefold()
    return any(_CARD_FIELD.search(str(one).casefold()) for one in fields) or bool(
        _PAY_PATH.search(path)
    )


def targets_of(
    tool: str, arguments: Mapping[str, object], about: Mapping[str, object], page: str | None
) -> tuple[str, ...]:
    """The origins that an action would reach; ``page`` is the URL of the page it is made on."""
    if tool in _GOES:
        urls = [str(arguments.get("url") or "")]
    else:
        form = _mapping(about.get("form"))
        urls = [str(about.get("frame_url") or page or ""), str(form.get("action") or "")]
        urls.append(str(about.get("href") or ""))
    found = (origin_of(url) for url in urls if url)
    return tuple(dict.fromkeys(origin for origin in found if origin is not None))


def has_text(tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether a call carries so much text that it could be taken from a page."""
    return any(len(text) >= TAINT_CHARS for _, text in _texts(tool, arguments))


def find_tainted(
    tool: str,
    arguments: Mapping[str, object],
    *,
    targets: Sequence[str],
    sources: Sequence[Source],
    trusted: str,
) -> tuple[str, ...]:
    """The arguments with text from a page that would go to another origin than it came from.

    ``trusted`` is what the user and the developer wrote, normalised. An address that a page shows
    as a whole is a link and carries nothing that the page did not offer.
    """
    if not targets:
        return ()
    apart = [any(source.origin != target for target in targets) for source in sources]
    foreign = [source.text for source, is_apart in zip(sources, apart, strict=True) if is_apart]
    home = [source.text for source, is_apart in zip(sources, apart, strict=True) if not is_apart]
    known = [trusted, *home]
    names: list[str] = []
    for name, text in _texts(tool, arguments):
        if name == "url" and any(text in shown for shown in (*home, *foreign)):
            continue
        if name not in names and _is_taken(_carried(name, text), foreign, known):
            names.append(name)
    return tuple(names)


def _is_taken(text: str, foreign: Sequence[str], known: Sequence[str]) -> bool:
    for start in range(len(text) - TAINT_CHARS + 1):
        piece = text[start : start + TAINT_CHARS]
        if any(piece in one for one in known):
            continue
        if any(piece in one for one in foreign):
            return True
    return False


def _carried(name: str, text: str) -> str:
    """What an address carries besides its host; other arguments as they are."""
    if name != "url":
        return text
    parts = urlsplit(text)
    return normal(unquote_plus(f"{parts.path} {parts.query} {parts.fragment}"))


def _texts(tool: str, arguments: Mapping[str, object]) -> list[tuple[str, str]]:
    names = ("url",) if tool in _GOES else _WRITTEN
    return [
        (name, normal(text)[:_LONGEST])
        for name in names
        for text in _strings(arguments.get(name))
        if not text.startswith("<secret:")
    ]


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return _strings(list(cast("Mapping[str, object]", value).values()))
    if isinstance(value, Sequence):
        return [text for item in cast("Sequence[object]", value) for text in _strings(item)]
    return []


def judge(policy: ActionPolicy, action: Action) -> Ruling:
    """The ruling of the first rule that fits, else the default."""
    return next((rule.ruling for rule in policy.rules if _fits(rule, action)), policy.default)


def _fits(rule: ActionRule, action: Action) -> bool:
    if rule.tool is not None and not _is_named(rule.tool, action.tool):
        return False
    if rule.origin is not None and (origin_of(rule.origin) or rule.origin) not in action.origins:
        return False
    if rule.purpose is not None and rule.purpose is not action.purpose:
        return False
    return rule.tainted is None or rule.tainted is bool(action.tainted)


def _is_named(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def describe_action(action: Action) -> str:
    """Why somebody is asked, in one sentence without any text of the page."""
    parts = [] if action.purpose is None else [action.purpose.value]
    if action.tainted:
        parts.append(f"{', '.join(action.tainted)} taken from a page of another origin")
    where = f" at {' and '.join(action.origins)}" if action.origins else ""
    return (", ".join(parts) or "acts on the world") + where


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
