"""From a judged name to a connected socket: resolve once, check all, dial what was checked.

Owns name resolution for the proxy and the choice among checked addresses. A name is never given to
the operating system to dial: only literal addresses that passed the policy are.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from browser_agent.logic.addresses import AddressClass, classify, literal_address
from browser_agent.logic.url_parts import UrlParts, parse_url
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.policy import Decision

__all__ = ["Admission", "Names", "Resolver", "admit", "dial", "tunnel_url"]

Resolver = Callable[[str], Awaitable[Sequence[str]]]
"""All addresses of a host name, as text; an empty answer or OSError means there is none."""

Connect = Callable[[str], Awaitable[asyncio.Transport]]

HEAD_START_S = 0.25
"""How long one address may take before the next is tried beside it (RFC 8305)."""

_LOOPBACKS = ("127.0.0.1", "::1")
_REMEMBERED = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """A decision on a target with the addresses that passed; none when refused."""

    decision: Decision
    addresses: tuple[str, ...] = ()
    address_class: AddressClass | None = None


class Names:
    """Answers of a resolver, kept for ``keep_s`` seconds; a failure is never kept."""

    def __init__(self, resolver: Resolver | None, *, keep_s: float, timeout_s: float) -> None:
        self._resolver = resolver or resolve_by_system
        self._keep_s = keep_s
        self._timeout_s = timeout_s
        self._answers: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def lookup(self, host: str) -> tuple[str, ...]:
        """The addresses of a canonical host; empty when there is none."""
        literal = literal_address(host)
        if literal is not None:
            return (str(literal),)
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACKS
        now = asyncio.get_running_loop().time()
        until, kept = self._answers.get(host, (0.0, ()))
        if now < until:
            return kept
        answer = await self._ask(host)
        if answer and self._keep_s > 0:
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            self._answers[host] = (now + self._keep_s, answer)
        return answer

    async def _ask(self, host: str) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(self._timeout_s):
                return tuple(dict.fromkeys(await self._resolver(host)))
        except (OSError, UnicodeError):  # a timeout is an OSError too
            return ()


async def resolve_by_system(host: str) -> list[str]:
    """The operating system's answers."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def tunnel_url(policy: UrlPolicy, authority: str) -> UrlParts | None:
    """The URL that a ``CONNECT host:port`` stands for, None when it names no host and port.

    A tunnel may carry https, wss or ws, so it stands for the one that the policy admits.
    """
    host, colon, port = authority.rpartition(":")
    if not colon or not port.isdigit() or not host or set(host) & set("/?#@\\"):
        return None
    urls = [parse_url(f"{scheme}://{host}:{port}/") for scheme in ("https", "http")]
    known = [url for url in urls if url is not None and url.host]
    admitted = [url for url in known if policy.decide_origin(url.href).allowed]
    return (admitted or known or [None])[0]


async def admit(policy: UrlPolicy, names: Names, url: UrlParts) -> Admission:
    """Judge an origin by name, resolve it once, and judge every answer."""
    decision = policy.decide_origin(url.href)
    if not decision.allowed:
        return Admission(decision=decision)
    addresses = await names.lookup(url.host)
    decision = policy.decide_origin(url.href, addresses)
    kinds = sorted({classify(address) for address in addresses} - {AddressClass.PUBLIC})
    kind = kinds[0] if kinds else AddressClass.PUBLIC
    return Admission(
        decision=decision,
        addresses=addresses if decision.allowed else (),
        address_class=kind if addresses else None,
    )


async def dial(addresses: Sequence[str], connect: Connect) -> asyncio.Transport:
    """Connect to the first of ``addresses`` that answers; each gets a short head start.

    Raises OSError when none does. Every attempt that lost is cancelled or closed.
    """
    waiting = list(addresses)
    pending: set[asyncio.Task[asyncio.Transport]] = set()
    try:
        return await _race(waiting, pending, connect)
    finally:
        for task in pending:
            task.cancel()
        for lost in await asyncio.gather(*pending, return_exceptions=True):
            if isinstance(lost, asyncio.Transport):
                lost.abort()


async def _race(
    waiting: list[str], pending: set[asyncio.Task[asyncio.Transport]], connect: Connect
) -> asyncio.Transport:
    failure = OSError("no address")
    while waiting or pending:
        if waiting:
            pending.add(asyncio.ensure_future(_attempt(connect, waiting.pop(0))))
        done, _ = await asyncio.wait(
            pending,
            timeout=HEAD_START_S if waiting else None,
            return_when=asyncio.FIRST_COMPLETED,
        )
        for task in done:
            error = task.exception()
            if error is None:
                pending.discard(task)
                return task.result()
            if not isinstance(error, OSError):
                raise error
            failure = error
            pending.discard(task)
    raise failure


async def _attempt(connect: Connect, address: str) -> asyncio.Transport:
    return await connect(address)
