"""What a text is to one side of a translator: words, subwords, or words that are spelled.

What
    A text is split into tokens, tokens have ids, and tokens are joined to a text again. Ids 0 to 2 are special: an
    unknown word, the beginning and the end of a text.
Objective
    text(split(text)) is the text, with runs of white space as one space.
Source
    Sennrich, Haddow and Birch 2016 (subwords, also joint for both sides).
Departures
    Subwords are those of bytes, so that no text is unknown; a text is split as if a space came before it, so that a
    word has the same subwords wherever it stands.
Cost
    One pass over the texts to count the tokens.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError
from firth.text.batches import warn_foreign
from firth.text.byte_level import DOT
from firth.text.joined_words import JOINER, join_marked, split_marked
from firth.text.subwords import Subwords

UNKNOWN, BOS, EOS = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
KINDS = ("words", "subwords", "characters")
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """The tokens of one side.

    Attributes:
        words: V tokens in the order of their ids, the special ones first.
        counts: (V,) int64, in the training texts; of the special ones those that a decoder meets.
        lowercase: whether texts are read in lower case.
        subwords: the tokeniser; None for words.
        spelled: whether words are read by their characters, so that none is unknown.
        characters: of all words of the training texts, where a decoder spells words.
    """

    words: Sequence[str]
    counts: Ids
    lowercase: bool = False
    subwords: Subwords | None = None
    spelled: bool = False
    characters: str = ""

    def __len__(self) -> int:
        return len(self.words)

    @property
    def banned(self) -> tuple[int, ...]:
        """Ids that no search writes: the beginning, and of subwords, which have all bytes, the unknown one."""
        return (BOS,) if self.subwords is None else (UNKNOWN, BOS)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The id of each token."""
        return {word: number for number, word in enumerate(self.words)}

    def split(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return _split(text, self.lowercase, self.subwords)

    def ids(self, tokens: Iterable[str]) -> Ids:
        """Return the ids of tokens."""
        return np.array([self.numbers.get(token, UNKNOWN) for token in tokens], dtype=np.int64)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens of ids."""
        return [self.words[number] for number in ids]

    def text(self, tokens: Iterable[str]) -> str:
        """Return the text of tokens."""
        if self.subwords is None:
            return join_marked(tokens)
        return self.subwords.join(token for token in tokens if token not in SPECIAL).strip()

    def shown(self, tokens: Iterable[str]) -> list[str]:
        """Return tokens as people read them: of subwords the text; with a dot where there is no space."""
        if self.subwords is None:
            return [token.replace(JOINER, DOT) for token in tokens]
        return self.subwords.shown(tokens)

    def described(self) -> dict[str, Any]:
        """Return all but the words, for JSON."""
        return {
            "lowercase": self.lowercase,
            "spelled": self.spelled,
            "characters": self.characters,
            "subwords": None if self.subwords is None else self.subwords.to_str(),
        }


def warn_unknown_language(units: Units, ids: Sequence[Ids], what: str) -> None:
    """Warn the caller if a model knows few tokens of some texts, given their ids with the ends."""
    total, unknown = sum(map(len, ids)) - len(ids), sum(int((own == UNKNOWN).sum()) for own in ids)
    if not units.spelled:
        warn_foreign(unknown, total, what)


def learn_units(
    texts: Sequence[str],
    kind: str,
    size: int,
    *,
    min_count: int = 1,
    lowercase: bool = False,
    targets: int | None = None,
    characters: bool = False,
) -> Units:
    """Return the units of one side, or of both in one.

    Raises:
        CorpusError: no word is left.
    """
    read = [text.lower() for text in texts] if lowercase else texts
    subwords = Subwords.train([f" {text}" for text in read], size) if kind == "subwords" else None
    counts, unknown = Counter[str](), 0
    for text in read:
        counts.update(_split(text, False, subwords))
    if subwords is not None:
        words = list(subwords.vocabulary)
    else:
        kept = sorted((word for word, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
        words = [word for word in kept if word not in SPECIAL][:size]
        unknown = counts.total() - sum(counts[word] for word in words)
        if not words:
            raise CorpusError(f"no word occurs {min_count} times; expected more text, or lower min_count={min_count}")
    special = (unknown, 0, len(texts) if targets is None else targets)
    return Units(
        (*SPECIAL, *words),
        np.array([*special, *(counts[word] for word in words)], dtype=np.int64),
        lowercase,
        subwords,
        kind == "characters",
        "".join(sorted(set().union(*map(bare, counts)))) if characters else "",
    )


def restored_units(
    side: str, words: Any, facts: Mapping[str, Any], counts: Ids, kind: str, *, lowercase: bool
) -> Units:
    """Return the units of a folder.

    Raises:
        KeyError, TypeError, ValueError: they do not fit each other.
    """
    rules, characters = facts["subwords"], facts.get("characters", "")
    given = (facts["lowercase"], facts["spelled"], rules is not None)
    if given != (lowercase, kind == "characters", kind == "subwords") or not all(
        isinstance(fact, bool) for fact in given
    ):
        raise ValueError(f"tokens.json does not describe the {side} as the options do: {kind}, lowercase={lowercase}")
    if not isinstance(characters, str):
        raise ValueError(f"the characters of the {side} are no text")
    if tuple(words[: len(SPECIAL)]) != SPECIAL:
        raise ValueError(f"the first words of the {side} are {words[: len(SPECIAL)]}; expected {', '.join(SPECIAL)}")
    if len(set(words)) != len(words) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"words of the {side} with duplicates")
    subwords = None if rules is None else Subwords(str(rules))
    if subwords is not None and list(words[len(SPECIAL) :]) != subwords.vocabulary:
        raise ValueError(f"the words of the {side} are not its subwords")
    return Units(tuple(words), counts, lowercase, subwords, facts["spelled"], characters)


def bare(word: str) -> str:
    """Return a word without marks of missing spaces."""
    return word.strip(JOINER)


def _split(text: str, lowercase: bool, subwords: Subwords | None) -> list[str]:
    text = text.lower() if lowercase else text
    return split_marked(text) if subwords is None else subwords.tokenize(f" {text}" if text else "")
