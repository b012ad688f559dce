"""Settings of a browser: checked before anything starts, and the start itself.

Owns which combinations are refused: a promise that cannot be kept is no setting.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from browser_agent.browser.cleanup import new_token
from browser_agent.browser.journaling import OperationJournal
from browser_agent.browser.launch import LaunchOptions, Running, launch
from browser_agent.browser.reaper import reap_quietly
from browser_agent.browser.robots import Robots
from browser_agent.browser.shared import OnResult, Shared
from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.outgoing import OutgoingCheck
from browser_agent.logic.redact import Redactor
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.ports import provided
from browser_agent.records.policy import Secret

if TYPE_CHECKING:
    from os import PathLike

    from browser_agent.ports import BlobStore, Journal
    from browser_agent.records.limits import BrowserLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Checked settings. ``policy`` None: nothing is enforced, the browser is remote."""

    policy: UrlPolicy | None
    limits: BrowserLimits
    options: LaunchOptions
    secrets: Mapping[str, Secret] = field(repr=False)
    user_agent: str | None
    robots: bool
    artifact_dir: Path | None
    upload_dirs: tuple[Path, ...]
    approve: object | None
    search_url: str | None
    on_result: OnResult | None


def build_setup(
    *,
    policy: UrlPolicy | None,
    limits: BrowserLimits,
    secrets: Mapping[str, Secret | str] | Sequence[str],
    headless: bool,
    executable_path: str | PathLike[str] | None,
    channel: str | None,
    cdp_url: str | Secret | None,
    proxy: str | None,
    user_agent: str | None,
    robots: bool,
    run_dir: str | PathLike[str] | None,
    download_dir: str | PathLike[str] | None,
    upload_dirs: Sequence[str | PathLike[str]],
    approve: object | None,
    search_url: str | None,
    on_result: OnResult | None,
) -> Setup:
    """Check every setting; ConfigurationError (or InvalidInput for a wrong type) names it."""
    remote = cdp_url.value if isinstance(cdp_url, Secret) else cdp_url
    for name, value in (("channel", channel), ("proxy", proxy), ("user_agent", user_agent)):
        _check_text(name, value)
    _check_policy(policy, remote=remote is not None)
    if remote is not None:
        _check_remote(remote, proxy=proxy, channel=channel, executable_path=executable_path)
    if search_url is not None and "{query}" not in search_url:
        raise ConfigurationError("search_url must hold {query}")
    artifacts = download_dir if download_dir is not None else _below(run_dir, "artifacts")
    return Setup(
        policy=policy,
        limits=limits,
        options=LaunchOptions(
            headless=headless,
            executable_path=None if executable_path is None else os.fspath(executable_path),
            channel=channel,
            proxy=proxy,
            cdp_url=remote,
        ),
        secrets=_named_secrets(secrets, cdp_url=remote, proxy=proxy),
        user_agent=user_agent,
        robots=robots,
        artifact_dir=None if artifacts is None else Path(artifacts),
        upload_dirs=tuple(Path(folder).resolve() for folder in upload_dirs),
        approve=approve,
        search_url=search_url,
        on_result=on_result,
    )


def _check_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string, got {type(value).__name__}")


def _below(folder: str | PathLike[str] | None, name: str) -> Path | None:
    return None if folder is None else Path(folder) / name


def _check_policy(policy: object, *, remote: bool) -> None:
    if policy is None and not remote:
        raise ConfigurationError(
            "policy=None means that no URL policy is enforced; that is possible with cdp_url only"
        )
    if policy is not None and not isinstance(policy, UrlPolicy):
        raise InvalidInput(f"policy must be a UrlPolicy, got {type(policy).__name__}")
    if policy is not None and remote:
        raise ConfigurationError(
            "cdp_url attaches to a browser whose traffic does not pass our egress proxy, so a URL "
            "policy cannot be enforced there (redirects, subresources, workers, sockets, private "
            "addresses): pass policy=None to attach without one"
        )


def _check_remote(
    url: object, *, proxy: str | None, channel: str | None, executable_path: object
) -> None:
    if not isinstance(url, str) or urlsplit(url).scheme not in ("http", "https", "ws", "wss"):
        raise ConfigurationError("cdp_url must be an http, https, ws or wss URL")
    given = {"proxy": proxy, "channel": channel, "executable_path": executable_path}
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise ConfigurationError(f"cdp_url cannot be combined with {', '.join(wrong)}")


def _named_secrets(
    secrets: object, *, cdp_url: str | None, proxy: str | None
) -> Mapping[str, Secret]:
    """Every secret with a name; connect URLs are secrets too, and are typed nowhere."""
    named: dict[str, Secret] = {}
    if isinstance(secrets, Mapping):
        for name, value in cast("Mapping[object, object]", secrets).items():
            named[str(name)] = _secret(value)
    elif isinstance(secrets, str) or not isinstance(secrets, Sequence):
        raise InvalidInput("secrets must be a mapping of names to secrets, or a list of values")
    else:
        for number, value in enumerate(cast("Sequence[object]", secrets)):
            named[f"secret_{number + 1}"] = _secret(value)
    for name, url in (("cdp_url", cdp_url), ("proxy", proxy)):
        for number, part in enumerate(_secret_parts(url)):
            named[f"{name}:{number}"] = Secret(part)
    return named


def _secret(value: object) -> Secret:
    if isinstance(value, Secret):
        return value
    if isinstance(value, str):
        return Secret(value)
    raise InvalidInput("a secret must be a Secret or a string")


def _secret_parts(url: str | None) -> list[str]:
    """What of a connect URL may appear nowhere: the whole, and each credential in it."""
    if url is None:
        return []
    parts = urlsplit(url)
    values = [pair.partition("=")[2] for pair in parts.query.split("&")]
    found = [url, parts.password, parts.path.rsplit("/", 1)[-1], *values]
    return [part for part in found if part and len(part) >= 6]


async def start(
    setup: Setup, *, journal: Journal | None, blobs: BlobStore | None
) -> tuple[Running, Shared]:
    """Record, launch, and put together what sessions share."""
    if journal is None:
        journal = cast("Callable[[], Journal]", provided("journal"))()
    redactor = Redactor(secrets=[secret.value for secret in setup.secrets.values()])
    policy = setup.policy if setup.policy is not None else UrlPolicy.public_web()
    writer = OperationJournal(journal, new_token())
    writer.beside(lambda: reap_quietly(journal))
    running = await launch(setup.options, policy=policy, token=writer.token, journal=writer)
    enforced = setup.policy is not None
    bound = {name: secret for name, secret in setup.secrets.items() if secret.origins}
    if bound:  # one that is bound nowhere is never typed: a page that has it got it from its server
        running.proxy.set_guard(OutgoingCheck.of(bound).check)
    shared = Shared(
        limits=setup.limits,
        policy=policy,
        proxy=running.proxy,
        redactor=redactor,
        secrets=setup.secrets,
        outgoing=OutgoingCheck.of(setup.secrets),
        blobs=blobs,
        artifact_dir=setup.artifact_dir,
        temp_dir=running.ledger.folder if setup.options.cdp_url is None else None,
        upload_dirs=setup.upload_dirs,
        approve=setup.approve,
        on_result=setup.on_result,
        robots=Robots(running.proxy) if setup.robots else None,
        enforced=enforced,
        is_connected=running.is_connected,
        coverage={
            "egress": _egress(policy, enforced=enforced, pinned=running.proxy.pins_addresses),
            "sandbox": running.sandbox,
        },
    )
    return running, shared


def _egress(policy: UrlPolicy, *, enforced: bool, pinned: bool) -> dict[str, object]:
    """What of the browser's traffic the policy binds, and what it cannot see."""
    if not enforced:
        return {"policed": [], "not_policed": ["everything: a remote browser"]}
    unseen = ["paths of https requests"] if policy.has_path_rules else []
    if not pinned:
        unseen.append("addresses that the upstream proxy chooses")
    return {"policed": ["http", "https", "ws", "wss"], "not_policed": unseen}
