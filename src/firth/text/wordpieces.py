"""WordPiece vocabularies with special tokens, as encoders in the layout of BERT read text.

What
    Text is cleaned and, if asked for, lower-cased without accents; split at spaces and around punctuation; and each
    word is split from left to right into the longest pieces of the vocabulary. Pieces that continue a word begin with
    `##`. A word that cannot be split so is `[UNK]`.
Objective
    Learning merges the most frequent pair of neighbours, again and again, until the vocabulary is full.
Source
    Schuster and Nakajima 2012 (WordPiece); Devlin et al. 2019 and the BERT tokenizer of Hugging Face's tokenizers
    library, which does the work: the same file opens in `transformers.AutoTokenizer`.
Departures
    Schuster and Nakajima merge the pair that increases the likelihood most; the library the most frequent one. The
    characters of the vocabulary are the most frequent ones of the text, at most an eighth of its size, numbered in
    the order of Unicode, so that the same texts give the same pieces. The library alone numbers continuing characters
    in random order.
Cost
    About a second per million characters to learn, half of that to split.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import CorpusError, FormatError, MissingExtraError, OptionError, brief
from firth.storage.untrusted import parse_json
from firth.text.inputs import check_items

PAD, UNK, CLS, SEP, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUED = "##"  # prefix of pieces that continue a word
CHARACTER_SHARE = 8  # of the vocabulary, at most one in so many pieces is a single character
GAPS = 100_000  # ids without a piece that a vocabulary may have
LEAST = 64  # pieces besides the special tokens
MAX_WORD = 100  # characters; longer words are unknown

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class WordPieces:
    """A WordPiece tokeniser with special tokens, made by `WordPieces.train` or opened from JSON.

    Attributes:
        rules: JSON of the tokenizers library.

    Raises:
        FormatError: the JSON is no tokeniser with all five special tokens, or an id is far above the number of pieces.
    """

    rules: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", _canonical(self.rules))
        missing = [token for token in SPECIAL if token not in self._vocabulary]
        if missing:
            raise FormatError(
                f"a vocabulary of {len(self._vocabulary):,} pieces without {', '.join(missing)}; expected one with the "
                f"special tokens {', '.join(SPECIAL)}, such as firth.WordPieces.train makes"
            )

    @classmethod
    @explained
    def train(
        cls, texts: Iterable[str], size: int = 8000, *, lowercase: bool = True, min_count: int = 2
    ) -> "WordPieces":
        """Learn a vocabulary from texts. The same texts give the same pieces.

        Args:
            texts: read once.
            size: number of pieces, special tokens included; fewer if the texts do not give so many.
            lowercase: whether text is lower-cased and loses its accents.
            min_count: minimum count of a pair to be merged.

        Raises:
            OptionError: the size leaves no room for pieces.
            CorpusError: the texts are empty.
            MissingExtraError: the tokenizers library is not installed.
        """
        if not isinstance(size, int) or size < LEAST + len(SPECIAL):
            raise OptionError(f"size={brief(size)}: expected at least {LEAST + len(SPECIAL)} pieces")
        library = _library()
        empty = _tokenizer(
            library.models.WordPiece({token: i for i, token in enumerate(SPECIAL)}, unk_token=UNK), lowercase
        )
        normalised = [empty.normalizer.normalize_str(well_formed(text)) for text in check_items(texts)]
        characters = _characters(normalised, size)
        # As special tokens the characters have fixed ids, which decide ties whatever order the library counts in.
        fixed = [*SPECIAL, *characters, *(CONTINUED + character for character in characters)]
        trainer = library.trainers.WordPieceTrainer(
            vocab_size=max(size, len(fixed) + 1), min_frequency=min_count, continuing_subword_prefix=CONTINUED,
            special_tokens=fixed, initial_alphabet=[], limit_alphabet=0, show_progress=False,
        )  # fmt: skip
        empty.train_from_iterator(normalised, trainer)
        learned = sorted(empty.get_vocab().items(), key=lambda item: item[1])
        return cls.of([piece for piece, _ in learned][:size], lowercase=lowercase)

    @classmethod
    def of(cls, pieces: Sequence[str], *, lowercase: bool = True, accents: bool | None = None) -> "WordPieces":
        """Return the tokeniser of a vocabulary, such as the lines of BERT's `vocab.txt`.

        Args:
            pieces: in the order of their ids.
            lowercase: whether text is lower-cased.
            accents: whether accents are kept; None for those of text that is not lower-cased.

        Raises:
            FormatError: a special token is missing, or a piece occurs twice.
            MissingExtraError: the tokenizers library is not installed.
        """
        numbers = {piece: number for number, piece in enumerate(pieces)}
        if len(numbers) != len(pieces):
            raise FormatError(f"{len(pieces):,} pieces, {len(numbers):,} of them distinct; expected each once")
        if UNK not in numbers:
            raise FormatError(f"a vocabulary of {len(pieces):,} pieces without {UNK}; expected {', '.join(SPECIAL)}")
        model = _library().models.WordPiece(
            numbers, unk_token=UNK, continuing_subword_prefix=CONTINUED, max_input_chars_per_word=MAX_WORD
        )
        return cls(str(_tokenizer(model, lowercase, accents).to_str()))

    @cached_property
    def lowercase(self) -> bool:
        """Whether text is lower-cased."""
        return bool((parse_json(self.rules).get("normalizer") or {}).get("lowercase"))

    @cached_property
    def vocabulary(self) -> list[str]:
        """All pieces in the order of their ids; an id without a piece is an empty string."""
        pieces = [""] * (max(self._vocabulary.values()) + 1)
        for piece, number in self._vocabulary.items():
            pieces[number] = piece
        return pieces

    @cached_property
    def special(self) -> Ids:
        """Ids of all special tokens in ascending order, `[UNK]` among them: none is hidden or predicted."""
        added = parse_json(self.rules).get("added_tokens") or []
        named = {self._vocabulary[token] for token in SPECIAL}
        return np.array(sorted(named | {int(token["id"]) for token in added if token.get("special")}), dtype=np.int64)

    @cached_property
    def continues(self) -> npt.NDArray[np.bool_]:
        """(V,) whether each piece continues a word."""
        return np.array([piece.startswith(CONTINUED) for piece in self.vocabulary])

    @cached_property
    def pad_id(self) -> int:
        """Id of padding."""
        return self._vocabulary[PAD]

    @cached_property
    def unk_id(self) -> int:
        """Id of unknown words."""
        return self._vocabulary[UNK]

    @cached_property
    def cls_id(self) -> int:
        """Id of the token before a text."""
        return self._vocabulary[CLS]

    @cached_property
    def sep_id(self) -> int:
        """Id of the token after a text."""
        return self._vocabulary[SEP]

    @cached_property
    def mask_id(self) -> int:
        """Id of the token in place of a hidden one."""
        return self._vocabulary[MASK]

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __reduce__(self) -> tuple[type["WordPieces"], tuple[str]]:
        return WordPieces, (self.rules,)

    def __repr__(self) -> str:
        return f"WordPieces({len(self):,} pieces, {'lower-cased' if self.lowercase else 'cased'})"

    def to_str(self) -> str:
        """Return the tokeniser as JSON; corpora and models store this."""
        return self.rules

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of a text as strings, without special tokens."""
        return list(self._tokenizer.encode(well_formed(text), add_special_tokens=False).tokens)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of the pieces of each text, without special tokens.

        Args:
            texts: a list of texts.

        Raises:
            ArgumentTypeError: it is one text, or no list.
        """
        checked = [well_formed(text) for text in check_items(texts)]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(checked, add_special_tokens=False)]

    def encode_words(self, sentences: Sequence[Sequence[str]]) -> list[tuple[list[int], list[int]]]:
        """Return the ids of the pieces of sentences of words, and the number of each piece's word.

        A word of which nothing is left, such as a control character, is `[UNK]`.
        """
        words = dict.fromkeys(word for sentence in sentences for word in sentence)
        ids = dict(zip(words, self.encode(list(words)), strict=True))
        rows = []
        for sentence in sentences:
            pieces = [ids[word] or [self.unk_id] for word in sentence]
            rows.append(
                ([piece for words in pieces for piece in words], [i for i, words in enumerate(pieces) for _ in words])
            )
        return rows

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        vocabulary: dict[str, int] = self._tokenizer.get_vocab(True)
        return vocabulary

    @cached_property
    def _tokenizer(self) -> Any:
        return _opened(self.rules)


def _tokenizer(model: Any, lowercase: bool, accents: bool | None = None) -> Any:
    library = _library()
    tokenizer = library.Tokenizer(model)
    strip = None if accents is None else not accents
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = library.decoders.WordPiece(prefix=CONTINUED)
    present = [token for token in SPECIAL if tokenizer.token_to_id(token) is not None]
    tokenizer.add_special_tokens(present)
    if {CLS, SEP} <= set(present):
        ends = [(token, tokenizer.token_to_id(token)) for token in (CLS, SEP)]
        tokenizer.post_processor = library.processors.TemplateProcessing(
            single=f"{CLS} $A {SEP}", pair=f"{CLS} $A {SEP} $B:1 {SEP}:1", special_tokens=ends
        )
    return tokenizer


def _characters(texts: Sequence[str], size: int) -> list[str]:
    """Return the most frequent characters of normalised texts in the order of Unicode."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    for word in [word for word in counts if word.isspace()]:
        del counts[word]
    if not counts:
        raise CorpusError("the texts are empty; expected text to learn pieces from; check the source")
    frequent = sorted(counts, key=lambda word: (-counts[word], word))
    return sorted(frequent[: max(size // CHARACTER_SHARE, LEAST // 2)])


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise MissingExtraError("tokenizers", "subword", "split text into word pieces") from error
    return tokenizers


@functools.lru_cache(maxsize=4)
def _canonical(rules: str) -> str:
    """Return rules without padding and truncation, which transformers stores; equal tokenisers have equal rules."""
    tokenizer = _opened(rules)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return str(tokenizer.to_str())


@functools.lru_cache(maxsize=4)
def _opened(rules: str) -> Any:
    library = _library()
    try:
        _check_ids(parse_json(rules))
        return library.Tokenizer.from_str(rules)
    except FormatError:
        raise
    except Exception as error:  # the library raises plain exceptions
        raise FormatError(f"not a tokeniser ({error}); expected the JSON of the tokenizers library") from error


def _check_ids(content: Any) -> None:
    """Refuse ids far above the number of pieces: the library goes through all up to the largest, and so do lists."""
    ids: dict[Any, Any] = {}
    if isinstance(content, dict):
        model, added = content.get("model"), content.get("added_tokens")
        if isinstance(model, dict) and isinstance(model.get("vocab"), dict):
            ids |= model["vocab"]
        if isinstance(added, list):
            ids |= {token.get("content"): token.get("id") for token in added if isinstance(token, dict)}
    most = len(ids) + GAPS
    far = next((piece for piece, number in ids.items() if isinstance(number, int) and number >= most), None)
    if far is not None:
        raise FormatError(
            f"a tokeniser of {len(ids):,} pieces, in which {brief(far)} has the id {ids[far]:,}; expected ids from 0 "
            "with few gaps, as their vectors are numbered"
        )


def well_formed(text: str) -> str:
    """Return a text with U+FFFD in place of lone surrogates, which no text in UTF-8 holds."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
