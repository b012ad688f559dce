"""Dates that a page states about itself, as exact as it states them."""

from __future__ import annotations

import pytest

from browser_agent.logic.stated_dates import StatedDates, parse_stated, read_dates


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-05-17", "2024-05-17"),
        ("2024-05-17T08:30:00+02:00", "2024-05-17T08:30:00+02:00"),
        ("2024-05-17T06:30:00Z", "2024-05-17T06:30:00Z"),
        (" 2024-05-17 08:30:00 ", "2024-05-17T08:30:00"),
        ("17 May 2024", "2024-05-17"),
        ("Fri, 17 May 2024 06:30:00 GMT", "2024-05-17"),
        ("2024-05", "2024-05"),
        ("2024", "2024"),
        ("2024-13-40", None),
        ("yesterday", None),
        ("", None),
        ("17 May", None),
    ],
)
def test_a_date_is_taken_as_stated_or_not(text: str, date: str | None) -> None:
    assert parse_stated(text) == date


def test_the_first_source_wins_and_creation_stands_in_for_publication() -> None:
    stated = [
        ("ld:datepublished", "nonsense"),
        ("ld:datemodified", "2024-06-01"),
        ("article:published_time", "2024-05-17"),
        ("dc.date.created", "2020-01-01"),
        ("article:modified_time", "2025-01-01"),
    ]
    assert read_dates(stated) == StatedDates(published="2024-05-17", modified="2024-06-01")
    assert read_dates([("dcterms.created", "2020-01-01")]).published == "2020-01-01"
    assert read_dates([]) == StatedDates()
