"""Whether a sentence holds the kind of thing that a question asks for: a number with its unit, a
date, a name, a place, a cause, a piece of code.

Pure: one judge for each kind, no page and no site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from browser_agent.logic.nearness import bases_of
from browser_agent.logic.question import Kind, Question
from browser_agent.logic.stopwords import STOPWORDS
from browser_agent.logic.thesaurus import commonness


def _any_of(words: str) -> str:
    return "|".join(words.split())


_NUMBER_WORDS = _any_of(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
    thousand million billion dozen half twice thrice once daily weekly monthly yearly annually
    hourly every
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
    dos tres cuatro cinco seis siete ocho nueve diez doce quince veinte treinta cien mil
    deux trois quatre cinq sept huit neuf dix onze douze vingt trente cent mille"""
)
_TIME_WORDS = _any_of(
    """january february march april june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday century spring summer autumn winter midnight
    noon dawn dusk sunrise sunset
    januar februar märz juni juli oktober dezember montag dienstag mittwoch donnerstag freitag
    samstag sonntag jahrhundert
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes
    martes miércoles jueves viernes sábado domingo siglo
    janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi
    mercredi jeudi vendredi samedi dimanche"""
)
_PEOPLE_WORDS = _any_of(
    """people persons? man men woman women anyone those children visitors guests staff crew members
    owners? users? patients students workers"""
)
_NUMBER = re.compile(
    rf"(?<![\w.])[-−]?\d+(?:[,.   ]\d{{3}})*(?:[.,]\d+)?|\b(?:{_NUMBER_WORDS})(?:-\w+)?\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d,.])(?:1\d|20)\d{2}(?![\d,.]\d|\d)")
_TIME = re.compile(
    rf"(?<![\d,.])(?:1\d|20)\d{{2}}s?(?!\d)|\b(?:{_TIME_WORDS})\b|\b(?-i:May|Mai)\b"
    r"|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\bo['’]clock\b"
    r"|\b(?:at|past|to|from|until|till)\s+(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|half past|quarter)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-ZÀ-Þ][\w'’.-]+(?:\s+(?:(?:of|de|van|von|the)\s+)?[A-ZÀ-Þ][\w'’.-]+)*")
_PLACE = re.compile(
    r"\b(?:in|at|near|from|to|on|off|into|of|between|by|beside|outside|behind|under|above|over|along)"
    r"\s+(?:(?:the|an?)\s+)?(?:\w+\s+){0,2}[A-ZÀ-Þ]"
)
_COUNTED = re.compile(r"\bhow many\s+((?:[\w'’-]+\s*){1,3})", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(?:because|since|as|so that|due|owing|therefore|thus|hence|caus\w+|reason|in order"
    r"|to prevent|to avoid|weil|denn|porque)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(rf"\b(?:{_PEOPLE_WORDS})\b", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/])~?/[\w.-]+(?:/[\w.-]*)*")
_CODE = re.compile(
    r"(?<![\w/])~?/[\w.+-]+(?:/[\w.+-]*)*"  # a path
    r"|\b\w+_\w+|\b[\w.]+\(|\b[a-z]+[A-Z]\w+|\b[A-Z][A-Z0-9_]{2,}\b"  # names in programs
    r"|\b\w+\.[a-z]\w+|(?<![\w-])--?[a-z][\w-]*|\$\w+"  # files, options, variables
    r"|[\"“‘`'][^\"”’`'\s]{2,40}[\"”’`']"  # one word in quotes
)
_CURRENCY = tuple("$€£¥")


def fitness(question: Question, sentence: str) -> float:
    """How well a sentence holds the kind of thing that the question asks for, 0 to 1."""
    judge = _FITNESS.get(question.kind)
    return _ANYTHING if judge is None else judge(question, sentence)


def _time_fit(question: Question, sentence: str) -> float:
    asked = set(_TIME.findall(question.text))
    return 1.0 if set(_TIME.findall(sentence)) - asked else 0.0


def _person_fit(question: Question, sentence: str) -> float:
    if _new_names(question, sentence):
        return 1.0
    return 0.6 if _PEOPLE.search(sentence) else 0.0


def _place_fit(question: Question, sentence: str) -> float:
    if not _new_names(question, sentence):
        return 1.0 if _PATH.search(sentence) else 0.4
    return 1.0 if _PLACE.search(sentence) else 0.7


def _reason_fit(_question: Question, sentence: str) -> float:
    return 1.0 if _CAUSE.search(sentence) else 0.7


def _name_fit(question: Question, sentence: str) -> float:
    return 1.0 if _new_names(question, sentence) else 0.7


def _code_fit(question: Question, sentence: str) -> float:
    found = {match[0].strip("()") for match in _CODE.finditer(sentence)}
    return 1.0 if any(word not in question.text for word in found) else 0.6


def _number_fit(question: Question, sentence: str) -> float:
    asked = {match.strip(" ,.").lower() for match in _NUMBER.findall(question.text)}
    found = [m for m in _NUMBER.finditer(sentence) if m[0].strip(" ,.").lower() not in asked]
    if not found:
        return 0.0
    if question.measure is not None:
        return max(_unit_fit(question, sentence, match) for match in found)
    if all(_YEAR.fullmatch(match[0].strip(" ,.")) for match in found):
        return 0.3
    counted = _COUNTED.search(question.text)
    if counted is None:
        return 0.9
    wanted = bases_of(counted[1])
    near = (bases_of(sentence[match.end() : match.end() + 40]) for match in found)
    return 1.0 if any(wanted & words for words in near) else 0.75


def _unit_fit(question: Question, sentence: str, match: re.Match[str]) -> float:
    measure = question.measure
    if measure is None:
        return 0.5
    if measure.units.match(sentence[match.end() :].lstrip("%")):
        return 1.0
    if measure.name == "money" and sentence[: match.start()].rstrip()[-1:] in _CURRENCY:
        return 1.0
    return 0.2 if _YEAR.fullmatch(match[0].strip(" ,.")) else 0.5


def _new_names(question: Question, sentence: str) -> list[str]:
    asked = bases_of(question.text)
    names: list[str] = []
    for match in _NAME.finditer(sentence):
        words = bases_of(match[0])
        at_start = match.start() == 0 and " " not in match[0]
        plain = match[0].lower() in STOPWORDS or any(commonness(w) is not None for w in words)
        if at_start and plain:
            continue
        if not words <= asked:
            names.append(match[0])
    return names


_ANYTHING = 0.8
_FITNESS: Mapping[Kind, Callable[[Question, str], float]] = {
    Kind.NUMBER: _number_fit,
    Kind.TIME: _time_fit,
    Kind.PERSON: _person_fit,
    Kind.PLACE: _place_fit,
    Kind.REASON: _reason_fit,
    Kind.NAME: _name_fit,
    Kind.CODE: _code_fit,
}
