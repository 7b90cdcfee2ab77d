"""Translates key names that models write, such as `Esc`, `Return`, `ctrl+a`, `PgDn`, to the browser's names."""

import re
from collections.abc import Mapping

NAMES = (
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", *(f"F{number}" for number in range(1, 13)),
    "Control", "Shift", "Alt", "Meta", "ControlOrMeta",
)  # fmt: skip
"""Keys listed in messages, besides all single characters."""
_OTHERS = (
    "ControlLeft", "ControlRight", "ShiftLeft", "ShiftRight", "AltLeft", "AltRight", "MetaLeft", "MetaRight",
    "AltGraph",
    "CapsLock", "NumLock", "ScrollLock", "ContextMenu", "PrintScreen", "Pause",
    "Backquote", "Minus", "Equal", "Backslash", "BracketLeft", "BracketRight", "Semicolon", "Quote", "Comma", "Period",
    "Slash", *(f"Key{chr(letter)}" for letter in range(65, 91)), *(f"Digit{number}" for number in range(10)),
    *(f"Numpad{name}" for name in (*range(10), "Add", "Subtract", "Multiply", "Divide", "Decimal", "Enter")),
)  # fmt: skip
KEY_NAMES = frozenset((*NAMES, *_OTHERS))
_MODIFIERS = frozenset(("Control", "Shift", "Alt", "Meta", "ControlOrMeta"))

_ALIASES: Mapping[str, str] = {
    **{name.lower(): name for name in (*NAMES, *_OTHERS)},
    "esc": "Escape",
    **dict.fromkeys(("return", "ret", "newline", "linefeed", "\n", "\r", "\r\n", "kpenter", "⏎", "↵"), "Enter"),
    **dict.fromkeys(("\t", "tabulator"), "Tab"),
    **dict.fromkeys(("del", "deletekey", "forwarddelete", "suppr"), "Delete"),
    **dict.fromkeys(("back", "bksp", "bkspc", "bs", "⌫"), "Backspace"),
    "ins": "Insert",
    **dict.fromkeys(("spacebar", "spc"), "Space"),
    **dict.fromkeys(("pgup", "pageu", "pgeup", "prior", "pup"), "PageUp"),
    **dict.fromkeys(("pgdn", "pgdown", "pagedn", "pgdwn", "next", "pdn"), "PageDown"),
    **{word: f"Arrow{name}" for name in ("Up", "Down", "Left", "Right")
       for word in (name.lower(), f"{name.lower()}arrow", f"{name.lower()}key", f"key{name.lower()}")},
    "↑": "ArrowUp", "↓": "ArrowDown", "←": "ArrowLeft", "→": "ArrowRight",
    **dict.fromkeys(("ctrl", "ctl", "cntrl", "control_l", "⌃", "^"), "Control"),
    **dict.fromkeys(("⇧", "shft"), "Shift"),
    **dict.fromkeys(("opt", "option", "⌥"), "Alt"),
    # The command key means the platform's shortcut key.
    **dict.fromkeys(("cmd", "command", "⌘", "cmdorctrl", "ctrlorcmd", "commandorcontrol", "mod"), "ControlOrMeta"),
    **dict.fromkeys(("super", "win", "windows", "os"), "Meta"),
    "plus": "+", "minus": "-", "apps": "ContextMenu", "menu": "ContextMenu",
}  # fmt: skip


def key_name(text: str) -> str | None:
    """Return a key or chord with the browser's names; None if it is neither."""
    for pieces in _splits(text):
        names = [_single(piece) for piece in pieces]
        known_names = [name for name in names if name is not None]
        if len(known_names) < len(names) or not all(name in _MODIFIERS for name in known_names[:-1]):
            continue
        # `Ctrl+A` means the key, not the capital letter, unless there is Shift.
        if len(known_names) > 1 and known_names != pieces and "Shift" not in known_names and len(known_names[-1]) == 1:
            known_names[-1] = known_names[-1].lower()
        return "+".join(known_names)
    return None


def valid_keys() -> str:
    """Return the valid keys, for a message."""
    key_names = [name for name in NAMES if not re.fullmatch(r"F\d+", name)]
    return f"any single character of a keyboard, {', '.join(key_names)}, F1 to F12, and chords such as Control+a"


def _single(piece: str) -> str | None:
    if len(piece) == 1 and piece.isascii() and piece.isprintable():
        return piece
    if piece in KEY_NAMES:
        return piece
    return _ALIASES.get(piece.lower()) or _ALIASES.get(re.sub(r"[\s_-]", "", piece.lower()).strip("{}<>[]"))


def _splits(text: str) -> list[list[str]]:
    """Return the possible readings of a text: as a single key, and as keys joined by +, - or blanks."""
    readings = [[text]] if text in ("\n", "\r", "\r\n", "\t", " ") else [[text.strip()]]
    for sign in (r"\s*\+\s*", r"\s*-\s*", r"\s+"):
        # The separator itself may be the last key: `Control++`.
        last = text.strip()
        head, own = (last[:-2], [last[-1]]) if re.fullmatch(r".+\+\+", last) and "+" in sign else (last, [])
        pieces = [*re.split(sign, head), *own]
        if len(pieces) > 1:
            readings.append(pieces)
    return readings
