"""What an action is for, what is tainted, and which rule decides."""

from __future__ import annotations

from typing import Any

import pytest

from browser_agent.errors import ConfigurationError
from browser_agent.logic.approval import (
    Source,
    classify,
    describe_action,
    find_tainted,
    has_text,
    judge,
    normal,
    targets_of,
)
from browser_agent.records.approval import (
    ASK_ALWAYS,
    Action,
    ActionPolicy,
    ActionRule,
    Purpose,
    Ruling,
)

CLICK = "browser_click"
FORM: dict[str, object] = {"action": "https://shop.example/save", "fields": ["name"]}


def button(name: str, **more: object) -> dict[str, object]:
    return {"role": "button", "name": name, "tag": "button", **more}


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("Pay now", Purpose.PAYMENT),
        ("Place order", Purpose.PAYMENT),
        ("ORDER", Purpose.PAYMENT),
        ("Jetzt kostenpflichtig bestellen", Purpose.PAYMENT),
        ("Acheter", Purpose.PAYMENT),
        ("Купить", Purpose.PAYMENT),
        ("立即购买", Purpose.PAYMENT),
        ("注文を確定する", Purpose.PAYMENT),
        ("Delete account", Purpose.DELETE),
        ("Remo\u200bve", Purpose.DELETE),
        ("Konto löschen", Purpose.DELETE),
        ("Supprimer", Purpose.DELETE),
        ("删除", Purpose.DELETE),
        ("Order by price", None),
        ("Sort order", None),
        ("Order history", None),
        ("Payment methods", None),
        ("Payload", None),
        ("Borders", None),
        ("How to buy a house without paying too much", None),
        ("Next", None),
    ],
)
def test_the_name_of_a_button_tells_its_purpose(name: str, purpose: Purpose | None) -> None:
    assert classify(CLICK, {}, button(name)) is purpose


def test_what_the_model_calls_the_element_counts_too() -> None:
    assert classify(CLICK, {"element": "Buy button"}, {}) is Purpose.PAYMENT


@pytest.mark.parametrize(
    ("tool", "arguments", "about", "purpose"),
    [
        (CLICK, {}, button("Save", type="submit", form=FORM), Purpose.SUBMIT),
        (CLICK, {}, button("Save", type="button", form=FORM), None),
        (
            CLICK,
            {},
            button("Go", type="submit", form={**FORM, "fields": ["cc-number"]}),
            Purpose.PAYMENT,
        ),
        (
            CLICK,
            {},
            button("Go", type="submit", form={**FORM, "action": "https://s.example/checkout/2"}),
            Purpose.PAYMENT,
        ),
        (CLICK, {}, {"role": "link", "href": "https://s.example/a.zip?x=1"}, Purpose.DOWNLOAD),
        (CLICK, {}, {"role": "link", "href": "https://s.example/a", "name": "A"}, None),
        (CLICK, {}, {"role": "link", "name": "What to buy in May"}, None),
        ("browser_type", {"text": "x"}, {"form": FORM}, None),
        ("browser_type", {"text": "x", "submit": True}, {"form": FORM}, Purpose.SUBMIT),
        ("browser_press_key", {"key": "Enter"}, {}, Purpose.SUBMIT),
        ("browser_press_key", {"key": "Tab"}, {}, None),
        ("browser_file_upload", {"paths": ["a"]}, {}, Purpose.UPLOAD),
        ("browser_drop", {"data": {"text/plain": "a"}}, {}, None),
        ("browser_drop", {"paths": ["a"]}, {}, Purpose.UPLOAD),
        ("buy", {"item": "soap"}, {}, None),
    ],
)
def test_tool_and_element_tell_the_purpose(
    tool: str, arguments: dict[str, Any], about: dict[str, Any], purpose: Purpose | None
) -> None:
    assert classify(tool, arguments, about) is purpose


def tainted(text: str, *targets: str, tool: str = "browser_type", key: str = "text") -> bool:
    sources = [
        Source(
            origin="https://mail.example", text=normal("Your code is Zebra-Quartz 4711, keep it")
        ),
        Source(origin="https://evil.example", text=normal("see https://blog.example/a-long-story")),
    ]
    found = find_tainted(
        tool,
        {key: text},
        targets=targets,
        sources=sources,
        trusted=normal("Write the words of the task to them"),
    )
    assert found in ((), (key,))
    return bool(found)


def test_text_of_a_page_that_goes_to_another_origin_is_tainted() -> None:
    assert tainted("code is zebra\u2011quartz  4711", "https://evil.example")
    assert tainted("xx CODE IS ZEBRA-", "https://evil.example")
    assert not tainted("code is Zebra-Quartz 4711", "https://mail.example"), "where it came from"
    assert not tainted("Zebra-Quart", "https://evil.example"), "eleven characters"
    assert not tainted("the words of the task", "https://evil.example")
    assert not tainted("something that nobody showed", "https://evil.example")


def test_a_form_that_sends_elsewhere_takes_it_elsewhere() -> None:
    assert tainted("code is Zebra-Quartz 4711", "https://mail.example", "https://evil.example")


def test_an_address_is_tainted_by_what_it_carries_and_a_link_is_not() -> None:
    def goes(url: str) -> bool:
        return tainted(url, "https://evil.example", tool="browser_navigate", key="url")

    assert goes("https://evil.example/?q=code%20is%20zebra-quartz+4711")
    assert goes("https://evil.example/code is zebra-quartz")
    assert not goes("https://evil.example/about-us-and-others")
    blog = "https://blog.example/a-long-story"
    assert not tainted(blog, "https://blog.example", tool="browser_navigate", key="url")


def test_nested_text_is_looked_at_and_secrets_by_name_are_not() -> None:
    assert has_text("browser_fill_form", {"fields": [{"target": "e1", "value": "x" * 12}]})
    assert not has_text("browser_fill_form", {"fields": [{"target": "e1", "value": "short"}]})
    assert not has_text("browser_type", {"text": "<secret:site_password>"})
    assert not has_text(CLICK, {"target": "e1", "element": "a very long description of it"})


def test_the_origins_of_an_action() -> None:
    about = {"frame_url": "https://a.example/x", "form": {"action": "https://b.example/y"}}
    assert targets_of(CLICK, {}, about, "https://c.example/") == (
        "https://a.example",
        "https://b.example",
    )
    assert targets_of(CLICK, {}, {}, "https://c.example/p") == ("https://c.example",)
    assert targets_of("browser_navigate", {"url": "https://d.example/"}, {}, None) == (
        "https://d.example",
    )


@pytest.mark.parametrize(
    ("action", "ruling"),
    [
        (Action(tool=CLICK), "allow"),
        (Action(tool=CLICK, purpose=Purpose.SUBMIT), "allow"),
        (Action(tool=CLICK, purpose=Purpose.UPLOAD), "allow"),
        (Action(tool=CLICK, purpose=Purpose.DOWNLOAD), "allow"),
        (Action(tool=CLICK, purpose=Purpose.PAYMENT), "ask"),
        (Action(tool=CLICK, purpose=Purpose.DELETE), "ask"),
        (Action(tool="browser_type", tainted=("text",)), "ask"),
    ],
)
def test_the_careful_rules_ask_where_it_could_hurt(action: Action, ruling: str) -> None:
    assert judge(ActionPolicy(), action) == ruling
    assert judge(ASK_ALWAYS, action) == "ask"


def test_the_first_rule_that_fits_decides() -> None:
    policy = ActionPolicy(
        rules=(
            ActionRule(
                ruling=Ruling.ALLOW, origin="https://shop.example/", purpose=Purpose.PAYMENT
            ),
            ActionRule(ruling=Ruling.DENY, purpose=Purpose.PAYMENT),
            ActionRule(ruling=Ruling.ASK, tool="browser_file*"),
            ActionRule(ruling=Ruling.ASK, tool=CLICK, tainted=False),
        ),
        default=Ruling.DENY,
    )
    pay = {"tool": CLICK, "purpose": Purpose.PAYMENT}
    assert judge(policy, Action(**pay, origins=("https://shop.example",))) == "allow"  # pyright: ignore[reportArgumentType] - mixed values
    assert judge(policy, Action(**pay, origins=("https://other.example",))) == "deny"  # pyright: ignore[reportArgumentType] - mixed values
    assert judge(policy, Action(tool="browser_file_upload")) == "ask"
    assert judge(policy, Action(tool=CLICK)) == "ask"
    assert judge(policy, Action(tool=CLICK, tainted=("text",))) == "deny", "the default"


def test_wrong_rules_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="maybe"):
        ActionRule(ruling="maybe")  # pyright: ignore[reportArgumentType] - refused
    with pytest.raises(ConfigurationError, match="gift"):
        ActionRule(ruling=Ruling.ASK, purpose="gift")  # pyright: ignore[reportArgumentType] - refused
    with pytest.raises(ConfigurationError, match="default"):
        ActionPolicy(default="maybe")  # pyright: ignore[reportArgumentType] - refused
    with pytest.raises(ConfigurationError, match="ActionRules"):
        ActionPolicy(rules=("ask",))  # pyright: ignore[reportArgumentType] - refused


def test_the_reason_holds_no_text_of_the_page() -> None:
    action = Action(
        tool=CLICK,
        origins=("https://a.example",),
        purpose=Purpose.PAYMENT,
        tainted=("text",),
    )
    assert describe_action(action) == (
        "payment, text taken from a page of another origin at https://a.example"
    )
    assert describe_action(Action(tool="act")) == "acts on the world"
