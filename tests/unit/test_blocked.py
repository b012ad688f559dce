"""What stands in the way of a page is named with what shows it; readable pages never are."""

from __future__ import annotations

import pytest

from browser_agent.logic.blocked import PageSigns, find_block

URL = "https://example.com/article"
ARTICLE = (
    "A captcha is a test that tells people from machines, and nobody likes it very much, least of "
    "all those who cannot see well and have to listen to distorted words instead.\n"
    "Sites ask visitors to complete a captcha before they may register, write a comment or buy "
    "tickets, which stops the clumsiest programs and no other ones, as many studies have shown "
    "since the first of them were put up in the late nineties by a search engine.\n"
    "Newer kinds watch how the pointer moves and ask nobody to type the letters that they see."
)
WALLS: list[tuple[str, PageSigns]] = [
    ("bot_check", PageSigns(title="Just a moment...", text="example.com", url=URL)),
    ("bot_check", PageSigns(title="", text="Verifying you are human.", url=URL)),
    ("bot_check", PageSigns(title="", text="Sorry, you have been blocked", url=URL)),
    ("bot_check", PageSigns(title="News", text=ARTICLE * 9, url=URL, challenged=True)),
    ("captcha", PageSigns(title="", text="Please complete the CAPTCHA to go on", url=URL)),
    ("captcha", PageSigns(title="", text="Type the characters you see below", url=URL)),
    ("captcha", PageSigns(title="", text="Captcha:\nSend", url=URL, has_fields=True)),
    (
        "captcha",
        PageSigns(
            title="Check",
            text="One more step",
            url=URL,
            frame_urls=["https://www.google.com/recaptcha/api2/anchor?k=1&size=normal"],
        ),
    ),
    ("login", PageSigns(title="Sign in", text="E-mail\nPassword", url=URL, has_password=True)),
    ("login", PageSigns(title="", text="Please log in to read.", url="https://example.com/login")),
    ("paywall", PageSigns(title="News", text="Subscribe to continue reading.", url=URL)),
    ("paywall", PageSigns(title="", text="You have reached your article limit", url=URL)),
    ("paywall", PageSigns(title="", text="This story is for subscribers", url=URL)),
    ("consent", PageSigns(title="", text="We value your privacy\nAccept all", url=URL)),
    (
        "consent",
        PageSigns(
            title="Before you continue",
            text="We use cookies and data to\nKeep services running, and measure how they are "
            "used by people who visit them.\nAccept all\nReject all",
            url=URL,
        ),
    ),
]
READABLE: list[tuple[str, PageSigns]] = [
    ("article about captchas", PageSigns(title="Captcha", text=ARTICLE, url=URL)),
    (
        "login form in the header",
        PageSigns(title="Harbour news", text=f"Log in\n{ARTICLE}", url=URL, has_password=False),
    ),
    (
        "login form beside an article",
        PageSigns(title="News", text=f"Password\nSign in\n{ARTICLE}", url=URL, has_password=True),
    ),
    (
        "cookie banner over readable text",
        PageSigns(
            title="Ferry",
            text="The ferry runs from May to September and takes thirty-five minutes to the "
            "island.\nThis site uses cookies.\nAccept all",
            url=URL,
        ),
    ),
    (
        "captcha that guards a form",
        PageSigns(
            title="Contact",
            text="Write to us\nSend",
            url=URL,
            frame_urls=["https://www.google.com/recaptcha/api2/anchor?size=normal"],
            has_fields=True,
        ),
    ),
    (
        "captcha that nobody sees",
        PageSigns(
            title="Hello",
            text="Welcome",
            url=URL,
            frame_urls=["https://www.google.com/recaptcha/api2/anchor?size=invisible"],
        ),
    ),
    (
        "free articles that are left",
        PageSigns(title="News", text="You have 3 free articles left.\nThe ferry sails.", url=URL),
    ),
    ("log in link", PageSigns(title="Shop", text="Log in\nBasket\nRope, € 3.40", url=URL)),
    (
        "paragraph about subscribers",
        PageSigns(
            title="Papers",
            text="Most papers of the coast ask readers to subscribe to continue reading after a "
            "handful of articles a month, which has saved two of them and ruined a third, as the "
            "editors of all three told the council in March when they asked it for help.",
            url=URL,
        ),
    ),
    ("long page", PageSigns(title="Just a moment...", text="word " * 400, url=URL)),
]


@pytest.mark.parametrize(("kind", "page"), WALLS)
def test_a_wall_is_named_with_its_evidence(kind: str, page: PageSigns) -> None:
    found = find_block(page)
    assert found is not None
    assert found.kind == kind
    assert found.evidence


@pytest.mark.parametrize("page", [page for _, page in READABLE], ids=[name for name, _ in READABLE])
def test_a_readable_page_is_not_blocked(page: PageSigns) -> None:
    assert find_block(page) is None


def test_the_evidence_is_what_the_page_shows() -> None:
    page = PageSigns(title="News", text="Hello\nSubscribe to continue reading.", url=URL)
    found = find_block(page)
    assert found is not None
    assert found.evidence == "Subscribe to continue reading."
