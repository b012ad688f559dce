"""What would lead around the proxy cannot even be said.

Claims: P8.
"""

from __future__ import annotations

import inspect

import pytest

from browser_agent.browser.browser import Browser

AROUND = (
    "args",
    "extensions",
    "ignore_default_args",
    "launch_options",
    "profile",
    "proxy_bypass",
    "proxy_pac_url",
    "user_data_dir",
)

SETTINGS = {
    *("policy", "limits", "secrets", "headless", "executable_path", "channel", "cdp_url", "proxy"),
    *("user_agent", "robots", "run_dir", "download_dir", "upload_dirs", "approve", "search_url"),
    *("on_result", "journal", "blobs"),
}


@pytest.mark.parametrize("setting", AROUND)
def test_nothing_that_would_go_around_the_proxy_can_be_set(setting: str) -> None:
    with pytest.raises(TypeError, match=setting):
        Browser.launch(**{setting: "x"})  # pyright: ignore[reportArgumentType] - refused


def test_the_settings_of_a_launch_are_these() -> None:
    """A new setting is looked at here before it is let in."""
    assert set(inspect.signature(Browser.launch).parameters) == SETTINGS
