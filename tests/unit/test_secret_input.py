"""Secrets on their way into a field."""

from __future__ import annotations

import pytest

from browser_agent.browser.outcome import OperationFailed
from browser_agent.browser.secret_input import expand, holds_secret
from browser_agent.records.codes import ErrorCode
from browser_agent.records.policy import Secret

SECRETS = {
    "login": Secret("brass-lantern", origins=["https://shop.example"]),
    "unbound": Secret("never-typed-anywhere"),
    "pin": Secret("1234", origins=["https://shop.example:8443"]),
}


def test_a_secret_is_put_in_at_its_origin() -> None:
    typed = expand("<secret:login>", SECRETS, "https://shop.example/login?next=/")
    assert (typed.text, typed.secret) == ("brass-lantern", True)
    assert "brass" not in repr(typed)
    assert (
        expand("a<secret:login>b", SECRETS, "https://SHOP.example:443/").text == "abrass-lanternb"
    )


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("<secret:login>", "https://evil.example/"),
        ("<secret:login>", "http://shop.example/"),
        ("<secret:login>", "https://shop.example.evil.example/"),
        ("<secret:login>", "https://shop.example:8443/"),
        ("<secret:login>", "about:blank"),
        ("<secret:login>", "data:text/html,x"),
        ("<secret:unbound>", "https://shop.example/"),
        ("<secret:pin>", "https://shop.example/"),
        ("<secret:missing>", "https://shop.example/"),
        ("brass-lantern", "https://evil.example/"),
        ("my password is brass-lantern.", "https://evil.example/"),
    ],
)
def test_a_secret_goes_nowhere_else(text: str, url: str) -> None:
    with pytest.raises(OperationFailed) as caught:
        expand(text, SECRETS, url)
    outcome = caught.value.outcome
    assert outcome.code is ErrorCode.SECRET_DENIED
    assert "brass-lantern" not in str(outcome)


def test_plain_text_stays_as_it_is() -> None:
    typed = expand("a <secret> b <secret:> 1234", SECRETS, "https://evil.example/")
    assert (typed.text, typed.secret) == ("a <secret> b <secret:> 1234", False)
    assert holds_secret("xx brass-lantern", SECRETS)
    assert not holds_secret("1234", SECRETS)
