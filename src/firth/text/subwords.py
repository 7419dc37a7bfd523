"""Subword tokenisers: BPE, WordPiece, unigram and characters, for the tokenizers library.

All are byte-level (`byte_level`): they encode any text, and `decode` restores it exactly. No character is folded,
composed or dropped. They differ in how subwords are chosen and how a chunk of text is split into them:

- **bpe**: the most frequent pair of neighbours is merged, again and again; a text is split by the same merges (Gage
  1994; Sennrich, Haddow and Birch 2016). `byte_pairs` does the same in plain Python.
- **wordpiece**: a chunk is split from left to right into the longest subwords; continuing subwords have the prefix `…`
  (Schuster and Nakajima 2012; Devlin et al. 2019). Schuster and Nakajima merge the pair that increases the likelihood
  most, by the score count(ab) / (count(a) count(b)); the library merges the most frequent pair.
- **unigram**: each subword has a probability, and the most probable segmentation is used; the vocabulary is pruned from
  a large set, dropping the subwords that matter least to the likelihood (Kudo 2018; Kudo and Richardson 2018).
- **characters**: each character of the training text is a token; other characters are split into their bytes.
"""

import contextlib
import functools
import math
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from firth.arguments import explained, names_files
from firth.errors import CorpusError, FormatError, MissingExtraError, OptionError, brief
from firth.storage.files import check_replaceable, first_bytes, replacing_file
from firth.storage.untrusted import file_bytes, parse_json
from firth.text.byte_level import CHARACTERS, MARK, PATTERN, checked, chunks, shown, to_bytes, to_characters
from firth.text.byte_pairs import BytePairEncoding, apply_merges, character_merges
from firth.text.inputs import check_items
from firth.text.segmentation import sample_unigram, sample_wordpiece

KINDS = ("bpe", "wordpiece", "unigram")
_TYPES = {"BPE": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram"}
_DECIMALS = 6  # digits of unigram log-probabilities, in nats
_BYTE_CHARACTERS = frozenset(CHARACTERS)
_LONGEST_CHUNK = 1000  # bytes; longer than any chunk


def _is_tokeniser(path: Path) -> bool:
    start = first_bytes(path).lstrip()
    return start.startswith(b"{") and b'"added_tokens"' in start


check_target = functools.partial(check_replaceable, is_ours=_is_tokeniser, what="tokenisers")


@dataclass(frozen=True)
class Subwords:
    """A subword tokeniser, made by `Subwords.train` or `Subwords.open`.

    Use it as the tokeniser of a corpus: `firth.Corpus.build(texts, tokens=subwords)`. It can be pickled, compared and
    hashed.

    Attributes:
        rules: the tokeniser as JSON, in the format of the tokenizers library.
    """

    rules: str

    def __post_init__(self) -> None:
        _check_rules(self.rules)

    @classmethod
    @explained
    def train(
        cls, texts: Iterable[str], size: int, *, kind: str = "bpe", min_count: int = 2, progress: bool = False
    ) -> "Subwords":
        """Train a subword tokeniser on texts.

        The same texts give the same subwords, in any order of the texts for "unigram".

        Args:
            texts: read once: a list, a generator, or an open text file, whose lines keep their line feeds.
            size: vocabulary size; smaller if the texts do not give so many subwords.
            kind: "bpe", "wordpiece" or "unigram".
            min_count: minimum count of a pair to be merged; not used by "unigram".
            progress: whether the library shows progress on standard error; it does not train "unigram".

        Raises:
            OptionError: the kind is unknown, or the size does not exceed the number of single bytes.
            CorpusError: the texts are empty, or contain a lone surrogate, which UTF-8 cannot encode.
            MissingExtraError: the tokenizers library is not installed.
        """
        least = 2 * len(CHARACTERS) if kind == "wordpiece" else len(CHARACTERS)
        if kind not in KINDS:
            raise OptionError(f"kind={brief(kind)}: expected one of {', '.join(KINDS)}")
        if not isinstance(size, int) or size <= least:
            raise OptionError(
                f"size={brief(size)}: expected at least {least + 1}, as {least} subwords are single bytes"
            )
        return cls(_trained(_checked_texts(check_items(texts)), size, kind, min_count, progress))

    @classmethod
    def characters(cls, texts: Iterable[str], size: int | None = None, *, min_count: int = 1) -> "Subwords":
        """Return a tokeniser whose tokens are the characters of texts; a character that is not among them is its bytes.

        Args:
            texts: read once.
            size: maximum vocabulary size, the 256 bytes included; the most frequent characters are kept.
            min_count: minimum count of a character that becomes a token.

        Raises:
            CorpusError: the texts are empty, or contain a lone surrogate, which UTF-8 cannot encode.
            MissingExtraError: the tokenizers library is not installed.
        """
        counts = Counter[str]()
        for text in _checked_texts(check_items(texts)):
            counts.update(text)
        encoding = BytePairEncoding(character_merges(counts, size, min_count))
        model = _library().models.BPE(encoding.ids, list(encoding.merges))
        return cls(str(_byte_level(model).to_str()))

    @classmethod
    @names_files
    def open(cls, path: str | os.PathLike[str]) -> "Subwords":
        """Open a tokeniser saved by `save`.

        Raises:
            FormatError: the file is damaged, or was not written by firth.
            OSError: the file cannot be read.
        """
        try:
            subwords = cls(file_bytes(Path(path)).decode())
            with contextlib.suppress(MissingExtraError):
                subwords._tokenizer  # noqa: B018 - errors are raised now, not at the first text
            return subwords
        except (FormatError, UnicodeDecodeError) as error:
            raise FormatError(f"{path}: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the tokeniser as JSON, which `tokenizers.Tokenizer.from_file` reads as well.

        Raises:
            OptionError: the path is a file with other content.
            OSError: the file cannot be written.
        """
        check_target(path)
        with replacing_file(path) as file:
            file.write(self.rules.encode())

    def to_str(self) -> str:
        """Return the tokeniser as JSON; corpora and models store this."""
        return self.rules

    @cached_property
    def kind(self) -> str:
        """The kind of tokeniser: "bpe", "wordpiece" or "unigram"."""
        return _TYPES[self._model["type"]]

    @cached_property
    def unit(self) -> str:
        """What a token is: "characters" if none has more than one, else "subwords"."""
        return "subwords" if any(num_characters(subword) > 1 for subword in self.vocabulary) else "characters"

    @cached_property
    def vocabulary(self) -> list[str]:
        """All subwords in the order of their ids, one character per byte: `Ġ` is a space."""
        if self.kind == "unigram":
            return [subword for subword, _ in self._model["vocab"]]
        return sorted(self._model["vocab"], key=self._model["vocab"].__getitem__)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __reduce__(self) -> tuple[type["Subwords"], tuple[str]]:
        return Subwords, (self.rules,)

    def __repr__(self) -> str:
        return f"Subwords({self.kind}, {len(self):,} subwords)"

    def tokenize(self, text: str, *, sample: float | None = None, seed: int | random.Random = 0) -> list[str]:
        """Return the subwords of a text as strings; arguments and errors as in `Subwords.encode`."""
        if sample is None:
            return list(self._tokenizer.encode(checked(text), add_special_tokens=False).tokens)
        return list(self._sampled(text, sample, random.Random(seed) if isinstance(seed, int) else seed))

    def encode(self, text: str, *, sample: float | None = None, seed: int | random.Random = 0) -> list[int]:
        """Return the ids of the subwords of a text.

        Args:
            text: any Unicode text.
            sample: samples a segmentation instead of the best one (subword regularisation). For "bpe" and "wordpiece"
                the probability of skipping a merge or subword, such as 0.1; for "unigram" the exponent of the
                segmentation's probability, such as 0.2; 0 makes all segmentations equally likely.
            seed: random seed, or a `random.Random` that continues from call to call.

        Raises:
            OptionError: `sample` is out of its range.
            CorpusError: the text contains a lone surrogate, which UTF-8 cannot encode.
        """
        if sample is None:
            return list(self._tokenizer.encode(checked(text), add_special_tokens=False).ids)
        return [self._ids[subword] for subword in self.tokenize(text, sample=sample, seed=seed)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of subword ids; invalid UTF-8, such as a part of a character, becomes U+FFFD.

        Raises:
            OptionError: an id is out of range.
        """
        ids = list(ids)
        invalid = next((i for i in ids if not 0 <= i < len(self)), None)
        if invalid is not None:
            raise OptionError(f"subword id {invalid}: expected ids from 0 to {len(self) - 1}")
        return self.join(self.vocabulary[i] for i in ids)

    def join(self, subwords: Iterable[str]) -> str:
        """Return the text of subwords given as strings; see `Subwords.decode`.

        Raises:
            OptionError: a subword contains a character that represents no byte.
        """
        return to_bytes(subword.removeprefix(MARK) for subword in subwords).decode("utf-8", "replace")

    def shown(self, subwords: Iterable[str]) -> list[str]:
        """Return subwords as people read them: their text, with a dot where no space comes before.

        A space alone is `␣`; other white space and bytes that are no whole character are shown as escapes. What
        is no subword, such as `</s>`, stays.
        """
        return [shown(subword, self.unit) if subword in self._ids else subword for subword in subwords]

    @cached_property
    def _model(self) -> Any:
        return parse_json(self.rules)["model"]

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {subword: i for i, subword in enumerate(self.vocabulary)}

    @cached_property
    def _tokenizer(self) -> Any:
        """The tokenizer of the tokenizers library.

        Raises:
            FormatError: the library cannot read the rules.
            MissingExtraError: the tokenizers library is not installed.
        """
        library = _library()
        try:
            return library.Tokenizer.from_str(self.rules)
        except Exception as error:  # the library raises plain exceptions
            raise FormatError(f"not a tokeniser ({error}); expected a complete file saved by Subwords.save") from error

    def _sampled(self, text: str, strength: float, rng: random.Random) -> Iterator[str]:
        if self.kind == "unigram":
            _check_strength(strength, None)
        else:
            _check_strength(strength, 1.0)
        segment = self._segment
        for chunk in chunks(text):
            yield from segment(to_characters(chunk), strength, rng)

    @cached_property
    def _segment(self) -> Callable[[str, float, random.Random], list[str]]:
        """Function that samples the segmentation of a chunk."""
        if self.kind == "unigram":
            log_probs: Mapping[str, float] = dict(self._model["vocab"])
            longest = max(map(len, log_probs))
            return lambda chunk, power, rng: sample_unigram(chunk, log_probs, longest, power, rng)
        if self.kind == "wordpiece":
            return lambda chunk, dropout, rng: sample_wordpiece(chunk, self._ids, MARK, dropout, rng)
        ranks = {(first, second): rank for rank, (first, second) in enumerate(self._model["merges"])}
        return lambda chunk, dropout, rng: apply_merges(chunk, ranks, dropout, rng)


def unit_of(tokens: Any) -> str | None:
    """Return the unit of learned tokens, "subwords" or "characters", or of their JSON; None for other tokens."""
    if isinstance(tokens, str) and tokens.startswith("{"):
        with contextlib.suppress(FormatError):  # a tokenizer of another library
            return Subwords(tokens).unit
    return tokens.unit if isinstance(tokens, Subwords) else None


def num_characters(subword: str) -> int:
    """Return the number of characters that start in a subword; their other bytes may be in the next ones."""
    return sum(byte & 0xC0 != 0x80 for byte in to_bytes(subword.removeprefix(MARK)))


def _check_strength(strength: float, maximum: float | None) -> None:
    if not (strength >= 0 and (maximum is None or strength <= maximum) and strength != float("inf")):
        expected = "a probability from 0 to 1" if maximum else "an exponent of at least 0"
        raise OptionError(f"sample={brief(strength)}: expected {expected}")


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise MissingExtraError("tokenizers", "subword", "split text into subwords") from error
    return tokenizers


def _checked_texts(texts: Iterable[str]) -> Iterator[str]:
    empty = True
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise CorpusError(f"text {i} is {type(text).__name__} {text!r:.40}; expected strings")
        empty = empty and not text
        yield checked(text)
    if empty:
        raise CorpusError("the texts are empty; expected text to train on; check the source")


def _trained(texts: Iterator[str], size: int, kind: str, min_count: int, progress: bool) -> str:
    library = _library()
    if kind == "unigram":
        model = library.models.Unigram(_unigrams(texts, size), unk_id=None, byte_fallback=False)
        return str(_byte_level(model).to_str())
    shared = {"vocab_size": size, "show_progress": progress, "initial_alphabet": CHARACTERS, "min_frequency": min_count}
    if kind == "bpe":
        tokenizer, trainer = _byte_level(library.models.BPE()), library.trainers.BpeTrainer(**shared)
        tokenizer.train_from_iterator(texts, trainer)
        return str(tokenizer.to_str())
    # As "special tokens" the continuing bytes have fixed ids, which decide ties whatever the order of the text.
    continuing = [MARK + character for character in sorted(CHARACTERS)]
    trainer = library.trainers.WordPieceTrainer(continuing_subword_prefix=MARK, special_tokens=continuing, **shared)
    tokenizer = _byte_level(library.models.WordPiece(unk_token="!"))
    tokenizer.train_from_iterator(texts, trainer)
    # As ordinary tokens, so that they are not searched for in texts; and with room for the longest chunk.
    model = library.models.WordPiece(
        tokenizer.get_vocab(), unk_token="!", continuing_subword_prefix=MARK, max_input_chars_per_word=_LONGEST_CHUNK
    )
    return str(_byte_level(model).to_str())


def _unigrams(texts: Iterator[str], size: int) -> list[tuple[str, float]]:
    """Return subwords, one character per byte, and their log-probabilities in nats, the likeliest first."""
    from firth.text.unigrams import train_unigrams  # its kernels are loaded for training only

    counts = Counter[str]()
    for text in texts:
        counts.update(chunks(text))
    subwords = train_unigrams({chunk.encode(): count for chunk, count in counts.items()}, size)
    named = [("".join(CHARACTERS[byte] for byte in subword), round(score, _DECIMALS)) for subword, score in subwords]
    return sorted(named, key=lambda entry: (-entry[1], entry[0]))


def _byte_level(model: Any) -> Any:
    """Return a byte-level tokenizer with the given model."""
    library = _library()
    tokenizer, pre = library.Tokenizer(model), library.pre_tokenizers
    tokenizer.pre_tokenizer = pre.Sequence(
        [pre.Split(library.Regex(PATTERN), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return tokenizer


def _check_rules(rules: str) -> None:
    """Refuse tokenizers that `Subwords.train` did not make: they may lose parts of a text."""
    try:
        content: Any = parse_json(rules)
        is_ours = _splits_like_ours(content) and _is_model(content["model"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError(
            f"not a tokeniser ({type(error).__name__}: {error}); expected a file saved by Subwords.save"
        ) from error
    if not is_ours:
        raise FormatError(
            "a tokeniser that firth did not make; expected a file saved by Subwords.save; open others with "
            "tokenizers.Tokenizer.from_file, which Corpus.build also takes"
        )


def _splits_like_ours(content: Mapping[str, Any]) -> bool:
    """Whether texts are split into chunks by `PATTERN`, and nothing is removed, inserted or changed."""
    split, level = content["pre_tokenizer"]["pretokenizers"]
    parts = [content.get(name) for name in ("normalizer", "post_processor", "truncation", "padding")]
    return bool(
        parts == [None] * 4
        and not content.get("added_tokens")
        and (split["type"], split["pattern"]["Regex"], split["behavior"]) == ("Split", PATTERN, "Isolated")
        and split["invert"] is False
        and (level["type"], level["add_prefix_space"], level["use_regex"]) == ("ByteLevel", False, False)
    )


def _is_model(model: Mapping[str, Any]) -> bool:
    """Whether subword ids have no gaps, all bytes are subwords, and merges join subwords."""
    kind, vocabulary = model["type"], model["vocab"]
    if kind == "Unigram":
        subwords = [subword for subword, _ in vocabulary]
        valid = all(type(score) in (int, float) and -math.inf < score <= 0 for _, score in vocabulary)
    else:
        subwords = sorted(vocabulary, key=vocabulary.__getitem__)
        ids = [vocabulary[subword] for subword in subwords]
        valid = ids == list(range(len(subwords))) and not any(isinstance(i, bool) for i in ids)
    subword_set = set(subwords)
    merges = [tuple(pair) for pair in model["merges"]] if kind == "BPE" else []
    return bool(
        isinstance(kind, str)
        and kind in _TYPES
        and valid
        and len(subword_set) == len(subwords)
        and subword_set.issuperset(CHARACTERS)
        and all(
            isinstance(subword, str) and _BYTE_CHARACTERS.issuperset(subword.removeprefix(MARK)) for subword in subwords
        )
        and all(a in subword_set and b in subword_set and a + b in subword_set for a, b in merges)
        and (kind != "WordPiece" or model["continuing_subword_prefix"] == MARK)
        and not any(model.get(name) for name in ("dropout", "byte_fallback", "end_of_word_suffix"))
    )
