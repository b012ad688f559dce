"""``python -m browser_agent``: the command line, where the script is not on the path."""

from __future__ import annotations

from browser_agent.cli.app import main

if __name__ == "__main__":
    main()
