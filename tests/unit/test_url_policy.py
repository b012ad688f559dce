"""What a policy admits and refuses, why it says so, and that the judged string is the used one."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.url_parts import fold_path, parse_url
from browser_agent.logic.url_policy import BLOCKED_PORTS, UrlPolicy

PUBLIC = UrlPolicy.public_web()
ANSWER = ["93.184.215.14"]

ADMITTED_BY_DEFAULT = [
    "https://example.com/", "http://example.com/", "HTTPS://EXAMPLE.COM/Path",
    "https://example.com:443/", "http://example.com:443/", "https://example.com:/",
    "https://example.com./", "wss://example.com/feed", "ws://example.com/feed",
    "https://127-0-0-1.example.com/", "https://11.0.0.1.example.com/", "https://1e100.example/",
    "https://metadata.example.com/", "https://internal.example.com/", "https://localhost.example/",
    "https://example.com/javascript:void(0)", "https://example.com/@handle/1",
    "https://example.com/a/../b", "http://example.com#@127.0.0.1/", "http://example.com?@127.0.0.1",
    "http://example.com/169.254.169.254/", "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1;@example.com/", "https://user:pw@example.com/",
    "https://xn--bcher-kva.example/", "https://bücher.example/", "https://例え.テスト/",
    "https://1.1.1.1/", "https://16843009/", "https://[2606:4700:4700::1111]/",
    "ht\ttps://exa\nmple.com/", "  https://example.com/  ", "https:example.com",
    "https:\\\\example.com", "https://foo_bar.example.com/", "https://sub-domain.example.co.uk/",
]  # fmt: skip

REFUSED_BY_DEFAULT = [
    "http://localhost/", "http://LOCALHOST:3000/", "http://localhost./", "http://app.localhost/",
    "http://loc\u00adalhost/", "http://ⓛocalhost/", "http://ｌｏｃａｌｈｏｓｔ/", "http://127.0.0.1/",
    "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://017700000001/", "http://0/",
    "http://0x7f000001/", "http://0x7F.0x0.0x0.0x1/", "http://0x/", "http://00000000000/",
    "http://１２７.0.0.1/", "http://127．0．0．1/", "http://127｡0｡0｡1/", "http://%31%32%37.0.0.1/",
    "http://127.0.0.1./", "http://127.0.0.1\\@example.com/", "http:/127.0.0.1/", "http:127.0.0.1",
    "ht\ttp://127.0.0.1/", "http://example.com@127.0.0.1/", "http://example.com%40127.0.0.1/",
    "http://[::1]/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::127.0.0.1]/",
    "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::1]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/",
    "http://10.1/", "http://3232235777/", "http://100.64.0.1/", "http://198.18.0.1/",
    "http://224.0.0.1/", "http://255.255.255.255/", "http://[3fff::1]/",
    "http://169.254.169.254/", "http://0251.0376.0251.0376/", "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
    "http://168.63.129.16/", "http://metadata.google.internal/", "http://metadata/",
    "http://printer/", "http://printer.local/", "http://x.internal/", "http://router.home.arpa/",
    "https://.example.com/", "https://a..example.com/", "https://example.com../",
    "http://example.com:22/", "http://example.com:0/", "http://example.com:8080/",
    "http://example.com:10080/",
    "javascript:alert(1)", " javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)",
    "data:text/html,x", "blob:https://example.com/6d0d", "file:///etc/passwd", "FILE:/etc/hosts",
    "view-source:https://example.com/", "chrome://settings/", "devtools://x/", "about:config",
    "about:srcdoc", "ftp://example.com/", "gopher://example.com/", "dict://127.0.0.1:11211/stat",
    "jar:http://example.com/a.jar!/x", "mailto:a@example.com", "tel:+123",
    "filesystem:https://example.com/temporary/x", "isolated-app://abc/", "https-://example.com/",
    "http․://example.com/", "feed:https://example.com/", "intent://example.com#Intent;end",
]  # fmt: skip

NOT_A_URL = [
    "", "   ", "//127.0.0.1/", "/path", "example.com", "http://", "http://:80/", "https://",
    "https://example.com:99999/", "https://example.com:8o/", "http://[::1", "http://[1::2::3]/",
    "http://256.256.256.256/", "http://1.2.3.4.5/", "http://foo.0x4/", "http://09.0.0.1/",
    "https://example.com／evil.test/", "https://example.com＃evil.test/", "https://exa mple.com/",
    "https://a\u0000b/", "https://%00/", "https://example.com%2f.evil.test/",
    "http://*/", "http://a*b.test/", "http://a!b.test/", "https://" + "a" * 2_100_000,
]  # fmt: skip


@pytest.mark.parametrize("url", ADMITTED_BY_DEFAULT)
def test_public_sites_are_admitted_by_default(url: str) -> None:
    decision = PUBLIC.decide(url)
    assert decision.allowed, decision.reason
    assert decision.code is None
    assert PUBLIC.decide_addresses(decision.url, ANSWER).allowed


@pytest.mark.parametrize("url", REFUSED_BY_DEFAULT)
def test_private_places_and_other_schemes_are_refused_by_default(url: str) -> None:
    for policy in (PUBLIC, UrlPolicy.only(["*"]), UrlPolicy.public_web(deny=["other.test"])):
        decision = policy.decide(url)
        assert not decision.allowed
        assert decision.code in {"policy_denied", "invalid_url"}
        assert decision.reason


@pytest.mark.parametrize("url", NOT_A_URL)
def test_what_a_browser_cannot_parse_is_an_invalid_url(url: str) -> None:
    decision = PUBLIC.decide(url)
    assert (decision.allowed, decision.code, decision.url) == (False, "invalid_url", "")


def test_the_blank_page_is_admitted_where_no_list_says_otherwise() -> None:
    assert PUBLIC.decide("about:blank").allowed
    assert not UrlPolicy.only(["*"]).decide("about:blank").allowed


def test_the_decision_carries_the_canonical_url_without_userinfo() -> None:
    decision = PUBLIC.decide(" HTTPS://us:pw@ＥＸample.com:443/a/%2e%2e/b?x#y ")
    assert decision.url == "https://example.com/b?x#y"
    assert PUBLIC.decide(decision.url).url == decision.url


def test_a_lone_surrogate_is_replaced_as_a_browser_does() -> None:
    assert PUBLIC.decide("https://example.com/\ud800").url == "https://example.com/%EF%BF%BD"


@pytest.mark.parametrize("value", [None, 3, b"https://example.com/"])
def test_anything_but_a_string_is_invalid_input(value: object) -> None:
    with pytest.raises(InvalidInput):
        PUBLIC.decide(value)  # pyright: ignore[reportArgumentType] - the wrong type is the test


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([], "dns_failed"),
        (["127.0.0.1"], "policy_denied"),
        (["::1"], "policy_denied"),
        (["93.184.215.14", "127.0.0.1"], "policy_denied"),
        (["93.184.215.14", "64:ff9b::a00:1"], "policy_denied"),
        (["169.254.169.254"], "policy_denied"),
        (["0.0.0.0"], "policy_denied"),
        (["not an address"], "policy_denied"),
        (["fe80::1%eth0"], "policy_denied"),
        (["93.184.215.14", "2606:4700::1"], None),
    ],
)
def test_every_resolved_address_must_be_public(answers: list[str], code: str | None) -> None:
    decision = PUBLIC.decide_addresses("https://example.com/x", answers)
    assert decision.code == code
    assert decision.allowed == (code is None)
    assert not any(answer in decision.reason for answer in answers)


def test_addresses_do_not_rescue_a_url_that_is_refused_by_its_text() -> None:
    assert not PUBLIC.decide_addresses("http://127.0.0.1/", ANSWER).allowed


# patterns: what each admits

ALLOW: list[tuple[list[str], str, bool]] = [
    (["example.com"], "https://EXAMPLE.com/x", True),
    (["example.com"], "http://example.com/", True),
    (["example.com"], "wss://example.com/", True),
    (["example.com"], "https://example.com./", True),
    (["example.com"], "https://example.com:8443/", False),
    (["example.com"], "https://sub.example.com/", False),
    (["example.com"], "https://example.com.evil.test/", False),
    (["example.com"], "https://evil-example.com/", False),
    (["example.com"], "https://example.com@evil.test/", False),
    (["example.com"], "https://example.com%20@evil.test/", False),
    (["example.com"], "https://evil.test\\.example.com/", False),
    (["example.com"], "https://ex\u0430mple.com/", False),
    (["example.com"], "view-source:https://example.com/", False),
    (["EXAMPLE.com."], "https://example.com/", True),
    (["bücher.example"], "https://xn--bcher-kva.example/", True),
    (["co.uk"], "https://bank.co.uk/", False),
    (["example.com:8443"], "https://example.com:8443/", True),
    (["example.com:8443"], "https://example.com/", False),
    (["example.com:*"], "https://example.com:9443/", True),
    (["*.example.com"], "https://a.b.example.com/", True),
    (["*.example.com"], "https://example.com/", False),
    (["*.example.com"], "https://badexample.com/", False),
    (["*.example.com"], "https://a.example.com.evil.test/", False),
    (["*.example.com"], "https://a.example.com:8443/", False),
    (["https://example.com"], "http://example.com/", False),
    (["https://example.com"], "wss://example.com/", True),
    (["wss://example.com"], "https://example.com/", True),
    (["https://example.com"], "https://example.com:8443/", False),
    (["https://example.com:8443"], "https://example.com:8443/x", True),
    (["https://example.com:8443"], "https://example.com:84430/", False),
    (["https://*.example.com"], "https://a.example.com/", True),
    (["https://*.example.com"], "http://a.example.com/", False),
    (["https://*"], "https://anything.test/", True),
    (["https://*"], "http://anything.test/", False),
    (["https://example.com/"], "https://example.com/anything", True),
    (["https://example.com/*"], "https://example.com/anything", True),
    (["https://example.com/docs/*"], "https://example.com/docs/a?b#c", True),
    (["https://example.com/docs/*"], "https://example.com/docs/", True),
    (["https://example.com/docs/*"], "https://example.com/docs", False),
    (["https://example.com/docs/*"], "https://example.com/docsx/", False),
    (["https://example.com/docs/*"], "https://example.com/docs/../admin", False),
    (["https://example.com/docs/*"], "https://example.com/docs/%2e%2e/admin", False),
    (["https://example.com/docs/*"], "https://example.com/docs/..%2fadmin", False),
    (["https://example.com/docs/*"], "https://example.com/docs/%252e%252e%252fadmin", False),
    (["https://example.com/docs/*"], "https://example.com/docs/..;/admin", False),
    (["https://example.com/docs/*"], "https://example.com/docs/..%5cadmin", False),
    (["https://example.com/docs/*"], "https://example.com//docs/a", False),
    (["https://example.com/café/*"], "https://example.com/caf%C3%A9/x", True),
    (["https://example.com/docs"], "https://example.com/docs?x=1", True),
    (["https://example.com/docs"], "https://example.com/docs/a", False),
    (["*"], "https://example.org/", True),
    (["*"], "https://example.org:8443/", False),
    (["*"], "http://127.0.0.1/", False),
    (["*"], "http://printer/", False),
    (["*"], "file:///etc/passwd", False),
    ([], "https://example.org/", False),
    (["http://127.0.0.1:8000"], "http://2130706433:8000/", True),
    (["http://2130706433:8000"], "http://127.0.0.1:8000/", True),
    (["http://127.0.0.1:8000"], "http://127.0.0.1:8001/", False),
    (["http://localhost:*"], "http://localhost:3000/", True),
    (["http://[::1]:8000"], "http://[0:0:0:0:0:0:0:1]:8000/", True),
    (["http://169.254.169.254"], "http://169.254.169.254/", False),
    (["http://printer"], "http://printer/", False),
    (["example.com:22"], "http://example.com:22/", False),
]


@pytest.mark.parametrize(("patterns", "url", "allowed"), ALLOW)
def test_an_allow_list_admits_what_it_names(patterns: list[str], url: str, allowed: bool) -> None:
    decision = UrlPolicy.only(patterns).decide(url)
    assert decision.allowed == allowed, decision


DENY = [
    (["evil.test"], "https://EVIL.test./", False),
    (["evil.test"], "https://evil\u3002test/", False),
    (["evil.test"], "https://ｅｖｉｌ.test/", False),
    (["evil.test"], "https:\\\\evil.test", False),
    (["evil.test"], "https://sub.evil.test/", False),
    (["evil.test"], "https://x@evil.test/", False),
    (["evil.test"], "https://notevil.test/", True),
    (["evil.test"], "https://evil.test.example.com/", True),
    (["*.tracker.test"], "https://a.b.tracker.test/", False),
    (["*.tracker.test"], "https://tracker.test/", False),
    (["https://evil.test"], "http://evil.test/", True),
    (["https://evil.test"], "https://evil.test/", False),
    (["https://evil.test/admin/*"], "https://evil.test/public", True),
    (["https://evil.test/admin/*"], "https://evil.test/admin", False),
    (["https://evil.test/admin/*"], "https://evil.test//admin/x", False),
    (["https://evil.test/admin"], "https://evil.test/%61dmin/x", False),
    (["https://evil.test/admin"], "https://evil.test/x/..%2fadmin", False),
    (["https://evil.test/admin"], "https://evil.test/administrator", True),
    (["*"], "https://example.com/", False),
    (["http://*"], "http://example.com/", False),
    (["http://*"], "https://example.com/", True),
]


@pytest.mark.parametrize(("deny", "url", "allowed"), DENY)
def test_a_deny_list_refuses_what_it_names_and_all_below(
    deny: list[str], url: str, allowed: bool
) -> None:
    assert UrlPolicy.public_web(deny=deny).decide(url).allowed == allowed


def test_a_denied_host_is_denied_on_every_port_unless_the_rule_names_one() -> None:
    sites = ["https://a.test:8443", "https://a.test:9443"]
    assert not UrlPolicy.only(sites, deny=["a.test"]).decide(sites[0]).allowed
    narrow = UrlPolicy.only(sites, deny=["a.test:8443"])
    assert [narrow.decide(site).allowed for site in sites] == [False, True]


def test_deny_beats_allow_local_leave_and_grants() -> None:
    policy = UrlPolicy.only(
        ["*.example.com", "example.com"],
        allow_local=["http://127.0.0.1:8000"],
        deny=["example.com", "127.0.0.1"],
    )
    for url in ("https://example.com/", "https://a.example.com/", "http://127.0.0.1:8000/"):
        assert not policy.grant(url).decide(url).allowed


AMBIGUOUS = [
    "*foo.com", "x.*", "exa*mple.com", "*.*.com", "**.example.com", "*.", "*..com", ".example.com",
    "", " ", " example.com", "exa mple.com", "example.com\n", "http://", "https:", "://x",
    "https://example.com/docs*", "https://example.com/*/x", "https://example.com/a?b",
    "https://example.com/#x", "https://u@example.com", "u:p@example.com", "example.com/docs/*",
    "10.0.0.0/8", "*.127.0.0.1", "*.1", "ftp://example.com", "http*://example.com",
    "file:///etc/*", "javascript:alert(1)", "example.com:0", "example.com:70000",
    "example.com:80*", "example.com:", "https://example.com:*x", "[::1", "::1", "http://1.2.3.4.5",
    "http:example.com", "https:\\\\example.com", "example.com／x", "exa%6Dple.com", "a..b",
    "https://example.com//a/*", "data:*", "*:443x", "<all_urls>",
]  # fmt: skip


@pytest.mark.parametrize("pattern", AMBIGUOUS)
def test_an_ambiguous_pattern_is_a_configuration_error(pattern: str) -> None:
    for build in (
        lambda: UrlPolicy.only([pattern]),
        lambda: UrlPolicy.public_web(deny=[pattern]),
        lambda: UrlPolicy.public_web(allow_local=[pattern]),
    ):
        with pytest.raises(ConfigurationError):
            build()


@pytest.mark.parametrize("patterns", ["example.com", None, 7, [None], [b"example.com"]])
def test_patterns_must_be_a_list_of_strings(patterns: object) -> None:
    with pytest.raises(ConfigurationError):
        UrlPolicy.only(patterns)  # pyright: ignore[reportArgumentType] - the wrong type is the test


@pytest.mark.parametrize("origin", ["*", "*.corp.test", "http://*:80", "http://127.0.0.1:80/x"])
def test_allow_local_takes_single_origins_only(origin: str) -> None:
    with pytest.raises(ConfigurationError, match="allow_local"):
        UrlPolicy.public_web(allow_local=[origin])


def test_allow_local_admits_its_origin_and_nothing_beside() -> None:
    policy = UrlPolicy.public_web(allow_local=["http://127.0.0.1:8000", "http://wiki.corp"])
    assert policy.decide("http://127.0.0.1:8000/x").allowed
    assert policy.decide("ws://127.0.0.1:8000/x").allowed
    for url in ("http://127.0.0.1:8001/", "https://127.0.0.1:8000/", "http://127.0.0.2:8000/",
                "http://localhost:8000/", "http://[::ffff:127.0.0.1]:8000/"):  # fmt: skip
        assert not policy.decide(url).allowed
    assert policy.decide_addresses("http://wiki.corp/", ["10.0.0.7"]).allowed
    assert not policy.decide_addresses("https://wiki.example/", ["10.0.0.7"]).allowed


def test_any_port_of_a_local_host_can_be_admitted() -> None:
    policy = UrlPolicy.public_web(allow_local=["http://127.0.0.1:*"])
    assert policy.decide("http://127.0.0.1:1234/").allowed
    assert not policy.decide("https://127.0.0.1:1234/").allowed
    for port in (22, 6000):
        assert not policy.decide(f"http://127.0.0.1:{port}/").allowed


def test_localhost_must_lead_to_this_host() -> None:
    policy = UrlPolicy.public_web(allow_local=["http://localhost:8000"])
    assert policy.decide_addresses("http://localhost:8000/", ["127.0.0.1", "::1"]).allowed
    for answer in ("10.0.0.1", "93.184.215.14"):
        assert not policy.decide_addresses("http://localhost:8000/", [answer]).allowed


def test_metadata_is_refused_even_where_local_is_admitted() -> None:
    names = ["http://169.254.169.254", "http://metadata.google.internal", "http://metadata"]
    policy = UrlPolicy.public_web(allow_local=[*names, "http://wiki.corp"])
    for name in names:
        assert not policy.decide(name).allowed
        assert not policy.grant(name).decide(name).allowed
    for answer in ("169.254.169.254", "168.63.129.16", "::ffff:a9fe:a9fe", "fd00:ec2::254"):
        assert not policy.decide_addresses("http://wiki.corp/", [answer]).allowed


def test_allow_local_lifts_the_address_rule_only_not_the_list() -> None:
    origins = ["http://127.0.0.1:8000", "http://127.0.0.1:9000"]
    policy = UrlPolicy.only([origins[0]], allow_local=origins)
    assert policy.decide(origins[0]).allowed
    refused = policy.decide(origins[1])
    assert not refused.allowed
    assert f"--only {origins[1]}" in refused.reason


def test_a_path_rule_binds_a_local_site_too() -> None:
    policy = UrlPolicy.only(["http://127.0.0.1:8000/docs/*"], allow_local=["http://127.0.0.1:*"])
    assert policy.decide("http://127.0.0.1:8000/docs/a").allowed
    assert not policy.decide("http://127.0.0.1:8000/admin").allowed


@pytest.mark.parametrize(
    ("policy", "url", "flag"),
    [
        (PUBLIC, "http://127.0.0.1:8000/x", "--allow-local http://127.0.0.1:8000"),
        (PUBLIC, "ws://[::1]:8000/x", "--allow-local http://[::1]:8000"),
        (PUBLIC, "https://printer.local/", "--allow-local https://printer.local"),
        (PUBLIC, "https://example.com:8443/", "--only https://example.com:8443"),
        (UrlPolicy.only(["a.test"]), "https://b.test/", "--only https://b.test"),
        (UrlPolicy.public_web(deny=["b.test"]), "https://b.test/", "--deny b.test"),
    ],
)
def test_a_denial_names_the_flag_that_would_admit_it(
    policy: UrlPolicy, url: str, flag: str
) -> None:
    assert flag in policy.decide(url).reason


def test_a_private_answer_names_the_flag_but_a_metadata_answer_has_none() -> None:
    assert "--allow-local https://a.test" in (
        PUBLIC.decide_addresses("https://a.test/", ["10.0.0.1"]).reason
    )
    assert "--" not in PUBLIC.decide_addresses("https://a.test/", ["169.254.169.254"]).reason


def test_a_grant_admits_exactly_the_origin_that_the_operator_typed() -> None:
    url = "http://127.0.0.1:8123/start?x=1"
    for policy in (PUBLIC, UrlPolicy.only([]), UrlPolicy.only(["example.com"])):
        granted = policy.grant(url)
        assert not policy.decide(url).allowed
        assert granted.decide("http://127.0.0.1:8123/elsewhere").allowed
        assert not granted.decide("http://127.0.0.1:8124/").allowed
        assert granted.grant(url) == granted
    assert PUBLIC.grant("https://example.com:8443/").decide("https://example.com:8443/x").allowed


@pytest.mark.parametrize("url", ["about:blank", "javascript:1", "nonsense", "file:///etc"])
def test_a_grant_of_something_without_an_origin_changes_nothing(url: str) -> None:
    assert PUBLIC.grant(url) is PUBLIC


def test_a_tunnel_is_judged_by_its_origin() -> None:
    policy = UrlPolicy.only(["https://a.test/docs/*"], deny=["https://a.test/docs/secret/*"])
    assert policy.decide_origin("https://a.test/").allowed
    assert not policy.decide("https://a.test/").allowed
    assert not policy.decide_origin("https://b.test/").allowed
    assert not policy.decide_origin("https://a.test/", ["10.0.0.1"]).allowed
    assert not UrlPolicy.public_web(deny=["a.test"]).decide_origin("https://a.test/").allowed


def test_path_rules_are_announced() -> None:
    assert UrlPolicy.only(["https://a.test/docs/*"]).has_path_rules
    assert UrlPolicy.public_web(deny=["https://a.test/x"]).has_path_rules
    assert not UrlPolicy.only(["https://a.test/", "*.b.test"]).has_path_rules
    assert not PUBLIC.has_path_rules


def test_policies_compare_hash_and_pickle_and_cannot_be_changed() -> None:
    one, same = (UrlPolicy.only(["a.test", "*.b.test"], deny=["c.test"]) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != PUBLIC
    with pytest.raises(AttributeError):
        one.deny = ()  # pyright: ignore[reportAttributeAccessIssue] - that it fails is the test


# settings file


def test_a_file_gives_the_lists(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('only = ["a.test"]\ndeny = ["b.a.test"]\nallow-local = ["http://127.0.0.1:1"]')
    assert UrlPolicy.from_toml(file) == UrlPolicy.only(
        ["a.test"], allow_local=["http://127.0.0.1:1"], deny=["b.a.test"]
    )
    file.write_text('[policy]\ndeny = ["b.test"]\n[other]\nx = 1')
    assert UrlPolicy.from_toml(str(file)) == UrlPolicy.public_web(deny=["b.test"])
    file.write_text("only = []")
    assert not UrlPolicy.from_toml(file).decide("https://a.test/").allowed


@pytest.mark.parametrize(
    "text", ["only = 'a.test'", "onyl = []", "only = [1]", "x", "policy = 1", "deny = ['*x']"]
)
def test_a_wrong_file_is_a_configuration_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError):
        UrlPolicy.from_toml(file)


def test_a_missing_or_binary_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        UrlPolicy.from_toml(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError):
        UrlPolicy.from_toml(tmp_path / "bad.toml")


# properties

HOSTS = st.sampled_from(["example.com", "a.b.test", "127.0.0.1", "printer", "[::1]", "x.internal"])


@given(st.text())
def test_no_text_raises_and_what_is_admitted_is_canonical(text: str) -> None:
    for candidate in (text, f"http://{text}/", f"https://example.com/{text}"):
        decision = PUBLIC.decide(candidate)
        if decision.allowed:
            assert PUBLIC.decide(decision.url).url == decision.url
            parts = parse_url(decision.url)
            assert parts is not None
            assert parts.port in {80, 443}


@given(HOSTS, st.integers(0, 65_535), st.text("abc/.%2eE5c;", max_size=12))
def test_blocked_ports_stay_closed_whatever_is_granted(host: str, port: int, path: str) -> None:
    url = f"http://{host}:{port}/{path}"
    granted = UrlPolicy.only([]).grant(url)
    assert granted.decide(url).allowed == (port not in BLOCKED_PORTS)


@given(st.text("ab/.%2eE5cf;\\", max_size=24))
def test_no_reading_of_an_admitted_path_leaves_its_prefix(path: str) -> None:
    policy = UrlPolicy.only(["https://a.test/docs/*"])
    decision = policy.decide(f"https://a.test/docs/{path}")
    if decision.allowed:
        parts = parse_url(decision.url)
        assert parts is not None
        assert fold_path(parts.path).startswith("/docs/")
