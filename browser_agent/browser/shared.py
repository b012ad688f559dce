"""What all sessions of one browser share. Shapes only; the browser builds it at launch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from browser_agent.logic.outgoing import OutgoingCheck

if TYPE_CHECKING:
    from browser_agent.browser.egress import EgressProxy
    from browser_agent.browser.robots import Robots
    from browser_agent.logic.redact import Redactor
    from browser_agent.logic.url_policy import UrlPolicy
    from browser_agent.ports import BlobStore
    from browser_agent.records.limits import BrowserLimits
    from browser_agent.records.policy import Decision, Secret
    from browser_agent.records.result import Result

OnResult = Callable[["Result", str], Awaitable[None] | None]
"""``on_result(result, operation)``; ``operation`` is the operation's name."""


@dataclass(slots=True, eq=False, kw_only=True)
class Shared:
    """Settings and parts that every session of a browser uses.

    ``approve`` is the operator's approval callable or None. ``coverage`` is what stands in every
    Result's coverage (``egress``, ``sandbox``). ``artifact_dir`` is where screenshots, PDFs and
    downloads go; None until the operator named one (then a private folder of the run is made).
    ``outgoing`` is the check of what leaves for registered secrets. ``policy`` grows by
    :meth:`admit`; ``enforced`` is False for a remote browser, whose traffic does not pass our
    proxy. ``robots`` is None when robots.txt does not bind.
    ``is_connected`` says whether the browser is there. ``temp_dir`` is the private folder of the
    browser's temporary files; None where the browser runs on another host.
    """

    limits: BrowserLimits
    policy: UrlPolicy
    proxy: EgressProxy
    redactor: Redactor
    secrets: Mapping[str, Secret] = field(default_factory=dict[str, "Secret"])
    outgoing: OutgoingCheck = field(default_factory=lambda: OutgoingCheck.of({}))
    blobs: BlobStore | None = None
    artifact_dir: Path | None = None
    temp_dir: Path | None = None
    upload_dirs: tuple[Path, ...] = ()
    approve: object | None = None
    on_result: OnResult | None = None
    admitted: set[str] = field(default_factory=set[str])
    coverage: dict[str, object] = field(default_factory=dict[str, object])
    robots: Robots | None = None
    enforced: bool = True
    is_connected: Callable[[], bool] = bool

    def admit(self, url: str) -> Decision:
        """Grant the exact origin of a URL that the operator gave, to the browser's proxy too."""
        policy = self.policy.grant(url)
        decision = policy.decide(url)
        if decision.allowed:
            self.policy = policy
            self.proxy.set_policy(policy)
            self.admitted.add(decision.url)
        return decision
