"""Test doubles and fixtures for code that drives browsers and models.

Owns what a test of a robot needs without a network: the fixture site and, beside it, doubles of
the ports. Nothing in the package's other layers may import from here.
"""

from __future__ import annotations

from browser_agent.testing.asserting import (
    assert_failed,
    assert_ok,
    assert_same_result,
    assert_same_run,
    assert_shows,
)
from browser_agent.testing.site import FixtureSite, serve_folder
from browser_agent.testing.wire import Hangup, Request, Response

__all__ = [
    "FixtureSite",
    "Hangup",
    "Request",
    "Response",
    "assert_failed",
    "assert_ok",
    "assert_same_result",
    "assert_same_run",
    "assert_shows",
    "serve_folder",
]
