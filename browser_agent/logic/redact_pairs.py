"""Secrets that stand beside their name: ``name=value``, ``"name": "value"``, ``--name value`` …

Owns the syntaxes. What a name means is in :mod:`redact_names`, whether the value is a secret in
:mod:`redact_judge`; headers have rules of their own in :mod:`redact_headers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from browser_agent.logic import redact_markup as markup
from browser_agent.logic.redact_headers import mask_authorization, mask_cookies
from browser_agent.logic.redact_judge import Syntax, is_secret_value
from browser_agent.logic.redact_names import Level, classify_name
from browser_agent.logic.redact_place import (
    ASSIGNED_VALUE,
    BARE_VALUE,
    OBJECT_VALUE,
    QUERY_VALUE,
    QUOTE,
    Place,
    closing_of,
    mask_bare,
    mask_quoted,
)
from browser_agent.logic.redact_spans import Span

_NAME_BYTES: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_MAX_NAME: Final = 64
_REST_OF_NAME: Final = re.compile(
    rb"[A-Za-z0-9_.\-]{0,64}+(?:[ ](?i:keys?|token|secret|id|phrase|words|codes?|number|value)\b)?"
)
_SPELLED_OUT: Final = re.compile(
    "(?i:mot de passe|contraseña|identified by|convertto-securestring)"
    "|пароль|Пароль|密码|密碼|パスワード|비밀번호".encode()
)

_CLOSE: Final = rb"(?:" + QUOTE + rb"|[\])*_])"
_EQUALS: Final = (
    rb"(?P<eq>:=|[=-]>|={1,3}|%(?:25){0,2}3[dD]|\\{1,4}u003[dD]"
    rb"|&\#0{0,3}61;|&\#[xX]3[dD];|&equals;)"
)
_COLON: Final = rb"(?P<colon>:|\xef\xbc\x9a|%(?:25){0,2}3[aA]|\\{1,4}u003[aA]|&\#0{0,3}58;|&colon;)"
_TAGS: Final = rb"(?:</?[A-Za-z][^<>\n]{0,80}>[ \t]{0,4}){0,3}"
_PAIR: Final = re.compile(
    _CLOSE + rb"{0,4}(?:[ \t]?\[[^\[\]\n]{1,40}\]){0,4}(?:[ ]\([^()\n]{1,24}\))?[ \t]{0,8}" + _TAGS
    + rb"(?:" + _EQUALS + rb"(?P<gap>[ \t]{0,16})|"
    + _COLON + rb"(?P<space>[ \t]{0,16}(?P<line>(?:\r?\n|\\n)[ \t]{0,16})?))"
    + rb"(?:\*\*[ \t]{0,4}|!!?[a-z]{1,10}[ ])?" + _TAGS
    + rb"(?:(?<=[ :=])[A-Za-z_][\w.\[\]|]{0,40}[ \t]{0,2}=[ \t]{0,2}(?=[\"'`]))?"
    + rb"(?:[bBrRuUfF]{1,2}(?=[\"']))?(?P<open>" + QUOTE + rb")?"
)  # fmt: skip
_CALL: Final = re.compile(QUOTE + rb"[ \t]{0,4},[ \t]{0,4}(?P<open>" + QUOTE + rb")")
_LOOSE: Final = re.compile(
    _CLOSE + rb"{0,3}(?:[ \t]{1,4}(?:(?:is|was|are|equals|ist|est)(?: now)?[: \t]{1,4})?|\t{1,4}"
    rb"|[ \t]{1,16}\|[ \t]{1,16}"
    rb"|[ \t]{0,4}\r?\n[ \t]{0,8})(?P<open>"
    + QUOTE
    + rb")?(?=[A-Za-z0-9!@#$%^&*+=~/_.-][^\s\"'<>`]{7})"
)
_OPTION: Final = re.compile(rb"[ \t]{1,4}(?P<open>[\"'])?")
_BEFORE_OPTION: Final = frozenset({b"", b" ", b"\t", b"\n", b'"', b"'", b"[", b"(", b"`", b","})
_AFTER_STRING: Final = frozenset({b"", b",", b";", b")", b"+", b"}", b"]", b" ", b"\n", b"\r"})
_BLOCK: Final = re.compile(rb"[|>][+-]?[ \t]*\r?\n((?:[ \t]+[^\r\n]*(?:\r?\n|\Z)){1,100})")
_LIST_ITEM: Final = re.compile(rb"[\[,\s]{0,32}[\"']([^\"'\r\n]{1,512})[\"']")
_LIST_BYTES: Final = 4096

_BEFORE_QUERY: Final = re.compile(
    rb"(?:[?&#]|&amp;|&\#38;|%(?:25){0,2}(?:3[fF]|26|23)|\\{1,4}u0026)[/!]{0,2}\Z"
)
_NEXT_PARAMETER: Final = re.compile(rb"[^\s&\"'<>]{1,160}+&[A-Za-z_][\w.-]{0,40}=")
_LINE_START: Final = re.compile(
    rb"(?:\A|[\r\n])[ \t]{0,8}(?:(?:export|set|setx|ENV|ARG|env)[ \t]+)?\Z"
)
_LETTERS: Final = re.compile(rb"[A-Za-z]+[),.;(\[]")

_Syntax = Callable[[Place, list[Span]], int]


def pair_rule(data: bytes, start: int, end: int, found: list[Span]) -> int:
    """Look at the name around a trigger and mask the value beside it."""
    del end
    place = _place_of(data, start)
    if place is None:
        return start + 3
    count = len(found)
    for look in _SYNTAXES:
        if place.name.query_only and look is not _pair:
            break
        resume = look(place, found)
        if resume:
            return resume if len(found) > count else place.end
    return place.end


def _place_of(data: bytes, start: int) -> Place | None:
    foreign = _SPELLED_OUT.match(data, start)
    if foreign is not None:
        name = classify_name("password")
        return Place(data, start, foreign.end(), name) if name is not None else None
    name_start = _name_start(data, start)
    if data[max(0, name_start - 10) : name_start] == b"[REDACTED:":
        return None
    rest = _REST_OF_NAME.match(data, start)
    end = rest.end() if rest is not None else start
    name = classify_name(data[name_start:end].decode("ascii", "ignore"))
    if name is None:
        return None
    return Place(data, name_start, max(end, start + 1), name)


def _name_start(data: bytes, start: int) -> int:
    """Extend a name to the left, but not over the end of an escape."""
    window = data[max(0, start - _MAX_NAME) : start]
    head = window.rstrip(_NAME_BYTES)
    name_start = start - len(window) + len(head)
    if head.endswith(b"%"):
        while data[name_start : name_start + 2] == b"25" and name_start + 2 < start:
            name_start += 2
        name_start += 2
    elif head.endswith(b"\\"):
        first = data[name_start : name_start + 1]
        name_start += {b"u": 5, b"x": 3}.get(first, 1 if first in {b"n", b"r", b"t"} else 0)
    return min(name_start, start)


def _pair(place: Place, found: list[Span]) -> int:
    after = _PAIR.match(place.data, place.end)
    if after is None:
        return 0
    is_header = place.name.level in {Level.COOKIE, Level.AUTH}
    if is_header and not _is_parameter(place, after):
        return _header(place, after.end(), after["open"], found)
    if not after["open"]:
        return _unquoted(place, after, found)
    if place.name.query_only or _ends_a_string(place, after):
        return 1
    syntax = Syntax.QUOTED
    return mask_quoted(place, after.end(), after["open"], syntax=syntax, found=found) or 1


def _unquoted(place: Place, after: re.Match[bytes], found: list[Span]) -> int:
    at = after.end()
    first = place.data[at : at + 1]
    if first == b"[" and place.name.level is not Level.WEAK:
        return _list(place, at, found)
    block = _BLOCK.match(place.data, at) if first in {b"|", b">"} and after["colon"] else None
    if block is not None:
        return _indented(place, block, found)
    if after["eq"]:
        return _assigned(place, after, found)
    if place.name.query_only:
        return 1
    syntax = Syntax.LOOSE if after["line"] else Syntax.COLON
    if place.data[place.start - 1 : place.start] == b":":
        return 1  # arn:…:secret:name
    run = BARE_VALUE if after["space"] else OBJECT_VALUE
    sep = after["colon"]
    return mask_bare(place, at, run, syntax=syntax, found=found, separator=sep) or 1


def _assigned(place: Place, after: re.Match[bytes], found: list[Span]) -> int:
    at, sep = after.end(), after["eq"]
    if _is_parameter(place, after):
        syntax, run = Syntax.QUERY, QUERY_VALUE
    elif place.name.query_only or len(sep.strip(b"=")) < len(sep) - 1 or _is_argument(place, at):
        return 1
    else:
        syntax = Syntax.ASSIGN
        run = BARE_VALUE if _LINE_START.search(place.before) else ASSIGNED_VALUE
    return mask_bare(place, at, run, syntax=syntax, found=found, separator=sep) or 1


def _ends_a_string(place: Place, after: re.Match[bytes]) -> bool:
    """``print("Password: ", …)``: the quote after the colon closes, it does not open."""
    quote = after["open"]
    if quote not in {b'"', b"'"} or place.data[after.end() : after.end() + 1] not in _AFTER_STRING:
        return False
    line = place.data[max(0, place.start - 200) : after.start("open")].rpartition(b"\n")[2]
    return line.count(quote) % 2 == 1


def _indented(place: Place, block: re.Match[bytes], found: list[Span]) -> int:
    """``password: |`` and the lines below it."""
    first = block[1].lstrip().split(b"\n", 1)[0].rstrip()
    if not is_secret_value(first, place.name.level, Syntax.QUOTED):
        return 1
    return place.mask(block.start(1), block.start(1) + len(block[1].rstrip()), found)


def _header(place: Place, at: int, opened: bytes | None, found: list[Span]) -> int:
    mask = mask_cookies if place.name.level is Level.COOKIE else mask_authorization
    around = place.data[place.start - 1 : place.start] if place.start else b""
    closing = closing_of(opened) or (around if around in {b'"', b"'"} else b"")
    return mask(place.data, at, closing, found)


def _list(place: Place, at: int, found: list[Span]) -> int:
    """``api_keys: ["…", "…"]``; stops at the first item that is no string."""
    last = 1
    item = _LIST_ITEM.match(place.data, at)
    while item is not None and item.end() - at < _LIST_BYTES:
        if is_secret_value(item[1], place.name.level, Syntax.QUOTED):
            last = place.mask(item.start(1), item.end(1), found)
        item = _LIST_ITEM.match(place.data, item.end())
    return last


def _is_parameter(place: Place, after: re.Match[bytes]) -> bool:
    """``?name=value`` or ``name=value&other=…``"""
    if not after["eq"] or after["gap"] or after["open"]:
        return False
    if _BEFORE_QUERY.search(place.before):
        return True
    return _NEXT_PARAMETER.match(place.data, after.end()) is not None


def _is_argument(place: Place, at: int) -> bool:
    """``connect(user, password=value)``: a variable of the code that is shown."""
    line = place.data[max(0, place.start - 80) : place.start]
    inside = line.rfind(b"(") > max(line.rfind(b")"), line.rfind(b"\n"))
    return inside and _LETTERS.match(place.data, at) is not None


def _call(place: Place, found: list[Span]) -> int:
    """``setItem("token", "value")``"""
    after = _CALL.match(place.data, place.end)
    if after is None:
        return 0
    if place.name.level in {Level.COOKIE, Level.AUTH}:
        return _header(place, after.end(), after["open"], found)
    return mask_quoted(place, after.end(), after["open"], syntax=Syntax.LOOSE, found=found) or 1


def _option(place: Place, found: list[Span]) -> int:
    """``--password value``"""
    before = place.data[place.start - 1 : place.start] if place.start else b""
    if place.data[place.start : place.start + 1] != b"-" or before not in _BEFORE_OPTION:
        return 0
    after = _OPTION.match(place.data, place.end)
    if after is None or place.name.level in {Level.COOKIE, Level.AUTH}:
        return 0
    return _spaced(place, after, Syntax.ASSIGN, found)


def _loose(place: Place, found: list[Span]) -> int:
    """``the password is value``, ``password value``, a label above its value."""
    after = _LOOSE.match(place.data, place.end)
    if after is None:
        return 0
    if place.name.level in {Level.COOKIE, Level.AUTH}:
        return _header(place, after.end(), after["open"], found)
    return _spaced(place, after, Syntax.LOOSE, found)


def _spaced(place: Place, after: re.Match[bytes], syntax: Syntax, found: list[Span]) -> int:
    if after["open"]:
        return mask_quoted(place, after.end(), after["open"], syntax=syntax, found=found)
    return mask_bare(place, after.end(), BARE_VALUE, syntax=syntax, found=found)


_SYNTAXES: Final[tuple[_Syntax, ...]] = (
    _pair,
    _call,
    markup.attribute,
    markup.element,
    markup.cell,
    _option,
    _loose,
)
