"""Lemmas as edit scripts: how a lemma is made from a word form, as a tag that other forms share.

What
    `script("Bäume", "Baum")` is the same tag as `script("Räume", "Raum")`; `apply` makes the lemma again.
Objective
    A script has a case, a prefix and a suffix: "c|p|s". Form and lemma are compared in lower case. Their longest common
    substring stays (of equally long ones the first of the form); p rewrites what is before it, s what is behind it, by
    as few steps as there can be:

        >    keep a character    -    delete one    +x   insert x

    The case c says how the lemma is written: "l" in lower case, "t" with its first letter in upper case, "u" in upper
    case; "k" edits the form as it is written. A lemma that shares no character with its form, or that none of these
    gives, is a script of its own, "=" and the lemma.
Source
    Straka 2018, "UDPipe 2.0 prototype at CoNLL 2018 UD shared task", section 4.3; Chrupała 2008, "Towards a
    machine-learning architecture for lexical functional grammar parsing", chapter 6 (shortest edit scripts as classes).
Departures
    Straka encodes the case of any stretch of characters; here a lemma in mixed case keeps that of the form.
Cost
    The product of the lengths of form and lemma for a script, the length of the form to apply one.
"""

import functools

LOWER, TITLE, UPPER, KEEP = "l", "t", "u", "k"
SAME = (f"{LOWER}||", f"{KEEP}||")  # the form as lemma: in lower case, and as it is written
_WHOLE, _END = "=", "|"
_COPY, _DELETE, _INSERT = ">", "-", "+"


@functools.lru_cache(maxsize=1 << 16)
def script(form: str, lemma: str) -> str:
    """Return the edit script of a lemma; `apply` of it to the form is the lemma.

    >>> script("Bäume", "Baum"), script("went", "go")
    ('t|>-+a|-', '=go')
    """
    cases = [
        (case, _edits(form.lower(), lemma.lower()))
        for case, write in ((LOWER, str.lower), (TITLE, _title), (UPPER, str.upper))
        if write(lemma) == lemma
    ]
    for case, edits in [*cases, (KEEP, _edits(form, lemma))]:
        candidate = f"{case}{_END}{edits}"
        if edits and apply(candidate, form) == lemma:
            return candidate
    return _WHOLE + lemma


@functools.lru_cache(maxsize=1 << 16)
def apply(script: str, form: str) -> str:
    """Return the lemma that a script makes from any form; a form too short for the script keeps its characters.

    Raises:
        ValueError: no such script.

    >>> apply("t|>-+a|-", "Räume"), apply("l||--", "x")
    ('Raum', 'x')
    """
    if script.startswith(_WHOLE):
        return script[1:]
    case, prefix, suffix = _parsed(script)
    text = form if case == KEEP else form.lower()
    before, behind = (sum(step in (_COPY, _DELETE) for step in steps) for steps in (prefix, suffix))
    edited = text
    if before + behind <= len(text):
        middle = len(text) - behind
        edited = _rewritten(prefix, text[:before]) + text[before:middle] + _rewritten(suffix, text[middle:])
    edited = edited or text
    return {TITLE: _title, UPPER: str.upper}.get(case, str)(edited)


@functools.lru_cache(maxsize=1 << 16)
def removed(script: str, form: str) -> str | None:
    """Return what a script deletes from a form, before and behind "|"; None if the form is too short for it.

    Raises:
        ValueError: no such script, or a lemma of its own.

    >>> removed("t|>-+a|-", "Räume"), removed("l||--", "x")
    ('ä|e', None)
    """
    case, prefix, suffix = _parsed(script)
    text = (form.replace("İ", "i") if case == KEEP else form).lower()  # only İ becomes two characters
    before, behind = (sum(step in (_COPY, _DELETE) for step in steps) for steps in (prefix, suffix))
    if before + behind > len(text):
        return None
    return _END.join(_deleted(*part) for part in ((prefix, text[:before]), (suffix, text[len(text) - behind :])))


def is_whole(script: str) -> bool:
    """Return whether a script is a lemma of its own, whatever the form."""
    return script.startswith(_WHOLE)


def check_script(script: str) -> None:
    """Check that a text is an edit script.

    Raises:
        ValueError: it is none.
    """
    if not is_whole(script):
        _parsed(script)


def _title(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def _edits(form: str, lemma: str) -> str:
    """Return the rewriting of prefix and suffix, "p|s"; "" if form and lemma share no character."""
    start, other_start, length = _common(form, lemma)
    if not length:
        return ""
    prefix = _shortest(form[:start], lemma[:other_start])
    return f"{prefix}{_END}{_shortest(form[start + length :], lemma[other_start + length :])}"


def _common(a: str, b: str) -> tuple[int, int, int]:
    """Return where the longest common substring starts in both, and its length."""
    best = (0, 0, 0)
    lengths = [0] * (len(b) + 1)  # of common substrings that end before each character of b, and the one of a
    for i, character in enumerate(a):
        above = lengths
        lengths = [0, *(above[j] + 1 if character == other else 0 for j, other in enumerate(b))]
        longest = max(lengths)
        if longest > best[2]:
            best = i + 1 - longest, lengths.index(longest) - longest, longest
    return best


def _shortest(a: str, b: str) -> str:
    """Return the shortest steps that rewrite one text as another: deletions and insertions as few as there can be."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]  # characters in common of what is left
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            same = table[i + 1][j + 1] + 1 if a[i] == b[j] else 0
            table[i][j] = max(same, table[i + 1][j], table[i][j + 1])
    steps, i, j = [], 0, 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i] == b[j]:
            steps.append(_COPY)
            i, j = i + 1, j + 1
        elif i < len(a) and table[i][j] == table[i + 1][j]:
            steps.append(_DELETE)
            i += 1
        else:
            steps.append(_INSERT + b[j])
            j += 1
    return "".join(steps)


@functools.lru_cache(maxsize=1 << 14)
def _parsed(script: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the case and the steps of prefix and suffix; an insertion is two characters."""
    parts: list[list[str]] = [[]]
    position = 2
    while position < len(script):
        size = 2 if script[position] == _INSERT else 1
        step = script[position : position + size]
        if step == _END:
            parts.append([])
        else:
            parts[-1].append(step)
        position += size
    steps = [step for part in parts for step in part]
    if (
        len(parts) != 2
        or script[:1] not in (LOWER, TITLE, UPPER, KEEP)
        or script[1:2] != _END
        or not all(step in (_COPY, _DELETE) or (step[0] == _INSERT and len(step) == 2) for step in steps)
    ):
        raise ValueError(f"{script!r}: expected an edit script such as 'l||-'")
    return script[0], tuple(parts[0]), tuple(parts[1])


def _deleted(steps: tuple[str, ...], text: str) -> str:
    reading = [step for step in steps if step in (_COPY, _DELETE)]
    return "".join(character for step, character in zip(reading, text, strict=True) if step == _DELETE)


def _rewritten(steps: tuple[str, ...], text: str) -> str:
    characters = iter(text)
    written = []
    for step in steps:
        if step == _COPY:
            written.append(next(characters))
        elif step == _DELETE:
            next(characters)
        else:
            written.append(step[1])
    return "".join(written)
