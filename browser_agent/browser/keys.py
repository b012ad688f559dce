"""Names of keys and chords, as people and models write them, to the browser's own names.

Pure. Owns the table of names; it presses nothing.
"""

from __future__ import annotations

from browser_agent.errors import InvalidInput

_MODIFIERS = {
    "alt": "Alt",
    "option": "Alt",
    "control": "Control",
    "ctrl": "Control",
    "controlormeta": "Control",
    "shift": "Shift",
    "meta": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "win": "Meta",
    "super": "Meta",
}
_NAMES = {
    "arrowdown": "ArrowDown",
    "arrowleft": "ArrowLeft",
    "arrowright": "ArrowRight",
    "arrowup": "ArrowUp",
    "backspace": "Backspace",
    "bksp": "Backspace",
    "capslock": "CapsLock",
    "contextmenu": "ContextMenu",
    "del": "Delete",
    "delete": "Delete",
    "down": "ArrowDown",
    "end": "End",
    "enter": "Enter",
    "esc": "Escape",
    "escape": "Escape",
    "home": "Home",
    "insert": "Insert",
    "left": "ArrowLeft",
    "numlock": "NumLock",
    "pagedown": "PageDown",
    "pageup": "PageUp",
    "pgdn": "PageDown",
    "pgup": "PageUp",
    "pause": "Pause",
    "printscreen": "PrintScreen",
    "return": "Enter",
    "right": "ArrowRight",
    "scrolllock": "ScrollLock",
    "space": "Space",
    "spacebar": "Space",
    "tab": "Tab",
    "up": "ArrowUp",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}
_HINT = "Write one character, a name such as Enter, Tab, Escape, ArrowDown, or Control+A."


def chord(text: str) -> str:
    """The browser's spelling of a key or chord: ``ctrl+shift+a`` gives ``Control+Shift+A``.

    Raises InvalidInput for a name that no keyboard has.
    """
    parts = _split(text)
    if not parts:
        raise InvalidInput(f"No key is named. {_HINT}", hint=_HINT)
    held = [modifier(part) for part in parts[:-1]]
    last = _key(parts[-1])
    if "Shift" in held and len(last) == 1:
        last = last.upper()
    return "+".join([*dict.fromkeys(held), last])


def modifier(text: str) -> str:
    """The browser's spelling of a modifier key; raises InvalidInput for anything else."""
    found = _MODIFIERS.get(text.strip().lower())
    if found is None:
        raise InvalidInput(f"'{text[:40]}' is no modifier: use Alt, Control, Meta or Shift.")
    return found


def _split(text: str) -> list[str]:
    """Cut at plus signs; the plus key itself stands alone or last (``Control++``)."""
    if len(text) == 1:
        return [text]
    body, plus_last = (text[:-1], True) if text.endswith("++") else (text, False)
    parts = [part.strip() for part in body.split("+")]
    if plus_last:
        parts = [part for part in parts if part] + ["+"]
    return parts if all(parts) else []


def _key(name: str) -> str:
    if len(name) == 1:
        return name
    lower = name.lower()
    found = _NAMES.get(lower.replace("_", "").replace("-", "").replace(" ", ""))
    found = found or _MODIFIERS.get(lower)
    if found is None:
        raise InvalidInput(f"No key is named '{name[:40]}'. {_HINT}", hint=_HINT)
    return found
