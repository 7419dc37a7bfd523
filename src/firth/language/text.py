"""Text as language models read it: token ids with `UNK` and `EOS`, from a corpus, a held-out text or a few sentences.

All models over the same vocabulary predict the same tokens of a text, so that their perplexities can be compared: all
words, words outside the vocabulary as `UNK`, and, with `eos`, `EOS` after each sentence. `BOS` is the context of n-gram
models at the start of a sentence; it is never predicted and has no id.

Words outside the vocabulary keep their spelling beside the ids, for models that read words by their characters (Kim et
al. 2016, section 3). All other models read them as `UNK`.
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
from firth.corpus.options import CorpusOptions, is_learned
from firth.corpus.vocabulary_selection import by_count_then_word, select_vocabulary
from firth.errors import CorpusError, FormatError, OptionError
from firth.progress import Progress
from firth.text.batches import warn_foreign
from firth.text.inputs import Text, token_lists
from firth.text.subwords import Subwords, num_characters
from firth.text.tokenise import are_words, is_named, join_tokens, join_words, tokeniser
from firth.vocabulary import Vocabulary

UNK = "<unk>"  # for words outside the vocabulary
EOS, BOS = "</s>", "<s>"
_LATER = {"line_breaks": False, "language": None, "markup": False, "join_hyphens": None}  # rules that older models lack


@dataclass(frozen=True, kw_only=True)
class TextRules:
    """The rules by which a model tokenises text, saved with it, so that all text is read like the training text.

    Attributes:
        tokens: the tokeniser: a name of `firth.text.tokenise`, or the JSON of `firth.Subwords` or another tokenizer.
        sentences: the end of a sentence: "line", "paragraph" or "text".
        eos: whether the end of each sentence, `</s>`, is predicted.
        line_breaks: whether line breaks inside a text that is one sentence are tokens.
        language: of the text, for the ends of sentences; None if the text was read without one.
        markup: whether tags and entities are left out.
        join_hyphens: whether words that a hyphen divides at the end of a line are joined; None for the default.
    """

    tokens: str = "words"
    sentences: str = "line"
    eos: bool = True
    line_breaks: bool = False
    language: str | None = None
    markup: bool = False
    join_hyphens: bool | None = None

    @classmethod
    def of(cls, options: CorpusOptions, *, eos: bool = True) -> "TextRules":
        """Return the rules that a corpus was read by."""
        facts = options.described()
        same = {name: facts[name] for name in ("tokens", "sentences", "language", "markup", "join_hyphens")}
        return cls(**same, eos=eos, line_breaks=options.keeps_line_breaks)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "TextRules":
        """Return the rules of a saved model.

        Raises:
            TypeError: a name is missing or unknown, or a value has the wrong type.
        """
        if not isinstance(config, Mapping) or set(config) - set(_LATER) != {"tokens", "sentences", "eos"}:
            raise TypeError(f"rules {config!r}: expected tokens, sentences and eos")
        rules = cls(**config)
        texts = (rules.tokens, rules.sentences, rules.language or "")
        flags = (rules.eos, rules.line_breaks, rules.markup, rules.join_hyphens is not None and rules.join_hyphens)
        if not all(isinstance(text, str) for text in texts) or not all(isinstance(flag, bool) for flag in flags):
            raise TypeError("invalid text rules: expected strings for tokens and sentences, otherwise true or false")
        return rules

    def described(self) -> dict[str, Any]:
        """Return the rules as JSON values, to be saved; those that older models lack only where they matter."""
        return {name: value for name, value in vars(self).items() if value != _LATER.get(name, ...)}

    def corpus_options(self) -> dict[str, Any]:
        """Return options of `Corpus.build` that split a text as the training text was split."""
        facts, sentences = self.described(), self.sentences
        apply = {"line_breaks": sentences == "text", "join_hyphens": sentences in ("paragraph", "punctuation")}
        return {name: value for name, value in facts.items() if name != "eos" and apply.get(name, True)}

    def __repr__(self) -> str:
        tokens = repr(self.tokens) if is_named(self.tokens) else "a tokenizer"
        later = "".join(f", {name}={value!r}" for name, value in self.described().items() if name in _LATER)
        return f"TextRules(tokens={tokens}, sentences={self.sentences!r}, eos={self.eos}{later})"

    def join(self, words: Sequence[str]) -> str:
        """Return the text of a sentence.

        Subwords and characters give back the text as it was. Words are joined by spaces, Han and Hiragana without; what
        their tokeniser dropped, such as case and punctuation, is gone.
        """
        subwords = _subwords(self.tokens)
        if subwords is not None:
            return subwords.join(words)
        if not is_named(self.tokens):
            return join_tokens(self.tokens, words)
        return join_words(words) if are_words(self.tokens) else " ".join(words)

    def shown(self, tokens: Sequence[str]) -> list[str]:
        """Return tokens as people read them; see `firth.Subwords.shown`."""
        subwords = _subwords(self.tokens)
        return list(tokens) if subwords is None else subwords.shown(tokens)

    @property
    def unit(self) -> str:
        """The unit of the tokens: "words", "subwords" or "characters"."""
        subwords = _subwords(self.tokens)
        if subwords is not None:
            return subwords.unit
        return "words" if is_named(self.tokens) else "subwords"

    def characters_of(self, words: Sequence[str]) -> npt.NDArray[np.int64] | None:
        """Return the number of characters that each token stands for, with the space after a word.

        Returns:
            (n,) int64; None for the tokens of another library.
        """
        if _subwords(self.tokens) is not None:
            return np.array([num_characters(word) for word in words], dtype=np.int64)
        return np.array([len(word) + 1 for word in words], dtype=np.int64) if is_named(self.tokens) else None

    @property
    def subwords(self) -> list[str]:
        """All subwords of a `firth.Subwords` tokeniser; empty for other tokenisers."""
        subwords = _subwords(self.tokens)
        return [] if subwords is None else subwords.vocabulary


def tokens_of(model: str, rules: TextRules | None, tokens: Any) -> str | None:
    """Return the rule for tokens, as models store it, that a user names for a model.

    Args:
        model: name of the model in messages.
        rules: the text rules of the model; None if it does not say.
        tokens: as in `Corpus.build`, or None.

    Returns:
        The rule of the model if it has one, else that of the user; None if there is neither.

    Raises:
        OptionError: the rule does not exist, or is not that of the model.
    """
    own = None if rules is None else rules.tokens
    if tokens is None:
        return own
    name = "a tokenizer" if not isinstance(tokens, str) else f"tokens={tokens!r}"
    if not is_learned(tokens):
        named = str(CorpusOptions(tokens=tokens).checked().described()["tokens"])
        if own in (None, named):
            return named
    elif rules is None:
        raise OptionError(
            f"{model}: {name} is learned from a text; expected words or the saved file of subwords (.json)"
        )
    elif tokens == rules.unit:
        return own
    assert rules is not None
    theirs = f"tokens={own!r}" if is_named(own) else f"{rules.unit} of its own"
    raise OptionError(f"{model}: {name}, but the model reads text with {theirs}; leave tokens= out")


@lru_cache(maxsize=4)
def _subwords(tokens: str) -> Subwords | None:
    if is_named(tokens):
        return None
    with contextlib.suppress(FormatError):  # a tokenizer of another library
        return Subwords(tokens)
    return None


def check_readable(vocabulary: Vocabulary, rules: TextRules) -> None:
    """Check a vocabulary that was read from a file, with its rules."""
    if len(vocabulary.ids) != len(vocabulary):
        raise OptionError(
            f"{len(vocabulary):,} words, {len(vocabulary.ids):,} of them distinct; expected each word once"
        )
    if vocabulary.total and vocabulary.total < (counted := int(vocabulary.counts.sum())):
        raise OptionError(
            f"{vocabulary.total:,} tokens in all, but the counts of words sum to {counted:,}; expected equal numbers"
        )
    missing = [word for word in (UNK, *([EOS] if rules.eos else [])) if word not in vocabulary]
    if missing:
        raise OptionError(
            f"the vocabulary of {len(vocabulary):,} words lacks {missing[0]!r}, which every language model has"
        )


@dataclass(frozen=True, eq=False)
class LanguageText:
    """A text as the token ids of a language model.

    Attributes:
        vocabulary: V words, with `UNK`, and with `EOS` if sentence ends are predicted.
        ids: (N,) int32, in memory: all predicted tokens.
        offsets: (S + 1,) int64: sentence s is ids[offsets[s]:offsets[s + 1]], its `EOS` included.
        characters: number of code points, with one for each predicted sentence end, for bits per character; None if the
            text came as tokens, or is a part of another.
        unknown_words: U distinct words outside the vocabulary, as they are written.
        unknown_ids: (K,) int32, the index in `unknown_words` of each `UNK` among the ids; -1 if its spelling is not
            known; None if no spelling is known.
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
        """The id of `EOS`, or None if sentence ends are not predicted."""
        return self.vocabulary.ids[EOS] if self.rules.eos else None

    @cached_property
    def input_ids(self) -> npt.NDArray[np.int32]:
        """(N,) int32, the input of models that read spellings: `ids`, with V + i for unknown word i."""
        if self.unknown_ids is None:
            return self.ids
        ids = self.ids.copy()
        ids[ids == self.unk_id] = np.where(self.unknown_ids < 0, self.unk_id, len(self.vocabulary) + self.unknown_ids)
        return ids

    def part(self, start: int, stop: int) -> "LanguageText":
        """Return a slice of the tokens as a text; a sentence cut by the slice becomes two.

        Args:
            stop: one past the last token.
        """
        stop = min(stop, len(self))
        inside = self.offsets[(self.offsets > start) & (self.offsets < stop)]
        offsets = np.concatenate([[start], inside, [stop]]).astype(np.int64) - start
        unknown = None
        if self.unknown_ids is not None:
            before, count = (int((self.ids[part] == self.unk_id).sum()) for part in (slice(start), slice(start, stop)))
            unknown = self.unknown_ids[before : before + count]
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
    tokens: str = "words",
    progress: Progress = None,
) -> LanguageText:
    """Return the training text of a language model; it defines the model's vocabulary.

    With subwords and characters the vocabulary has all of them, seen or not, so that the model can read any text.

    Args:
        corpus: any source that `Corpus.build` takes, whose rare words become `UNK`; or a corpus built with
            `unknown="<unk>"`, or with `min_count=1` and every word kept; or a `LanguageText`, which is returned as it
            is, such as the training part of one.
        options: options of `Corpus.build`, for a source that is not a corpus.
        eos: whether the end of each sentence, `</s>`, is predicted.
        spelled: whether words outside the vocabulary keep their spelling, for models that read characters. The options
            `min_count` and `max_size` then limit the predicted words only, and may also be given with a corpus. Build
            that corpus with every word: words that it left out have no spelling. The vocabulary is the same either way.
        tokens: default of the option `tokens`, for a source that is not a corpus.

    Raises:
        CorpusError: the corpus left out words without an unknown word in their place, or holds `<s>` or `</s>`.
        OptionError: an option is out of its range, or options are given with a text that has its own.
    """
    if isinstance(corpus, LanguageText):
        if options:
            raise OptionError(f"{', '.join(options)} given with a LanguageText, which has its own")
        return corpus
    build_options = dict(options or {})
    limits: dict[str, Any] = {}
    if spelled:
        limits = {name: build_options.pop(name) for name in ("min_count", "max_size") if name in build_options}
        if not isinstance(corpus, Corpus):
            limits.setdefault("min_count", CorpusOptions().min_count)
            build_options["min_count"] = 1
    defaults: dict[str, Any] = {} if spelled else {"unknown": UNK}
    if tokens != CorpusOptions().tokens:  # otherwise lists of words keep their words
        defaults["tokens"] = tokens
    if _is_tokenizer(build_options.get("tokens")):
        defaults["min_count"] = 1  # rare subwords are kept
    corpus = as_corpus(corpus, build_options, defaults=defaults, progress=progress)
    vocabulary, rules, numbers = vocabulary_of(corpus, eos=eos, limits=limits)
    return _stream(vocabulary, rules, corpus.vocabulary.words, numbers, corpus.ids, corpus.offsets, corpus.characters)


def vocabulary_of(
    corpus: Corpus, *, eos: bool = True, limits: Mapping[str, Any] | None = None
) -> tuple[Vocabulary, TextRules, npt.NDArray[np.int32]]:
    """Return the vocabulary of a model that is trained on a corpus, and how the model reads text.

    Args:
        corpus: built with `unknown="<unk>"` or with every word.
        eos: whether the vocabulary has `EOS`.
        limits: `min_count` and `max_size` of the words to keep, or none.

    Returns:
        V words with `UNK`; the rules; and for each of the corpus's W words its id in the vocabulary, (W,) int32.
    """
    whole = corpus.vocabulary
    if UNK not in whole and whole.oov_share > 0:
        raise CorpusError(
            f"the corpus left out {100 * whole.oov_share:.1f} % of its words, which a language model needs: build it "
            f"with unknown={UNK!r}"
        )
    if reserved := {BOS, EOS} & set(whole.words):
        raise CorpusError(
            f"the text holds the word {min(reserved)!r}, which is reserved for sentence boundaries: remove it"
        )
    rules = TextRules.of(corpus.options, eos=eos)
    vocabulary_kept, new_ids = _limited(whole, limits or {})
    special = [(UNK, 0)] if UNK not in vocabulary_kept else []
    special += [(EOS, len(corpus))] if eos else []
    special += [(subword, 0) for subword in rules.subwords if subword not in vocabulary_kept]
    words = [*vocabulary_kept.words, *(word for word, _ in special)]
    counts = np.concatenate([vocabulary_kept.counts, np.array([count for _, count in special], dtype=np.int64)])
    order = by_count_then_word(words, counts)
    numbers = np.empty(len(words), dtype=np.int32)
    numbers[order] = np.arange(len(words), dtype=np.int32)
    total = vocabulary_kept.total + (len(corpus) if eos else 0)
    vocabulary = Vocabulary([words[i] for i in order.tolist()], counts[order], total)
    return vocabulary, rules, numbers[new_ids]


def _is_tokenizer(tokens: Any) -> bool:
    """Whether tokens are subwords that were learned before, or a file of them."""
    return isinstance(tokens, Subwords) or (
        isinstance(tokens, str) and (tokens.endswith(".json") or not is_named(tokens))
    )


def _limited(vocabulary: Vocabulary, limits: Mapping[str, Any]) -> tuple[Vocabulary, npt.NDArray[np.int32]]:
    """Return the vocabulary within the limits, and the new id of each word; `UNK` is kept and fills no limit."""
    if not limits:
        return vocabulary, np.arange(len(vocabulary), dtype=np.int32)
    options = CorpusOptions(**{"min_count": 1, **limits}, unknown=UNK).checked()
    unk_id, counts = vocabulary.ids.get(UNK), vocabulary.counts.copy()
    if unk_id is None:
        return select_vocabulary(vocabulary.words, counts, options)
    counts[unk_id] = 0
    vocabulary_kept, new_ids = select_vocabulary(vocabulary.words, counts, options)
    new_ids[unk_id] = vocabulary_kept.ids[UNK]
    counts = vocabulary_kept.counts + vocabulary.counts[unk_id] * (np.arange(len(vocabulary_kept)) == new_ids[unk_id])
    return Vocabulary(vocabulary_kept.words, counts, vocabulary.total), new_ids


def held_out_text(
    source: Any, vocabulary: Vocabulary, rules: TextRules, *, name: str = "held-out text", progress: Progress = None
) -> LanguageText:
    """Encode a text with the vocabulary of a trained model.

    Args:
        source: any source that `Corpus.build` takes, a corpus with every word, or a text with the same vocabulary.
        rules: the text rules of the model.
        name: name of the text in messages.

    Raises:
        CorpusError: the text is empty, all its words are unknown, or it has another vocabulary or other rules.

    Warns:
        UserWarning: most of its words are unknown.
    """
    if isinstance(source, LanguageText):
        return _same(source, vocabulary, rules)
    options = rules.corpus_options()
    corpus = source if isinstance(source, Corpus) else Corpus.build(source, min_count=1, progress=progress, **options)
    if corpus.vocabulary.oov_share > 0 and UNK not in corpus.vocabulary:
        raise CorpusError(f"the corpus of the {name} left out words; expected every word: build it with min_count=1")
    unknown = vocabulary.ids[UNK]
    numbers = np.array([vocabulary.ids.get(word, unknown) for word in corpus.vocabulary.words], dtype=np.int32)
    if (numbers == unknown).all():
        raise CorpusError(
            f"none of the {len(numbers):,} words of the {name}, such as {corpus.vocabulary.words[0]!r}, is in "
            f"the model's vocabulary of {len(vocabulary):,}; expected text of the same language, tokenised with {rules}"
        )
    counts = corpus.vocabulary.counts
    warn_foreign(int(counts[numbers == unknown].sum()), int(counts.sum()), name)
    return _stream(vocabulary, rules, corpus.vocabulary.words, numbers, corpus.ids, corpus.offsets, corpus.characters)


def encode_sentences(sentences: Sequence[Text], vocabulary: Vocabulary, rules: TextRules) -> LanguageText:
    """Encode sentences with the vocabulary of a trained model; an empty sentence is a single `EOS`.

    Args:
        sentences: S strings or lists of words.
        rules: the text rules of the model.
    """
    rows, unknown = token_lists(sentences, tokeniser(rules.tokens), "sentences"), vocabulary.ids[UNK]
    characters = sum(map(len, sentences)) if all(isinstance(sentence, str) for sentence in sentences) else None
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    local = {word: i for i, word in enumerate(dict.fromkeys(word for row in rows for word in row))}
    ids = np.array([local[word] for row in rows for word in row], dtype=np.int32)
    numbers = np.array([vocabulary.ids.get(word, unknown) for word in local], dtype=np.int32)
    return _stream(vocabulary, rules, list(local), numbers, ids, offsets, characters)


def _same(text: LanguageText, vocabulary: Vocabulary, rules: TextRules) -> LanguageText:
    if text.rules == rules and (text.vocabulary is vocabulary or list(text.vocabulary.words) == list(vocabulary.words)):
        return text
    raise CorpusError(
        f"the text has {len(text.vocabulary):,} words and {text.rules}; expected the {len(vocabulary):,} words and "
        f"{rules} of the model: read the text with the model's `read`"
    )


def _stream(
    vocabulary: Vocabulary,
    rules: TextRules,
    words: Sequence[str],
    word_ids: npt.NDArray[np.int32],
    tokens: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
    characters: int | None,
) -> LanguageText:
    """Build a text from W distinct words, the vocabulary id of each (W,), and the word of each token (N,)."""
    ids, unk_id = word_ids[tokens], vocabulary.ids[UNK]
    unknown = [i for i in np.flatnonzero(word_ids == unk_id).tolist() if words[i] != UNK]
    unknown_index = np.full(len(words), -1, np.int32)
    unknown_index[unknown] = np.arange(len(unknown), dtype=np.int32)
    unknown_ids = unknown_index[np.asarray(tokens)[ids == unk_id]] if unknown else None
    offsets = np.asarray(offsets)
    if rules.eos:
        ids = np.insert(ids, offsets[1:], np.int32(vocabulary.ids[EOS]))
        offsets = offsets + np.arange(len(offsets))
        characters = None if characters is None else characters + len(offsets) - 1
    return LanguageText(vocabulary, ids, offsets, rules, characters, tuple(words[i] for i in unknown), unknown_ids)
