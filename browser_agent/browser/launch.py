"""Starting a browser: recorded before it runs, typed when it fails, nothing left after a failure.

Owns arguments and environment of the process. No caller's raw switches are accepted: one of them
could undo the egress proxy.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.browser.cleanup import Ledger
from browser_agent.browser.discover import check_channel, find_browser
from browser_agent.browser.driver import Driver, start_driver
from browser_agent.browser.egress import EgressProxy, descends_from
from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.hand import register_hand
from browser_agent.browser.observer import Observer
from browser_agent.browser.processes import (
    OWNER_SWITCH,
    Proc,
    children_of,
    command_of,
    find_driver,
)
from browser_agent.browser.stopping import bounded
from browser_agent.errors import BrowserError

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser

    from browser_agent.browser.journaling import OperationJournal
    from browser_agent.logic.url_policy import UrlPolicy

LAUNCH_TIMEOUT_S = 60.0
_STOP_S = 2.0
_PROFILE_SWITCH = "--user-data-dir="
_LEFT_OUT = ("--disable-popup-blocking", "--disable-ipc-flooding-protection")
"""Switches of Playwright's that are left out. Like for people: a click opens a window, a loop of
``window.open`` does not, and a loop of navigations is slowed down."""

_NOWHERE = "https://0.0.0.0/"
_NO_FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades "
    "HttpsFirstBalancedModeAutoEnable LensOverlay MediaRouter PaintHolding "
    "ThirdPartyStoragePartitioning AvoidCorsURLLoaderRestartOnRedirect TcpPortRandomizationWin "
    "OptimizationHints NetworkTimeServiceQuerying AimEnabled PreconnectToSearch "
    "msForceBrowserSignIn msEdgeUpdateLaunchServicesPreferredVersion "
    "WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup"
)
"""What Playwright switches off, since Chromium heeds the last such switch alone, and the popups of
the address bar: each window loads them in a process of its own, half the cost of a session."""

_QUIET_SWITCHES = (
    f"--gaia-url={_NOWHERE}",
    f"--component-updater=url-source={_NOWHERE}",
    f"--disable-features={_NO_FEATURES.replace(' ', ',')}",
)
"""Chromium's own account and update services are asked nothing: no page wanted that."""

_SANDBOX_WORDS = ("No usable sandbox", "SUID sandbox helper", "Failed to move to new namespace")
_KEPT_VARIABLES = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY"}
    | {"XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}
    | {"XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "DBUS_SESSION_BUS_ADDRESS", "LD_LIBRARY_PATH"}
    | {"FONTCONFIG_PATH", "FONTCONFIG_FILE", "SSL_CERT_FILE", "SSL_CERT_DIR"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """How to start a browser; ``proxy`` is an upstream proxy, ``cdp_url`` a remote browser."""

    headless: bool = True
    executable_path: str | None = None
    channel: str | None = None
    proxy: str | None = field(default=None, repr=False)
    cdp_url: str | None = field(default=None, repr=False)


@dataclass(slots=True, eq=False, kw_only=True)
class Running:
    """A started browser and everything that belongs to it."""

    browser: PlaywrightBrowser
    driver: Driver
    proxy: EgressProxy
    ledger: Ledger
    sandbox: str

    def is_connected(self) -> bool:
        """Whether the browser and the driver that speaks to it are both there.

        Asked of the process table too: the end of a page is told before that of its browser.
        """
        processes = self.ledger.processes.values()
        return self.browser.is_connected() and all(proc.is_alive() for proc in processes)


async def launch(
    options: LaunchOptions, *, policy: UrlPolicy, token: str, journal: OperationJournal
) -> Running:
    """Start proxy, driver and browser. BrowserError when that fails; then nothing is left."""
    check_channel(options.channel)
    ledger = await Ledger.open(token, journal)
    attempt = _Attempt(options, ledger)
    try:
        async with asyncio.timeout(LAUNCH_TIMEOUT_S):
            return await attempt.run(policy)
    except BaseException as error:  # noqa: BLE001 - undone, then raised again below
        failure = error
    await asyncio.shield(attempt.undo())
    # raised out here, a typed error has no __context__: the original's text holds URLs
    if isinstance(failure, BrowserError) or not isinstance(failure, Exception):
        raise failure
    raise _typed(failure, options)


class _Attempt:
    """One launch; keeps what was started so that it can be undone at any point."""

    def __init__(self, options: LaunchOptions, ledger: Ledger) -> None:
        self._options = options
        self._ledger = ledger
        self._driver: Driver | None = None
        self._proxy: EgressProxy | None = None

    async def run(self, policy: UrlPolicy) -> Running:
        proxy = await self._start_proxy(policy)
        driver = self._driver = await start_driver(self._ledger.folder)
        await self._ledger.add_process("driver", driver.process)
        await Observer.register(driver.playwright)
        await register_hand(driver.playwright)
        if self._options.cdp_url is not None:
            browser = await self._connect(driver, self._options.cdp_url)
            sandbox = "unknown: remote browser"
        else:
            browser, sandbox = await self._start(driver, proxy)
        return Running(
            browser=browser,
            driver=driver,
            proxy=proxy,
            ledger=self._ledger,
            sandbox=sandbox,
        )

    async def _start_proxy(self, policy: UrlPolicy) -> EgressProxy:
        proxy = self._proxy = await EgressProxy.start(
            policy=policy, owner=descends_from(self._driver_pid), upstream=self._options.proxy
        )
        await self._ledger.add("port", str(proxy.port))
        return proxy

    def _driver_pid(self) -> int | None:
        """The process whose descendants may use the proxy; None as long as there is none."""
        return self._driver.process.pid if self._driver is not None else None

    async def _start(self, driver: Driver, proxy: EgressProxy) -> tuple[PlaywrightBrowser, str]:
        chromium = driver.playwright.chromium
        sandboxed = os.geteuid() != 0
        program = None
        if self._options.channel is None:
            program = find_browser(self._options.executable_path, chromium.executable_path)
        browser = await chromium.launch(
            executable_path=program,
            channel=self._options.channel,
            headless=self._options.headless,
            chromium_sandbox=sandboxed,
            args=[
                f"{OWNER_SWITCH}{self._ledger.token}",
                *_QUIET_SWITCHES,
                *proxy.chromium_args(),
            ],
            ignore_default_args=_LEFT_OUT,
            env=_environment(str(self._ledger.folder)),
            proxy=proxy.playwright_proxy(),
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        await self._record_browser(driver)
        return browser, "on" if sandboxed else "off: started by root"

    async def _record_browser(self, driver: Driver) -> None:
        found = await asyncio.to_thread(_find_browser_process, driver.process, self._ledger.token)
        if found is None:
            return
        await self._ledger.add_process("browser", found)
        for word in command_of(found.pid):
            if word.startswith(_PROFILE_SWITCH):
                await self._ledger.add("profile", word.removeprefix(_PROFILE_SWITCH))

    async def _connect(self, driver: Driver, url: str) -> PlaywrightBrowser:
        browser = await driver.playwright.chromium.connect_over_cdp(url)
        await self._ledger.add("remote_session", "cdp")
        return browser

    async def undo(self) -> None:
        if self._driver is None:
            folder = str(self._ledger.folder)
            found = await asyncio.to_thread(find_driver, os.getpid(), folder)
            await self._ledger.add_process("driver", found)
        await self._ledger.sample()
        if self._driver is not None:
            await bounded(self._driver.playwright.stop(), _STOP_S)
        if self._proxy is not None:
            await self._proxy.close()
        await self._ledger.finish()


def _find_browser_process(driver: Proc, token: str) -> Proc | None:
    mark = f"{OWNER_SWITCH}{token}"
    return next((proc for proc in children_of(driver.pid) if mark in command_of(proc.pid)), None)


def _environment(folder: str) -> dict[str, str | float | bool]:
    """What the browser sees of our environment: no key and no setting of ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT_VARIABLES or name.startswith("LC_")
    }
    return {**kept, "TMPDIR": folder}


def _typed(error: Exception, options: LaunchOptions) -> BrowserError:
    """A launch failure in words that hold no URL and no path of the caller."""
    text = str(error)
    if options.cdp_url is not None:
        return BrowserError(
            "could not connect to the remote browser: check that its CDP endpoint is up and that "
            "its credential is valid"
        )
    if is_timeout(error):
        return BrowserError(f"the browser did not start within {LAUNCH_TIMEOUT_S:.0f} s")
    if any(words in text for words in _SANDBOX_WORDS):
        return BrowserError(
            "Chromium's sandbox cannot start here: enable unprivileged user namespaces "
            "(sysctl kernel.apparmor_restrict_unprivileged_userns=0) or run in a container as root"
        )
    if "missing X server" in text or "headed browser" in text:
        return BrowserError("a visible browser needs a display: run it headless or under xvfb-run")
    if options.channel is not None and is_playwright_error(error):
        return BrowserError(
            f"channel {options.channel} is not installed: playwright install {options.channel}"
        )
    return BrowserError(
        "the browser could not be started: check that its program runs, or install one with "
        "'playwright install --with-deps chromium' or 'apt-get install chromium'"
    )
