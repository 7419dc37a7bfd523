"""Text as language models read it: one stream of numbers in which sentences end with a word of their own.

Every model of one vocabulary predicts the same tokens of a text, so that perplexities can be compared and models mixed
token by token: all words, those outside the vocabulary as `UNK`, and, where `ends` says so, `EOS` after each
sentence. `BOS` is what n-gram models see before a sentence; it is never predicted and has no number.

The vocabulary limits what is predicted, not what is read: a text keeps the spelling of its unknown words, and a model
that reads words by their characters reads those (Kim et al. 2016, section 3). For all other models they are `UNK`.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.as_corpus import as_corpus
from firth.corpus.encoded import Corpus
from firth.corpus.options import CorpusOptions
from firth.corpus.ordering import by_count_then_word, choose
from firth.errors import CorpusError, FormatError, OptionError
from firth.progress import Progress
from firth.text.given import Text, token_lists
from firth.text.subwords import Subwords
from firth.text.tokenise import is_named, tokeniser
from firth.vocabulary import Vocabulary

UNK, EOS, BOS = "<unk>", "</s>", "<s>"


@dataclass(frozen=True, kw_only=True)
class TextRules:
    """How a model reads text; saved with it, so that held-out text is read as training text was.

    Attributes:
        tokens: what a word is: a name of `firth.text.tokenise`, or a tokenizer as JSON, as `firth.Subwords` gives it.
        sentences: what ends a sentence: "line", "paragraph" or "text".
        eos: whether the end of each sentence, `</s>`, is predicted.
    """

    tokens: str = "unicode"
    sentences: str = "line"
    eos: bool = True

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "TextRules":
        """Return the rules that a saved model holds; before `eos` had its name it was called `ends`.

        Raises:
            TypeError: a name is missing or not known.
        """
        if set(config) not in ({"tokens", "sentences", "eos"}, {"tokens", "sentences", "ends"}):
            raise TypeError(f"rules {config!r}: expected tokens, sentences and eos")
        return cls(**{"eos" if name == "ends" else name: value for name, value in config.items()})

    def __repr__(self) -> str:
        tokens = repr(self.tokens) if is_named(self.tokens) else "a tokenizer"
        return f"TextRules(tokens={tokens}, sentences={self.sentences!r}, eos={self.eos})"

    def joined(self, words: Sequence[str]) -> str:
        """Return words as a text: with a space between them, or, where they are pieces of words, as these go together.

        Args:
            words: of a sentence, without its end.
        """
        subwords = _subwords(self.tokens)
        return " ".join(words) if subwords is None else subwords.join(words)

    @property
    def pieces(self) -> list[str]:
        """All pieces of words that there are, where the text is cut by `firth.Subwords`; else none."""
        subwords = _subwords(self.tokens)
        return [] if subwords is None else subwords.pieces


@lru_cache(maxsize=4)
def _subwords(tokens: str) -> Subwords | None:
    """The pieces that words are cut into, where firth made them."""
    if is_named(tokens):
        return None
    with contextlib.suppress(FormatError):  # a tokenizer of others, of which we know nothing
        return Subwords(tokens)
    return None


def check_readable(vocabulary: Vocabulary, rules: TextRules) -> None:
    """Check that a vocabulary and rules from a file are those of a language model.

    Raises:
        OptionError: a word stands there twice, a word that every model has is missing, or the rules are none.
    """
    if not (isinstance(rules.tokens, str) and isinstance(rules.sentences, str) and isinstance(rules.eos, bool)):
        raise OptionError("invalid rules for reading text: expected a name, a name, and true or false")
    if len(vocabulary.ids) != len(vocabulary):
        raise OptionError(f"{len(vocabulary):,} words of which {len(vocabulary.ids):,} differ; expected each word once")
    missing = [word for word in (UNK, *([EOS] if rules.eos else [])) if word not in vocabulary]
    if missing:
        raise OptionError(f"no word {missing[0]!r} among {len(vocabulary):,} words; every language model has it")


@dataclass(frozen=True, eq=False)
class LanguageText:
    """A text as a language model reads it.

    Attributes:
        vocabulary: V words; `UNK` is always among them, and `EOS` where sentence ends are predicted.
        ids: (N,) int32, in memory: all tokens that are predicted, one after the other.
        offsets: (S + 1,) int64: sentence s is ids[offsets[s]:offsets[s + 1]], its `EOS` included.
        rules: how it was read.
        characters: code points of the text, each sentence's end counted as one where it is predicted, so that models
            of different words can be compared by bits a character; None where text came as tokens, or is a part.
        unknown_words: U distinct words outside the vocabulary, as they are written.
        unknown_ids: (K,) int32, for each `UNK` among the ids, in order, its place in `unknown_words`; -1 where its
            spelling is not known, and None where none is.
    """

    vocabulary: Vocabulary
    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    rules: TextRules
    characters: int | None = None
    unknown_words: tuple[str, ...] = ()
    unknown_ids: npt.NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def unk_id(self) -> int:
        """The id of `UNK`."""
        return self.vocabulary.ids[UNK]

    @cached_property
    def eos_id(self) -> int | None:
        """The id of `EOS`, or None where sentence ends are not predicted."""
        return self.vocabulary.ids[EOS] if self.rules.eos else None

    @cached_property
    def input_ids(self) -> npt.NDArray[np.int32]:
        """(N,) int32, what a model reads that knows words by their spelling: `ids`, and V + i for unknown word i."""
        if self.unknown_ids is None:
            return self.ids
        ids = self.ids.copy()
        ids[ids == self.unk_id] = np.where(self.unknown_ids < 0, self.unk_id, len(self.vocabulary) + self.unknown_ids)
        return ids

    def part(self, start: int, stop: int) -> "LanguageText":
        """Return some of the tokens, as a text of the same vocabulary; sentences that are cut go on as two.

        Args:
            start: the first token.
            stop: the token after the last.
        """
        stop = min(stop, len(self))
        inside = self.offsets[(self.offsets > start) & (self.offsets < stop)]
        offsets = np.concatenate([[start], inside, [stop]]).astype(np.int64) - start
        unknown = None
        if self.unknown_ids is not None:
            before, here = (int((self.ids[part] == self.unk_id).sum()) for part in (slice(start), slice(start, stop)))
            unknown = self.unknown_ids[before : before + here]
        return LanguageText(
            self.vocabulary,
            self.ids[start:stop],
            offsets,
            self.rules,
            unknown_words=self.unknown_words,
            unknown_ids=unknown,
        )


def training_text(
    corpus: Corpus | LanguageText | Any,
    options: Mapping[str, Any] | None = None,
    *,
    eos: bool = True,
    spelled: bool = False,
    progress: Progress = None,
) -> LanguageText:
    """Return a corpus as a language model learns it; its vocabulary is the model's from then on.

    Of `firth.Subwords` all pieces are in it, seen or not, so that a model over pieces can write and judge any text.

    Args:
        corpus: built with `unknown="<unk>"`, or with `min_count=1` and every word kept; or a text that has been read,
            which stays what it is: the part of one that is for training, say; or whatever `Corpus.build` takes, of
            which rare words become `UNK`.
        options: of `Corpus.build`, for a text that is no corpus yet.
        eos: whether the end of each sentence, `</s>`, is predicted.
        spelled: whether words outside the vocabulary keep their spelling, for models that read characters. Then the
            options `min_count` and `max_size` limit what is predicted, not what is read, and may be given with a corpus
            too; it should have been built with every word, for what it left out has no spelling. The vocabulary is
            the same either way.
        progress: how to show progress; see `firth.progress`.

    Raises:
        CorpusError: the corpus left words out without a word that stands for them, or holds the word `<s>` or `</s>`.
        OptionError: an option is out of its range, or given for what has its own.
    """
    if isinstance(corpus, LanguageText):
        if options:
            raise OptionError(f"{', '.join(options)} given with a text that has been read; it has its own")
        return corpus
    given = dict(options or {})
    limits: dict[str, Any] = {}
    if spelled:
        limits = {name: given.pop(name) for name in ("min_count", "max_size") if name in given}
        if not isinstance(corpus, Corpus):
            limits.setdefault("min_count", CorpusOptions().min_count)
            given["min_count"] = 1
    corpus = as_corpus(corpus, given, defaults={} if spelled else {"unknown": UNK}, progress=progress)
    found = corpus.vocabulary
    if UNK not in found and found.oov_share > 0:
        raise CorpusError(
            f"the corpus left {100 * found.oov_share:.1f} % of its words out, and a language model needs a place for "
            f"them: build it with unknown={UNK!r}"
        )
    if meant := {BOS, EOS} & set(found.words):
        raise CorpusError(
            f"the text holds the word {min(meant)!r}, which marks where sentences begin or end: take it out"
        )
    rules = TextRules(tokens=str(corpus.options.described()["tokens"]), sentences=_sentences(corpus), eos=eos)
    kept, place = _limited(found, limits)
    special = [(UNK, 0)] if UNK not in kept else []
    special += [(EOS, len(corpus))] if eos else []
    special += [(piece, 0) for piece in rules.pieces if piece not in kept]
    words = [*kept.words, *(word for word, _ in special)]
    counts = np.concatenate([kept.counts, np.array([count for _, count in special], dtype=np.int64)])
    order = by_count_then_word(words, counts)
    numbers = np.empty(len(words), dtype=np.int32)
    numbers[order] = np.arange(len(words), dtype=np.int32)
    total = kept.total + (len(corpus) if eos else 0)
    vocabulary = Vocabulary([words[i] for i in order.tolist()], counts[order], total)
    return _stream(vocabulary, rules, found.words, numbers[place], corpus.ids, corpus.offsets, corpus.characters)


def _limited(vocabulary: Vocabulary, limits: Mapping[str, Any]) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
    """Return the words that are kept, with their counts, and the place among them of each word that there was.

    `UNK` is kept in any case, and takes no other word's place.
    """
    if not limits:
        return vocabulary, np.arange(len(vocabulary), dtype=np.int32)
    how = CorpusOptions(**{"min_count": 1, **limits}, unknown=UNK).checked()
    own, counts = vocabulary.ids.get(UNK), vocabulary.counts.copy()
    if own is None:
        return choose(vocabulary.words, counts, how)
    counts[own] = 0
    kept, place = choose(vocabulary.words, counts, how)
    place[own] = kept.ids[UNK]
    counts = kept.counts + vocabulary.counts[own] * (np.arange(len(kept)) == place[own])
    return Vocabulary(kept.words, counts, vocabulary.total), place


def held_out_text(source: Any, vocabulary: Vocabulary, rules: TextRules, *, progress: Progress = None) -> LanguageText:
    """Read a text with the vocabulary of a model that has learned another.

    Args:
        source: whatever `Corpus.build` takes, a corpus that keeps every word, or a text of the same vocabulary.
        vocabulary: the model's.
        rules: how to read.
        progress: how to show progress; see `firth.progress`.

    Raises:
        CorpusError: there is no text, no word of it is known, or it was read otherwise.
    """
    if isinstance(source, LanguageText):
        return _same(source, vocabulary, rules)
    how = {"tokens": rules.tokens, "sentences": rules.sentences}
    corpus = source if isinstance(source, Corpus) else Corpus.build(source, min_count=1, progress=progress, **how)
    if corpus.vocabulary.oov_share > 0 and UNK not in corpus.vocabulary:
        raise CorpusError(
            "the held-out corpus left words out; expected every word, for each counts: build it with min_count=1"
        )
    unknown = vocabulary.ids[UNK]
    numbers = np.array([vocabulary.ids.get(word, unknown) for word in corpus.vocabulary.words], dtype=np.int32)
    if (numbers == unknown).all():
        raise CorpusError(
            f"none of the {len(numbers):,} words of the held-out text, such as {corpus.vocabulary.words[0]!r}, is one "
            f"of the model's {len(vocabulary):,}; expected text of the same language, read by {rules}"
        )
    return _stream(vocabulary, rules, corpus.vocabulary.words, numbers, corpus.ids, corpus.offsets, corpus.characters)


def encoded(sentences: Sequence[Text], vocabulary: Vocabulary, rules: TextRules) -> LanguageText:
    """Return a few sentences as a model reads them; a sentence without words is its end alone.

    Args:
        sentences: S strings or lists of words.
        vocabulary: the model's.
        rules: how to read.
    """
    rows, unknown = token_lists(sentences, tokeniser(rules.tokens), "sentences"), vocabulary.ids[UNK]
    characters = sum(map(len, sentences)) if all(isinstance(sentence, str) for sentence in sentences) else None
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    places = {word: place for place, word in enumerate(dict.fromkeys(word for row in rows for word in row))}
    ids = np.array([places[word] for row in rows for word in row], dtype=np.int32)
    numbers = np.array([vocabulary.ids.get(word, unknown) for word in places], dtype=np.int32)
    return _stream(vocabulary, rules, list(places), numbers, ids, offsets, characters)


def _same(text: LanguageText, vocabulary: Vocabulary, rules: TextRules) -> LanguageText:
    if text.rules == rules and (text.vocabulary is vocabulary or list(text.vocabulary.words) == list(vocabulary.words)):
        return text
    raise CorpusError(
        f"the text was read with {len(text.vocabulary):,} words and {text.rules}; expected the model's "
        f"{len(vocabulary):,} words and {rules}: read it with the model's own `read`"
    )


def _sentences(corpus: Corpus) -> str:
    return str(corpus.options.described()["sentences"])


def _stream(
    vocabulary: Vocabulary,
    rules: TextRules,
    words: Sequence[str],
    numbers: npt.NDArray[np.int32],
    places: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    characters: int | None,
) -> LanguageText:
    """Return a text.

    Args:
        vocabulary: the model's.
        rules: how it was read.
        words: W distinct words that were read.
        numbers: (W,) the id of each in the vocabulary.
        places: (N,) which of the words each token is.
        offsets: (S + 1,) where sentences begin.
        characters: of the text, or None.
    """
    ids, unknown = numbers[places], vocabulary.ids[UNK]
    others = [i for i in np.flatnonzero(numbers == unknown).tolist() if words[i] != UNK]
    which = np.full(len(words), -1, np.int32)
    which[others] = np.arange(len(others), dtype=np.int32)
    spelled = which[np.asarray(places)[ids == unknown]] if others else None
    offsets = np.asarray(offsets)
    if rules.eos:
        ids = np.insert(ids, offsets[1:], np.int32(vocabulary.ids[EOS]))
        offsets = offsets + np.arange(len(offsets))
        characters = None if characters is None else characters + len(offsets) - 1
    return LanguageText(vocabulary, ids, offsets, rules, characters, tuple(words[i] for i in others), spelled)
