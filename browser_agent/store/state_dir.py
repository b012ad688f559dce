"""Where this user's state is kept: the journal, for all processes of the user.

Owns the choice of the folder and its rights (0700). It keeps nothing itself.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from browser_agent.errors import ConfigurationError

VARIABLE = "BROWSER_AGENT_STATE_DIR"


def open_state_dir() -> Path:
    """The state folder, made if missing.

    ``BROWSER_AGENT_STATE_DIR``, else ``$XDG_STATE_HOME/browser_agent``, else
    ``~/.local/state/browser_agent``; where that cannot be written, a private folder of this user
    below the system's folder for temporary files. ConfigurationError when none can be used.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return _made(Path(named)) or _refuse(Path(named))
    folder = _made(_home_state() / "browser_agent")
    fallback = Path(tempfile.gettempdir()) / f"browser_agent-{os.getuid()}"
    return folder or _made(fallback) or _refuse(fallback)


def _home_state() -> Path:
    given = os.environ.get("XDG_STATE_HOME", "")
    return Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"


def _made(folder: Path) -> Path | None:
    """Make the folder; None when it cannot be made, written or is somebody else's."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            return None
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _refuse(folder: Path) -> Path:
    raise ConfigurationError(
        f"the state folder {folder} cannot be written: set {VARIABLE} to a folder of yours"
    )
