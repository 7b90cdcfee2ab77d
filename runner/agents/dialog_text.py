"""Infers from a dialog's text which button continues the task, and what must be typed first."""

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum

from stressweb.perception.dom_view import fit


class ButtonAdvice(IntEnum):
    """What a text says about a button, from best to worst."""

    GOES_ON = 0
    NAMED = 1
    NOT_NAMED = 2
    WARNED_OF = 3


_QUOTED = re.compile(r"[“”\"«»„]([^“”\"«»„]{1,60})[“”\"«»„]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
# Mentions of a button are replaced by its number between two private-use characters, so that a button's own words, such
# as "No thanks", are not mistaken for a warning.
_MENTION = re.compile("\ue000([0-9]+)\ue001")
# Between two mentions, "and" and "or" form a list, which is not split; "but" may introduce an exception.
_CLAUSE = re.compile(
    r"[,:]\s+|\s[-–—]\s|(?<!\ue001)\s+(?:and|or|while|whereas)\s+|\s+(?:(?:and|or|while|whereas)\s+(?!\ue000)|but\s+(?!\ue000))"
)
_ONWARD = (
    r"(?:go(?:es)? on|going on|continu(?:e|es|ed|ing)|carr(?:y|ies) on|carrying on|proceeds?|go(?:es)? ahead|way on|"
    r"moves? on|takes? you on|lets? you (?:through|on|past|by))"
)
_GOES_ON = re.compile(rf"\b{_ONWARD}\b", re.IGNORECASE)
_DOES_NOT = re.compile(
    rf"\b(?:not|never|no longer|neither|nor|without|instead of|cannot)\b[^,;]{{0,40}}?\b{_ONWARD}\b", re.IGNORECASE
)
_WARNS = re.compile(
    r"\b(?:not|no|nothing|never|without|stop(?:s|ped)?|drop(?:s|ped)?|cancel(?:s|led)?|los(?:e|es|t)|"
    r"discard(?:s|ed)?|undo(?:es|ne)?|gives? up|giving up|abandon(?:s|ed)?|end(?:s|ed)?|away|leaves?|quits?)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(r"\b(?:not|never|avoid|neither|nor|instead of|rather than)\b[^,;.]{0,40}?\ue000$", re.IGNORECASE)
_EXCEPTS = re.compile(r"\b(?:but|except(?: for)?|other than|apart from|besides)\s+\ue000$", re.IGNORECASE)
_OTHER_BUTTONS = re.compile(r"\bthe (?:others?|rest)\b|\bother (?:button|one|answer|two)s?\b", re.IGNORECASE)
_LEADS_IN = re.compile(r"(?:to|in order to|if|for|when|in case)\b", re.IGNORECASE)
# A word without quotation marks is recognised by the words around it.
_TYPED = re.compile(
    r"\bword\b(?: to \w+)?(?: is|:)? (?P<word>[\w-]+)|\b(?:type|enter|write|put) (?P<bare>[\w-]+) (?:in|into)\b",
    re.IGNORECASE,
)
_NO_WORDS = frozenset((
    "above", "and", "as", "below", "for", "from", "here", "in", "into", "is", "it", "of", "on", "or", "that", "the",
    "them", "there", "this", "to", "which", "you", "your",
))  # fmt: skip


def button_advice(text: str, names: Sequence[str]) -> list[ButtonAdvice]:
    """Return what a text says about each button, given the buttons' names."""
    marked = _with_numbered_buttons(text, names)
    unnamed_buttons = set(range(len(names))) - {int(mention[1]) for mention in _MENTION.finditer(marked)}
    statements: list[set[ButtonAdvice]] = [set() for _ in names]
    for sentence in _SENTENCE.split(marked):
        for button, advice in _statements(sentence, unnamed_buttons):
            statements[button].add(advice)
    return [_strongest(button_statements) for button_statements in statements]


def to_type(text: str, names: Sequence[str]) -> str | None:
    """Return the word that a text asks the user to type, or None. `names` are the names of the buttons."""
    # A quotation is either a button to press or the word to type.
    for word in _quoted(text):
        if not any(same(name, word) for name in names):
            return word
    if any(same(name, word) for name in names for word in _quoted(text)):
        return None
    words = ((match["word"] or match["bare"]) for match in _TYPED.finditer(text))
    return next((word for word in words if word.lower() not in _NO_WORDS), None)


def same(name: str, word: str) -> bool:
    """Return whether a word in a text is the name of a button."""
    return fit(name, word.rstrip(".,!")) is not None


def _quoted(text: str) -> list[str]:
    return [quote.strip() for quote in _QUOTED.findall(text)]


def _with_numbered_buttons(text: str, button_names: Sequence[str]) -> str:
    """Return the text with every mention of a button replaced by its number."""

    def by_number(quoted: re.Match[str]) -> str:
        ranks = [
            (rank, index)
            for index, name in enumerate(button_names)
            if (rank := fit(name, quoted[1].strip(" .,!"))) is not None
        ]
        return f"\ue000{min(ranks)[1]}\ue001" if ranks else quoted[0]

    marked = _QUOTED.sub(by_number, text)
    # If a text quotes one button, it quotes all; an unquoted "Close" is then an ordinary word.
    if marked != text or not any(button_names):
        return marked
    longest = sorted((name for name in button_names if name), key=len, reverse=True)
    bare = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
    return bare.sub(lambda name: f"\ue000{button_names.index(name[0])}\ue001", text)


def _statements(sentence: str, unnamed_buttons: set[int]) -> Iterator[tuple[int, ButtonAdvice]]:
    """Yield what a sentence says about buttons; `unnamed_buttons` are the buttons that the text does not name."""
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause]
    has_mention = [bool(_MENTION.search(clause) or _OTHER_BUTTONS.search(clause)) for clause in clauses]
    for index, clause in enumerate(clauses):
        if not has_mention[index]:
            continue
        referring_clauses = [
            clauses[neighbour]
            for neighbour in range(len(clauses))
            if not has_mention[neighbour] and _referred_clause(clauses, has_mention, neighbour) == index
        ]
        clause_advice = _clause_advice(clause, referring_clauses)
        for mention in _MENTION.finditer(clause):
            yield int(mention[1]), _mention_advice(clause[: mention.start() + 1], clause_advice)
        if _OTHER_BUTTONS.search(clause):
            yield from ((button, clause_advice) for button in unnamed_buttons)


def _referred_clause(clauses: Sequence[str], has_mention: Sequence[bool], index: int) -> int | None:
    """Return the index of the clause that another one refers to: the next for "To go on", else the previous."""
    previous_mention = next((position for position in range(index - 1, -1, -1) if has_mention[position]), None)
    next_mention = next((position for position in range(index + 1, len(clauses)) if has_mention[position]), None)
    first, second = (
        (next_mention, previous_mention) if _LEADS_IN.match(clauses[index]) else (previous_mention, next_mention)
    )
    return second if first is None else first


def _clause_advice(clause: str, referring_clauses: Sequence[str]) -> ButtonAdvice:
    """Return what a clause says about its button; if it says nothing, what the clauses that refer to it say."""
    for text in (clause, *referring_clauses):
        if _GOES_ON.search(text) and not _DOES_NOT.search(text):
            return ButtonAdvice.GOES_ON
        if _GOES_ON.search(text) or _WARNS.search(text):
            return ButtonAdvice.WARNED_OF
    return ButtonAdvice.NAMED


def _mention_advice(before: str, clause_advice: ButtonAdvice) -> ButtonAdvice:
    """Return what a text says at a mention of a button, from the text before it and what its clause says."""
    if _EXCEPTS.search(before):
        return ButtonAdvice.GOES_ON if clause_advice is ButtonAdvice.WARNED_OF else ButtonAdvice.WARNED_OF
    return ButtonAdvice.WARNED_OF if _REFUSES.search(before) else clause_advice


def _strongest(statements: set[ButtonAdvice]) -> ButtonAdvice:
    # A later sentence may recommend a button that an earlier one warns of.
    for advice in (ButtonAdvice.GOES_ON, ButtonAdvice.WARNED_OF, ButtonAdvice.NAMED):
        if advice in statements:
            return advice
    return ButtonAdvice.NOT_NAMED
