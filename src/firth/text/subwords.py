"""Subword tokenisers: byte pairs, WordPiece and unigrams, learned from a text by the tokenizers library.

All three start from bytes (`byte_level`), so that they write any text and `decode` gives it back as it was: nothing is
folded, composed or left out. They differ in how pieces are chosen and how a chunk of text is cut into them:

- **bpe**: the two neighbours that occur most often become one piece, again and again; a text is cut by the same merges
  (Gage 1994; Sennrich, Haddow and Birch 2016). `byte_pairs` does the same in plain Python.
- **wordpiece**: a chunk is cut from left to right into the longest pieces; pieces that go on have `…` before them
  (Schuster and Nakajima 2012; Devlin et al. 2019). Schuster and Nakajima merge the pair that raises the likelihood of
  the text most, by a score count(ab) / (count(a) count(b)); the library, and so this, merges the most frequent one.
- **unigram**: a piece has a probability, and of all cuts the likeliest is taken; pieces are those of a large set whose
  loss would cost the text's likelihood most (Kudo 2018; Kudo and Richardson 2018).
"""

import contextlib
import functools
import json
import math
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from firth.errors import CorpusError, FormatError, MissingExtraError, OptionError, brief
from firth.storage.files import beginning, check_replaceable, replacing_file
from firth.storage.untrusted import parse_json
from firth.text.byte_level import CHARACTERS, PATTERN, checked, chunks, to_bytes, to_characters
from firth.text.byte_pairs import merged
from firth.text.given import several
from firth.text.segmentation import sampled_longest, sampled_unigram

KINDS = ("bpe", "wordpiece", "unigram")
MARK = "…"  # before a WordPiece that goes on; "##" may stand in a text
_TYPES = {"BPE": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram"}
_DECIMALS = 6  # of a unigram's log-probability, in nats
_SPELT = frozenset(CHARACTERS)
_LONGEST_CHUNK = 1000  # bytes; more than a chunk has


def _is_tokeniser(path: Path) -> bool:
    start = beginning(path).lstrip()
    return start.startswith(b"{") and b'"added_tokens"' in start


check_target = functools.partial(check_replaceable, is_ours=_is_tokeniser, what="tokenisers")


@dataclass(frozen=True)
class Subwords:
    """A subword tokeniser: made by `Subwords.train` or `Subwords.open`.

    It goes wherever text is read: `firth.Corpus.build(texts, tokens=subwords)`. It can be pickled, compared and hashed.

    Attributes:
        rules: the tokeniser as JSON of the tokenizers library.
    """

    rules: str

    def __post_init__(self) -> None:
        _check_rules(self.rules)

    @classmethod
    def train(
        cls, texts: Iterable[str], size: int, *, kind: str = "bpe", min_count: int = 2, progress: bool = False
    ) -> "Subwords":
        """Learn pieces from a text.

        The same text gives the same pieces, but for unigrams: the library sums their counts in an order that changes
        from run to run, which may tip the scales for a rare piece; keep the file.

        Args:
            texts: gone through once: a list, a generator, or an open text file, whose lines are taken with their ends.
            size: pieces; fewer where the text does not give so many.
            kind: "bpe", "wordpiece" or "unigram".
            min_count: fewest times that a pair must occur to be merged; unigrams have no such limit.
            progress: whether the library shows its progress on standard error.

        Raises:
            OptionError: the kind is unknown, or the size is not above the number of bytes that are pieces.
            CorpusError: there is no text, or it holds what UTF-8 cannot.
            MissingExtraError: the tokenizers library is not installed.
        """
        least = 2 * len(CHARACTERS) if kind == "wordpiece" else len(CHARACTERS)
        if kind not in KINDS:
            raise OptionError(f"kind={brief(kind)}: expected one of {', '.join(KINDS)}")
        if not isinstance(size, int) or size <= least:
            raise OptionError(
                f"size={brief(size)}: expected at least {least + 1}, for {least} pieces stand for single bytes"
            )
        return cls(_trained(_counted(several(texts)), size, kind, min_count, progress))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Subwords":
        """Open what `save` wrote.

        Args:
            path: the file.

        Raises:
            FormatError: it is damaged, or was not written by firth.
            OSError: it cannot be read.
        """
        try:
            found = cls(Path(path).read_bytes().decode())
            with contextlib.suppress(MissingExtraError):
                found._tokenizer  # noqa: B018 - what is wrong is said now, and not when a text is cut
            return found
        except (FormatError, UnicodeDecodeError) as error:
            raise FormatError(f"{path}: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokeniser to a file of JSON, which `tokenizers.Tokenizer.from_file` reads as well.

        Args:
            path: the file.

        Raises:
            OptionError: a file of something else is there.
            OSError: it cannot be written.
        """
        check_target(path)
        with replacing_file(path) as file:
            file.write(self.rules.encode())

    def to_str(self) -> str:
        """Return the tokeniser as JSON, by which a corpus and a model remember it."""
        return self.rules

    @cached_property
    def kind(self) -> str:
        """How pieces were chosen: "bpe", "wordpiece" or "unigram"."""
        return _TYPES[self._model["type"]]

    @cached_property
    def pieces(self) -> list[str]:
        """All pieces in the order of their numbers, with a character a byte: `Ġ` is a space."""
        if self.kind == "unigram":
            return [piece for piece, _ in self._model["vocab"]]
        return sorted(self._model["vocab"], key=self._model["vocab"].__getitem__)

    def __len__(self) -> int:
        return len(self.pieces)

    def __reduce__(self) -> tuple[type["Subwords"], tuple[str]]:
        return Subwords, (self.rules,)  # what is made of the rules is made again

    def __repr__(self) -> str:
        return f"Subwords({self.kind}, {len(self):,} pieces)"

    def tokenize(self, text: str, *, sample: float | None = None, seed: int | random.Random = 0) -> list[str]:
        """Return the pieces of a text as strings; see `Subwords.encode` for the arguments and what they raise."""
        if sample is None:
            return list(self._tokenizer.encode(checked(text), add_special_tokens=False).tokens)
        return list(self._sampled(text, sample, random.Random(seed) if isinstance(seed, int) else seed))

    def encode(self, text: str, *, sample: float | None = None, seed: int | random.Random = 0) -> list[int]:
        """Return the numbers of the pieces of a text.

        Args:
            text: any Unicode.
            sample: draws a cut at random in place of the best one. For "bpe" and "wordpiece" the probability with which
                a merge or a piece is passed over, such as 0.1; for "unigram" the power of a cut's probability, such
                as 0.2, where 0 takes all cuts alike.
            seed: of the draw, or a source of random numbers that goes on from call to call.

        Raises:
            OptionError: `sample` is out of its range.
            CorpusError: the text holds a lone surrogate, which UTF-8 cannot.
        """
        if sample is None:
            return list(self._tokenizer.encode(checked(text), add_special_tokens=False).ids)
        return [self._ids[piece] for piece in self.tokenize(text, sample=sample, seed=seed)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text that pieces make; bytes that are no UTF-8, as where a character is cut, become U+FFFD.

        Args:
            ids: numbers of pieces.

        Raises:
            OptionError: a number is not that of a piece.
        """
        numbers = list(ids)
        wrong = next((i for i in numbers if not 0 <= i < len(self)), None)
        if wrong is not None:
            raise OptionError(f"piece {wrong}: expected numbers from 0 to {len(self) - 1}, of this tokeniser's pieces")
        return self.join(self.pieces[i] for i in numbers)

    def join(self, pieces: Iterable[str]) -> str:
        """Return the text that pieces make, given as strings; see `Subwords.decode`.

        Raises:
            OptionError: a piece holds a character that stands for no byte.
        """
        return to_bytes(piece.removeprefix(MARK) for piece in pieces).decode("utf-8", "replace")

    @cached_property
    def _model(self) -> Any:
        return parse_json(self.rules)["model"]

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: i for i, piece in enumerate(self.pieces)}

    @cached_property
    def _tokenizer(self) -> Any:
        """The library's tokenizer.

        Raises:
            FormatError: the library cannot read the rules.
            MissingExtraError: the tokenizers library is not installed.
        """
        library = _library()
        try:
            return library.Tokenizer.from_str(self.rules)
        except Exception as error:  # the library raises nothing more special
            raise FormatError(f"no tokeniser ({error}); expected a complete file of Subwords.save") from error

    def _sampled(self, text: str, strength: float, draw: random.Random) -> Iterator[str]:
        if self.kind == "unigram":
            _check_strength(strength, None)
        else:
            _check_strength(strength, 1.0)
        cut = self._cut
        for chunk in chunks(text):
            yield from cut(to_characters(chunk), strength, draw)

    @cached_property
    def _cut(self) -> Callable[[str, float, random.Random], list[str]]:
        """How a chunk is cut at random."""
        if self.kind == "unigram":
            log_probs: Mapping[str, float] = dict(self._model["vocab"])
            longest = max(map(len, log_probs))
            return lambda chunk, power, draw: sampled_unigram(chunk, log_probs, longest, power, draw)
        if self.kind == "wordpiece":
            return lambda chunk, dropout, draw: sampled_longest(chunk, self._ids, MARK, dropout, draw)
        ranks = {(first, second): rank for rank, (first, second) in enumerate(self._model["merges"])}
        return lambda chunk, dropout, draw: merged(chunk, ranks, dropout, draw)


def _check_strength(strength: float, most: float | None) -> None:
    if not (strength >= 0 and (most is None or strength <= most) and strength != float("inf")):
        expected = "a probability from 0 to 1" if most else "a power of at least 0"
        raise OptionError(f"sample={brief(strength)}: expected {expected}")


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise MissingExtraError("tokenizers", "subword", "cut text into subwords") from error
    return tokenizers


def _counted(texts: Iterable[str]) -> Iterator[str]:
    """The texts, checked."""
    empty = True
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise CorpusError(f"text {i} is {type(text).__name__} {text!r:.40}; expected strings")
        empty = empty and not text
        yield checked(text)
    if empty:
        raise CorpusError("the texts are empty; expected text to learn pieces from; check the source")


def _trained(texts: Iterator[str], size: int, kind: str, min_count: int, progress: bool) -> str:
    library = _library()
    shared = {"vocab_size": size, "show_progress": progress, "initial_alphabet": CHARACTERS}
    # Continuing bytes as "special tokens" have their numbers, which decide ties, however the text brings them.
    continuing = [MARK + character for character in sorted(CHARACTERS)]
    trainer, model = {
        "bpe": lambda: (library.trainers.BpeTrainer(min_frequency=min_count, **shared), library.models.BPE()),
        "wordpiece": lambda: (
            library.trainers.WordPieceTrainer(
                min_frequency=min_count, continuing_subword_prefix=MARK, special_tokens=continuing, **shared
            ),
            library.models.WordPiece(unk_token="!"),
        ),
        "unigram": lambda: (library.trainers.UnigramTrainer(**shared), library.models.Unigram()),
    }[kind]()
    tokenizer = _around(model)
    tokenizer.train_from_iterator(texts, trainer)
    if kind == "wordpiece":
        # Without the mark of special tokens, which would be looked for in texts; and long chunks are none of unknown.
        tokenizer = _around(
            library.models.WordPiece(
                tokenizer.get_vocab(),
                unk_token="!",
                continuing_subword_prefix=MARK,
                max_input_chars_per_word=_LONGEST_CHUNK,
            )
        )
    return _rounded(str(tokenizer.to_str())) if kind == "unigram" else str(tokenizer.to_str())


def _rounded(rules: str) -> str:
    """Round log-probabilities, so that the order in which the library summed their counts is not seen in them."""
    found = parse_json(rules)
    scores = [(piece, round(score, _DECIMALS)) for piece, score in found["model"]["vocab"]]
    found["model"]["vocab"] = sorted(scores, key=lambda each: (-each[1], each[0]))
    return json.dumps(found, ensure_ascii=False)


def _around(model: Any) -> Any:
    """A tokenizer of a model that sees chunks as characters for bytes."""
    library = _library()
    tokenizer, cut = library.Tokenizer(model), library.pre_tokenizers
    tokenizer.pre_tokenizer = cut.Sequence(
        [cut.Split(library.Regex(PATTERN), "isolated"), cut.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return tokenizer


def _check_rules(rules: str) -> None:
    """Refuse JSON that is not what `Subwords.train` makes, by which texts would not be kept whole."""
    try:
        found: Any = parse_json(rules)
        ours = _cuts_as_ours(found) and _is_model(found["model"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError(
            f"no tokeniser ({type(error).__name__}: {error}); expected a file of Subwords.save"
        ) from error
    if not ours:
        raise FormatError(
            "a tokeniser that firth did not make; expected a file of Subwords.save; use others by "
            "tokenizers.Tokenizer.from_file, which Corpus.build takes as well"
        )


def _cuts_as_ours(found: Mapping[str, Any]) -> bool:
    """Return whether texts are cut into chunks by `PATTERN` and nothing is left out, put in, or changed."""
    split, level = found["pre_tokenizer"]["pretokenizers"]
    aside = [found.get(name) for name in ("normalizer", "post_processor", "truncation", "padding")]
    return bool(
        aside == [None] * 4
        and not found.get("added_tokens")
        and (split["type"], split["pattern"]["Regex"], split["behavior"]) == ("Split", PATTERN, "Isolated")
        and split["invert"] is False
        and (level["type"], level["add_prefix_space"], level["use_regex"]) == ("ByteLevel", False, False)
    )


def _is_model(model: Mapping[str, Any]) -> bool:
    """Return whether pieces are numbered without gaps, all bytes among them, and merges are of pieces."""
    kind, vocabulary = model["type"], model["vocab"]
    if kind == "Unigram":
        pieces = [piece for piece, _ in vocabulary]
        whole = all(type(score) in (int, float) and -math.inf < score <= 0 for _, score in vocabulary)
    else:
        pieces = sorted(vocabulary, key=vocabulary.__getitem__)
        numbers = [vocabulary[piece] for piece in pieces]
        whole = numbers == list(range(len(pieces))) and not any(isinstance(number, bool) for number in numbers)
    there = set(pieces)
    merges = [tuple(pair) for pair in model["merges"]] if kind == "BPE" else []
    return bool(
        isinstance(kind, str)
        and kind in _TYPES
        and whole
        and len(there) == len(pieces)
        and there.issuperset(CHARACTERS)
        and all(isinstance(piece, str) and _SPELT.issuperset(piece.removeprefix(MARK)) for piece in pieces)
        and all(a in there and b in there and a + b in there for a, b in merges)
        and (kind != "WordPiece" or model["continuing_subword_prefix"] == MARK)
        and not any(model.get(name) for name in ("dropout", "byte_fallback", "end_of_word_suffix"))
    )
