"""LearnedTokeniser: tokens and sentences of raw text as a treebank has them.

What: after each character that is no white space, a linear model says whether the token goes on, ends, or ends with its
    sentence. It reads characters around the place, the pieces of text between spaces, the token so far, and a
    dictionary of the treebank's tokens. A token may hold spaces where those of the treebank do (Vietnamese), and text
    without spaces is divided into words (Chinese).
Objective: with x the features of a place, among them what was decided before it, the mean over places of

    -log softmax(W x)[y],   y in {inside, end, last}
Source: Straka, Hajic and Strakova 2016, "UDPipe: trainable pipeline for processing CoNLL-U files", section 3.1, for the
    three decisions learned together from a treebank; Duchi, Hazan and Singer 2011 for Adagrad.
Departures:
- A linear model of hashed features in place of a GRU over characters, which takes seconds. In training a quarter of the
  features of a place is left out at random.
- A word counts as known in training only if it occurs elsewhere, too, so that the model learns to mistrust words that
  are in no dictionary.
- Decisions that every place of the training text has between two kinds of characters are not learned but kept: between
  two small letters, for example, no token ends. And a sentence ends only with kinds of characters that have ended one
  in training, with final marks, and with what stands behind one, such as a quotation mark.
- An empty line ends a sentence, as in `firth.text.running_text`.
Cost: 46 features a place and pass, for places that are not ruled out.
"""

import functools
import itertools
import os
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.documents.document import Document, checked_raw_text, sentence_comments
from firth.errors import OptionError, counted, warn_caller
from firth.hints import Hinted
from firth.kernels import boundaries as kernels
from firth.options import check, option, options_class
from firth.pipeline.multiword import MultiwordTokens
from firth.pipeline.raw_text import RawText, differing_texts, raw_text
from firth.pipeline.treebank import read_treebank
from firth.randomness import check_seed, generator, kernel_states
from firth.readers.conllu import COLUMNS, NONE, DependencySentence
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.storage.skipping import SKIP
from firth.text.running_text import check_lines, line_spans, sentences_and_tokens
from firth.training_facts import with_training_facts

KIND = "firth-tokeniser"
ROWS = 2**18  # of weights
DROPOUTS = {0.0: 0, 0.25: 2, 0.5: 1}  # share: random words of which each bit set in all of them leaves a feature out
SURE = 100  # places after which a label that no place between two kinds has is ruled out
Spans = list[list[tuple[int, int]]]  # start and end of the tokens of each sentence

_PUNCTUATION = {".": 8, ",": 9, ":": 10, ";": 10, "-": 11, "'": 12, "’": 12, "/": 13, "?": 14, "!": 14, "…": 14}
_PUNCTUATION |= dict.fromkeys("。！？؟।։۔", 14)
_PUNCTUATION |= dict.fromkeys('"“”„«»‟″', kernels.QUOTE)


def _kind(character: str) -> int:
    """Return the kind of a character."""
    if character.isspace():
        return kernels.SPACE
    if (number := _PUNCTUATION.get(character)) is not None:
        return number
    category = unicodedata.category(character)
    if category in ("Ps", "Pi"):
        return kernels.OPENING
    if category in ("Pe", "Pf"):
        return kernels.CLOSING
    if category[0] == "L" or category[0] == "M":
        return 6 if category in ("Lu", "Lt") else 5 if category != "Lo" else 7
    if category[0] == "N":
        return 15
    return 11 if category == "Pd" else 13


class _Alphabet(dict[str, tuple[int, int]]):
    """Code point in lower case and kind by character."""

    def __missing__(self, character: str) -> tuple[int, int]:
        lower = character.lower()
        kind = _kind(character)
        code = ord(" ") if kind == kernels.SPACE else ord(lower if len(lower) == 1 else character)
        self[character] = value = code, kind
        return value


_ALPHABET = _Alphabet()


def _characters(text: str) -> kernels.Characters:
    """Return a text as the loops read it, without known words."""
    n = len(text)
    pairs = np.array([_ALPHABET[character] for character in text], np.int32).reshape(n, 2)
    codes, kinds = np.zeros(n + 16, np.int32), np.full(n + 16, kernels.OUTSIDE, np.uint8)
    codes[8 : n + 8], kinds[8 : n + 8] = pairs[:, 0], pairs[:, 1]
    space = kinds[8 : n + 8] == kernels.SPACE
    positions = np.arange(n, dtype=np.int32)
    first = np.maximum.accumulate(np.where(space, positions + 1, 0)).astype(np.int32)
    last = np.minimum.accumulate(np.where(space, positions, n)[::-1])[::-1].astype(np.int32)
    breaks = np.zeros(n, np.bool_)
    newlines = (
        np.cumsum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) == ord("\n"))
        if n
        else np.zeros(0)
    )
    filled = np.flatnonzero(~space)
    if len(filled):
        between = np.diff(newlines[filled])  # line ends between two characters that are no white space
        breaks[filled[:-1][between > 1]] = True
        breaks[filled[-1]] = True
    sums, powers = np.empty(n + 1, np.uint64), np.empty(n + 1, np.uint64)
    kernels.prefix_hashes(codes, sums, powers)
    return kernels.Characters(codes, kinds, sums, powers, first, last, np.zeros(n, np.uint8), breaks)


def _gold_labels(raw: RawText) -> npt.NDArray[np.uint8]:
    """Return the label of each character of a treebank's text."""
    labels = np.zeros(len(raw.text), np.uint8)
    for spans in raw.tokens:
        ends = [end - 1 for _, end in spans]
        labels[ends] = kernels.END
        labels[ends[-1]] = kernels.LAST
    return labels


def _hashes(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Return the hash that the loops compute for each word."""
    hashes, base = np.zeros(len(words), np.uint64), int(kernels.BASE)
    for number, word in enumerate(words):
        value = 0
        for character in word:
            value = (value * base + _ALPHABET[character][0] + 1) & (2**64 - 1)
        hashes[number] = value
    return hashes


def _lower(word: str) -> str:
    """Return a word as the loops read it."""
    return "".join(chr(_ALPHABET[character][0]) for character in word)


@options_class
class LearnedTokeniser:
    """Tokeniser and sentence splitter that learns from a treebank: its options, and `train`.

    Source:
        Straka, Hajic and Strakova 2016; the module's docstring has the formula and every departure.
    """

    common_options: ClassVar = ("epochs", "lr")

    epochs: int = option(10, "passes over the text", minimum=1)
    lr: float = option(0.05, "learning rate of Adagrad", minimum=0, exclusive=True)
    dropout: float = option(0.25, "share of the features of a place that are left out in training: 0, 0.25 or 0.5")

    def __post_init__(self) -> None:
        check(self)
        if self.dropout not in DROPOUTS:
            raise OptionError(f"dropout={self.dropout!r}: expected one of {', '.join(map(str, DROPOUTS))}")

    @explained
    def train(self, source: Any, *, seed: int = 0, on_error: str = SKIP) -> "TokeniserModel":
        """Train a tokeniser on a treebank.

        Args:
            source: a CoNLL-U file, plain or `.gz`, several, or a list of `firth.readers.conllu.DependencySentence`. Its
                text is that of the tokens, with spaces between them but after `SpaceAfter=No`.
            seed: random seed; it decides every bit of the result.
            on_error: "skip" damaged sentences of files, or "stop" at the first.

        Returns:
            A tokeniser.

        Warns:
            UserWarning: no token of the treebank is written together with the next one, or the comments `# text` are
                not the text of the tokens.

        Raises:
            CorpusError: the source is missing or holds no sentence.
            FormatError: a file is damaged; the message names the line.
        """
        check_seed(seed)
        sentences = read_treebank(source, on_error=on_error)
        raw = raw_text(sentences)
        if differing := differing_texts(sentences, raw):
            number, said, written = differing[0]
            of = f"{len(differing):,} of {counted(len(sentences), 'sentence')}"
            warn_caller(
                f"the text of {of} is not that of its tokens, such as that of sentence {number}: "
                f"{said.strip()[:60]!r} for {written[:60]!r}; the tokens and their SpaceAfter=No are learned"
            )
        return _trained(self, raw, seed)


@dataclass(frozen=True)
class TokeniserModel(Hinted):
    """A trained tokeniser, as `LearnedTokeniser().train` returns it.

    Attributes:
        weights: (2^18, 3) float32, of hashed features.
        allowed: (16, 16) uint8, bits of the labels that are possible between two kinds of characters.
        words: the V tokens of the treebank in lower case.
        counts: (V,) int32.
        multiword: which tokens are several words.
        metadata: JSON values: how it was trained.
    """

    weights: npt.NDArray[np.float32]
    allowed: npt.NDArray[np.uint8]
    words: Sequence[str]
    counts: npt.NDArray[np.int32]
    multiword: MultiwordTokens
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", with_training_facts(self.metadata))

    def __repr__(self) -> str:
        return f"<TokeniserModel: {len(self.words):,} tokens, {len(self.multiword.forms):,} multiword tokens>"

    @functools.cached_property
    def _table(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
        return _table(self.words, self.counts)

    @functools.cached_property
    def _alphabet(self) -> frozenset[str]:
        """The characters of the treebank's tokens, in lower case."""
        return frozenset("".join(self.words))

    def unseen(self, text: str) -> Counter[str]:
        """Return the characters of a text, but for white space, that are in no token of the treebank; with counts."""
        return Counter(
            {
                character: count
                for character, count in Counter(text).items()
                if not character.isspace() and chr(_ALPHABET[character][0]) not in self._alphabet
            }
        )

    def spans(self, text: str, *, lines: str | None = None) -> Spans:
        """Return the places of the tokens of each sentence of a text; the end is exclusive.

        Characters without width that the treebank never had, such as soft hyphens, are read over and stay with their
        token.

        Args:
            lines: what a line is, as for `document`.

        Raises:
            OptionError: `lines` is something else.
        """
        check_lines(lines)
        if lines == "word":
            return sentences_and_tokens(text, lines=lines)
        if lines == "sentence":
            by_line = ((first, self.spans(text[first:last])) for first, last in line_spans(text))
            return [
                [(first + start, first + end) for sentence in sentences for start, end in sentence]
                for first, sentences in by_line
                if sentences
            ]
        invisible = {c for c in set(text) if unicodedata.category(c) == "Cf" and c not in self._alphabet}
        if not invisible:
            return self._spans(text)
        kept = [position for position, character in enumerate(text) if character not in invisible]
        visible, ends = "".join(text[position] for position in kept), [*kept, len(text)]
        starts = [0, *(a + 1 if text[a].isspace() else b for a, b in itertools.pairwise(ends))]
        return [[(starts[start], ends[end]) for start, end in sentence] for sentence in self._spans(visible)]

    def _spans(self, text: str) -> Spans:
        characters = _characters(text)
        kernels.longest_known(characters, *self._table, np.zeros(len(text), np.int32))
        labels = np.zeros(len(text), np.uint8)
        kernels.split(characters, self.allowed, self.weights, labels)
        sentences, spans, start = Spans(), list[tuple[int, int]](), 0
        space = characters.kinds[8:-8] == kernels.SPACE
        for end in np.flatnonzero(labels).tolist():
            while space[start]:
                start += 1
            spans.append((start, end + 1))
            start = end + 1
            if labels[end] == kernels.LAST:
                sentences.append(spans)
                spans = []
        return sentences

    @explained
    def document(self, text: str, *, name: str = "", lines: str | None = None) -> Document:
        """Return the document of a raw text: sentences, tokens with their places, and the words of multiword tokens.

        Args:
            text: running text; an empty line ends a sentence.
            name: of the document.
            lines: what a line is: "sentence", or "word", where words stay as they are and an empty line ends a
                sentence; None for running text.

        Raises:
            ArgumentTypeError: the text or the name is no string.
            OptionError: `lines` is something else.
        """
        text = checked_raw_text(text, name)
        sentences, offsets = list[DependencySentence](), list[tuple[int, int]]()
        for number, spans in enumerate(self.spans(text, lines=lines), 1):
            tokens = [" ".join(text[start:end].split()) for start, end in spans]
            words = [(token,) for token in tokens] if lines == "word" else self.multiword.words(tokens)
            sentences.append(DependencySentence(_rows(tokens, words), sentence_comments(name, number, text, spans)))
            offsets += [span for span, of_token in zip(spans, words, strict=True) for _ in of_token]
        return Document(tuple(sentences), name, text, tuple(offsets))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save as a folder that `firth.load` opens.

        Raises:
            OptionError: the path is a folder of another kind, which is never replaced.
            OSError: the folder cannot be written.
        """
        arrays, multiword = self.multiword.saved()
        content = ModelFolder(
            kind=KIND,
            arrays={"weights": self.weights, "allowed": self.allowed, "counts": self.counts, **arrays},
            texts={"vocab": list(self.words), "tokens": multiword},
            metadata=self.metadata,
            card=f"# Tokeniser\n\n{repr(self)[1:-1]}. Made by firth.\n",
        )
        model_folder.write(path, content)


def _rows(tokens: Sequence[str], words: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a sentence, with those of multiword tokens."""
    rows, number = list[tuple[str, ...]](), 0
    nothing = (NONE,) * (COLUMNS - 2)
    for token, of_token in zip(tokens, words, strict=True):
        if len(of_token) > 1:
            rows.append((f"{number + 1}-{number + len(of_token)}", token, *nothing))
        for word in of_token:
            number += 1
            rows.append((str(number), word, *nothing))
    return tuple(rows)


def _table(words: Sequence[str], counts: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    """Return the dictionary as a table of hashes, and their counts."""
    size = 1 << max(4, (2 * len(words)).bit_length())
    keys, values = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    kernels.fill_table(_hashes(words), counts, keys, values)
    return keys, values


def _trained(options: LearnedTokeniser, raw: RawText, seed: int) -> TokeniserModel:
    if not any(after == before for spans in raw.tokens for (_, after), (before, _) in itertools.pairwise(spans)):
        warn_caller(
            "the treebank has a space after every token: tokens that are written together, such as a word and a full "
            "stop, are not learned; expected SpaceAfter=No in the column MISC where there is none"
        )
    characters, labels = _characters(raw.text), _gold_labels(raw)
    tokens = [(start, end) for spans in raw.tokens for start, end in spans]
    counted = Counter(_lower(raw.text[start:end]) for start, end in tokens if end - start <= kernels.LONGEST_WORD)
    words, counts = list(counted), np.array(list(counted.values()), np.int32)
    ends = np.zeros(len(raw.text), np.int32)
    for start, end in tokens:
        ends[start] = end
    kernels.longest_known(characters, *_table(words, counts), ends)
    allowed = _allowed(raw, characters, labels)
    sentences = np.array([(spans[0][0], spans[-1][1]) for spans in raw.tokens], np.int32)
    weights = np.zeros((ROWS, kernels.LABELS), np.float32)
    squares = np.zeros_like(weights)
    order, state = generator(seed, "order of sentences"), kernel_states(seed, "features left out", 1)
    losses = list[float]()
    for _ in range(options.epochs):
        total = kernels.train_sentences(
            characters, labels, order.permutation(sentences), allowed, weights, squares, options.lr,
            DROPOUTS[options.dropout], state,
        )  # fmt: skip
        losses.append(total / len(raw.text))
    facts = {"loss": losses, "sentences": len(sentences), "tokens": len(tokens), "seed": seed}
    return TokeniserModel(weights, allowed, words, counts, MultiwordTokens.learn(raw), {"training": facts})


def _allowed(raw: RawText, characters: kernels.Characters, labels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the bits of the labels that are possible between two kinds of characters."""
    seen = np.zeros((kernels.KINDS, kernels.KINDS, kernels.LABELS), np.int64)
    decided = np.flatnonzero((characters.kinds[8:-8] != kernels.SPACE) & ~characters.breaks)
    np.add.at(seen, (characters.kinds[decided + 8], characters.kinds[decided + 9], labels[decided]), 1)
    possible = (seen > 0) | (seen.sum(2, keepdims=True) < SURE)
    ends = np.bincount([characters.kinds[spans[-1][1] + 7] for spans in raw.tokens], minlength=kernels.KINDS)
    ends[[kernels.POINT, kernels.FINAL]] += 1
    possible[kernels.SPACE, :, kernels.LAST] = (ends > 0) | (len(raw.tokens) < SURE)
    possible[kernels.SPACE, kernels.OUTSIDE, kernels.LAST] = False  # for `kernels.knows_final_marks`
    allowed: npt.NDArray[np.uint8] = (possible << np.arange(kernels.LABELS)).sum(2).astype(np.uint8)
    if not any(map(str.isspace, (c for spans in raw.tokens for a, b in spans for c in raw.text[a:b]))):
        allowed[:, kernels.SPACE] &= (1 << kernels.END) | (1 << kernels.LAST)
    return allowed


def restore(content: ModelFolder) -> TokeniserModel:
    """Return the tokeniser of a folder."""
    weights = content.array("weights", (None, kernels.LABELS), dtype=np.float32)
    if len(weights) & (len(weights) - 1) or not len(weights):
        raise content.damaged(f"{len(weights):,} rows of weights; expected a power of two")
    allowed = content.array("allowed", (kernels.KINDS, kernels.KINDS), "u", dtype=np.uint8)
    if allowed.min() < 1 or allowed.max() >= 1 << kernels.LABELS:
        raise content.damaged("labels that are allowed nowhere, or that do not exist")
    words = content.words()
    counts = content.counts("counts", len(words), 1).astype(np.int32)
    multiword = MultiwordTokens.restored(content)
    return TokeniserModel(weights, allowed, words, counts, multiword, dict(content.metadata))
