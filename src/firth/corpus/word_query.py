r"""What a user looks for in a text: a word, a phrase or a pattern, as the words of a corpus are made.

    honour              the word, in the forms that the corpus takes for one, such as Honour
    sense of honour     words that follow each other in one sentence
    hono*r*             * stands for any letters, or none
    wom?n               ? stands for one letter
    honour|honesty      one of several
    sense of * honour   * alone stands for any one word

A backslash makes a sign stand for itself: `\*`. These are the wildcards of shells and of most concordancers; regular
expressions are not read, since most of their signs end words of the text.
"""

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from firth.errors import CorpusError, brief
from firth.text.token_spans import TokenFinder, without_final_sigma
from firth.text.tokenise import tokeniser

_ANY, _ONE = "\ua4d0", "\ua4d1"  # letters that stand for * and ?: every rule for words leaves them as they are
_SIGN = re.compile(r"\\(.)|([*?|])", re.DOTALL)
_OR = "\0"


@dataclass(frozen=True)
class WordQuery:
    """A word, a phrase or a pattern.

    Attributes:
        written: as the user wrote it.
        parts: a pattern for each of the words that follow each other.
        literals: letters of which one must stand in a text that holds the first word, or another; empty if unknown.
        word: the word itself where the query is one word without a pattern.
    """

    written: str
    parts: tuple[re.Pattern[str], ...]
    literals: tuple[str, ...]
    word: str | None

    def matchers(self) -> Sequence[Callable[[str], bool]]:
        """Return for each of the words a function that says whether a token is one; answers are kept."""
        return [functools.lru_cache(1 << 16)(functools.partial(_matches, part)) for part in self.parts]

    def may_match(self, text: str, token_finder: TokenFinder) -> bool:
        """Whether a text may hold what is looked for: quick, and wrong only by saying yes."""
        if token_finder.folded is None or not self.literals:
            return True
        folded = token_finder.folded(text)
        return any(literal in folded for literal in self.literals)


def _matches(part: re.Pattern[str], word: str) -> bool:
    return part.fullmatch(word) is not None


def word_query(written: Any, tokens: Any) -> WordQuery:
    """Read what a user looks for.

    Args:
        tokens: the rule for words of the text; see `firth.text.tokenise.tokeniser`.

    Raises:
        CorpusError: it holds no word.
    """
    if not isinstance(written, str) or not written.strip():
        raise CorpusError(f"found {brief(written)}; expected a word, a phrase such as 'sense of honour', or a pattern")
    marked = _SIGN.sub(lambda match: match[1] or {"*": _ANY, "?": _ONE, "|": _OR}[match[2]], written)
    split = tokeniser(tokens)
    parts = [part for word in marked.split() for part in _parts(word, split, written)]
    if not parts:
        raise CorpusError(f"{brief(written)}: holds no word, only signs that end words; expected a word")
    plain = [alternatives for alternatives in parts if len(alternatives) == 1 and not _is_pattern(alternatives[0])]
    word = parts[0][0] if len(parts) == len(plain) == 1 else None
    return WordQuery(written, tuple(map(_compiled, parts)), _literals(parts), word)


def _parts(word: str, split: Callable[[str], list[str]], written: str) -> list[tuple[str, ...]]:
    """Return the words that what stands between spaces is, each as its alternatives."""
    if word in (_ANY, _ONE):
        return [(word,)]
    if _OR not in word:
        return [(token,) for token in _split(word, split)]
    words = [_split(alternative, split) for alternative in word.split(_OR) if alternative]
    if not words:
        raise CorpusError(f"{brief(written)}: | without words; expected them next to it, such as honour|honesty")
    if any(len(tokens) != 1 for tokens in words):
        parts = ", ".join(" ".join(tokens) for tokens in words).replace(_ANY, "*").replace(_ONE, "?")
        raise CorpusError(f"{brief(written)}: | stands between single words; the corpus reads {parts}")
    return [tuple(tokens[0] for tokens in words)]


def _split(word: str, split: Callable[[str], list[str]]) -> list[str]:
    tokens = split(word)
    kept = all("".join(tokens).count(sign) == word.count(sign) for sign in (_ANY, _ONE))
    return tokens if kept else [word.lower()]  # by a rule that leaves out all but a few letters


def _is_pattern(word: str) -> bool:
    return _ANY in word or _ONE in word


def _compiled(alternatives: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, alternatives)), re.DOTALL)


def _expression(word: str) -> str:
    """Return a pattern as a regular expression that tries a word in one way: each part is taken where it is first.

    Without the atomic groups, a dozen stars and a word of 300 letters take years.
    """
    first, *rest = (re.escape(part).replace(_ONE, ".") for part in word.split(_ANY))
    if not rest:
        return first
    return "".join([first, *(f"(?>.*?{part})" for part in rest[:-1]), ".*", rest[-1]])


def _literals(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the letters of the word that says most: of each alternative the longest that is given."""
    choices = [
        tuple(max(re.split(f"[{_ANY}{_ONE}]", without_final_sigma(word)), key=len) for word in alternatives)
        for alternatives in parts
    ]
    complete = [choice for choice in choices if all(choice)]
    return max(complete, key=lambda choice: min(map(len, choice)), default=())
