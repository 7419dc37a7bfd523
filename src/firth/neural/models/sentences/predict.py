"""Vocabulary expansion: input vectors for words that an encoder never read, from any word vectors.

What: a linear map from trained word vectors to the encoder's input vectors. It is fitted to the words that both know;
    every other word of the vectors is mapped, and read like any word of the training text.
Objective: with u_w the vector and v_w the input vector of each shared word w,

    W, b = argmin sum_w |W u_w + b - v_w|^2,      v'_w = W u_w + b  for all other words

Source: Kiros et al. 2015, "Skip-thought vectors", section 2.2; Mikolov, Le and Sutskever 2013, "Exploiting similarities
    among languages for machine translation", for the map.
Departures: the paper has no b; its program fits one. `<unk>` and `</s>` are not fitted.
Cost: n E' (E' + E) multiplications for n shared words of widths E' and E, and a factorisation of E' x E'.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import OptionError
from firth.language.text import EOS, UNK, TextRules
from firth.neural.models.sentences.options import SentenceModule, SentenceOptions
from firth.neural.saved import Field, Saved, SavedModel, text_fields
from firth.neural.training.batching import pad
from firth.neural.training.devices import new_module
from firth.options import check_kind
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder
from firth.text.batches import check_batch_size, encoded_in_batches, warn_truncated
from firth.text.inputs import Text, token_lists
from firth.text.tokenise import tokeniser
from firth.vectors.cosine import Matrix
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

ADDED, NAMES = "added", "names"  # array of the added words, and their file
BATCH, POOL = 64, 32  # texts per call of the module; calls whose texts are sorted by length together
EXAMPLE = 'model.encode(["some text"])\n'


def mapped_words(vectors: WordVectors, encoder: WordVectors, words: Sequence[str] | None = None) -> WordVectors:
    """Return words with the input vectors that the map gives them.

    Args:
        vectors: of the words to add and of shared words, (n, E').
        encoder: input vectors of the encoder's words, (V, E).
        words: to add; None for all words of `vectors` that the encoder does not know.

    Raises:
        OptionError: fewer words are shared than the map has columns, or there is nothing to add.
    """
    own = {word: row for word, row in encoder.key_to_index.items() if word not in (UNK, EOS)}
    pairs = [(row, own[word]) for word, row in vectors.key_to_index.items() if word in own]
    if len(pairs) <= vectors.dim:
        raise OptionError(
            f"{len(pairs):,} of the encoder's {len(own):,} words have a vector: expected more than the width of the "
            f"vectors, {vectors.dim}; use vectors of the same language and case"
        )
    wanted = [word for word in vectors.words if word not in own] if words is None else list(dict.fromkeys(words))
    wanted = [word for word in wanted if word not in encoder.key_to_index]
    if not wanted:
        raise OptionError("no words to add: the encoder knows all of them; use vectors with a larger vocabulary")
    theirs, ours = (np.array(rows) for rows in zip(*pairs, strict=True))
    matrix = np.asarray(vectors.vectors, dtype=np.float64)
    x, y = matrix[theirs], np.asarray(encoder.vectors, dtype=np.float64)[ours]
    x_mean, y_mean = x.mean(0), y.mean(0)
    weights = np.linalg.lstsq(x - x_mean, y - y_mean, rcond=None)[0]  # (E', E)
    rows = np.array([vectors.get_index(word) for word in wanted])
    added = (matrix[rows] - x_mean) @ weights + y_mean
    return WordVectors(wanted, added.astype(np.float32))


def _written_words(added: WordVectors | None) -> Saved:
    if added is None:
        return Saved()
    return Saved(arrays={ADDED: np.asarray(added.vectors, dtype=np.float32)}, texts={NAMES: list(added.words)})


def _read_words(content: ModelFolder, options: Any) -> WordVectors | None:
    if ADDED not in content.arrays:
        return None
    words, vocabulary = content.words(NAMES), content.words()
    rows = content.array(ADDED, (len(words), None))
    if len(set(words)) < len(words) or not set(vocabulary).isdisjoint(words):
        raise content.damaged(f"{NAMES}.json repeats a word")
    return WordVectors(words, rows)


class SentenceEncoder(SavedModel):
    """A trained sentence encoder, as `firth.SkipThought(...).train` and others of its kind return it.

    Args:
        module: with trained parameters.
        vocabulary: V words, `<unk>` among them.
        rules: how the model reads text.
        added: words outside the training text, with an input vector each; see `expand`.

    Attributes:
        module: in evaluation mode.
        options: of the model.
    """

    kind: ClassVar = "firth-sentence-encoder"
    what: ClassVar = "a sentence encoder"
    saved_fields: ClassVar = (*text_fields(), Field("added", _written_words, _read_words, (ADDED,), optional=True))
    config_order: ClassVar = ("rules", "total")
    module: SentenceModule
    options: SentenceOptions
    vocabulary: Vocabulary
    rules: TextRules
    added: WordVectors | None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        words = () if self.added is None else self.added.words
        return {**self.vocabulary.ids, **{word: number for number, word in enumerate(words, len(self.vocabulary))}}

    def __repr__(self) -> str:
        added = "" if self.added is None else f" and {len(self.added):,} added"
        return (
            f"<SentenceEncoder: {type(self.options).__name__}, {len(self.vocabulary):,} {self.rules.unit}{added}, "
            f"{self.dim:,} numbers per text>"
        )

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.module.width

    @explained
    def encode(self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None) -> Matrix:
        """Return one vector per text.

        Texts are read in the order of their length, so that a batch has little padding. The padding does not matter:
        the vector of a text depends on its own words only.

        Args:
            texts: N texts, each a string or its tokens.
            batch_size: texts that are encoded at once; None for 64.

        Returns:
            (N, D) float32; zeros for a text without any known word.

        Warns:
            TextsWarning: texts are longer than the model reads: only their beginnings count.

        Raises:
            OptionError: `batch_size` is below 1.
            ArgumentTypeError: `texts` is one string, or no list of texts.
        """
        size = BATCH if batch_size is None else batch_size
        check_batch_size(size)
        total = long = 0

        def encoded(pool: list[Text]) -> Matrix:
            nonlocal total, long
            rows = self.ids_of(pool)
            total, long = total + len(rows), long + sum(len(row) > self.options.max_length for row in rows)
            return self._encoded([row[: self.options.max_length] for row in rows], size)

        vectors = encoded_in_batches(texts, encoded, self.dim, model=self, batch_size=size * POOL, progress=progress)
        warn_truncated(long, total, self.options.max_length, self.rules.unit)
        return vectors

    def ids_of(self, texts: Sequence[Text]) -> list[npt.NDArray[np.int64]]:
        """Return the ids of each text, with V + i for added word i, and that of `<unk>` for all other words."""
        unknown = self._numbers[UNK]
        return [
            np.array([self._numbers.get(word, unknown) for word in words], dtype=np.int64)
            for words in token_lists(texts, tokeniser(self.rules.tokens))
        ]

    @torch.no_grad()
    def _encoded(self, rows: list[npt.NDArray[np.int64]], size: int) -> Matrix:
        vectors = np.zeros((len(rows), self.dim), dtype=np.float32)
        unknown, added = self._numbers[UNK], self._added_vectors()
        filled = [i for i, row in enumerate(rows) if (row != unknown).any()]
        filled.sort(key=lambda i: len(rows[i]))
        for first in range(0, len(filled), size):
            batch = filled[first : first + size]
            ids, lengths = pad([rows[i] for i in batch])
            vectors[batch] = self.module.encode(ids.to(self.device), lengths, added).float().cpu().numpy()
        return vectors

    def _added_vectors(self) -> torch.Tensor | None:
        if self.added is None:
            return None
        return torch.from_numpy(np.array(self.added.vectors, dtype=np.float32)).to(self.device)

    def expand(self, vectors: WordVectors, *, words: Sequence[str] | None = None) -> "SentenceEncoder":
        """Return this encoder with a larger vocabulary: words that it never read, by way of other word vectors.

        A linear map from the vectors to the encoder's input vectors is fitted to the words that both know, by least
        squares, and applied to the others.

        Args:
            vectors: word vectors of the same language and case, of any width.
            words: words to add; None for all words of `vectors` that the encoder does not know.

        Raises:
            OptionError: the encoder has no table of word vectors, or both share too few words.
            UnknownWordError: one of the words has no vector.

        Source:
            Kiros et al. 2015, section 2.2; `firth.neural.models.sentences.predict` has the formula.
        """
        check_kind("vectors", vectors, WordVectors)
        table = self.module.input_table
        if table is None:
            kind = type(self.options).__name__
            raise OptionError(f"{kind} has no table of word vectors that could be expanded: encode texts as they are")
        own = WordVectors(list(self.vocabulary.words), table.detach().float().cpu().numpy())
        added = mapped_words(vectors, own, words)
        return SentenceEncoder(self.module, self.options, self.vocabulary, self.rules, added, self.metadata)

    def word_vectors(self) -> WordVectors:
        """Return the input vectors of all words, added ones too.

        Raises:
            OptionError: the encoder has no table of word vectors.
        """
        table = self.module.input_table
        if table is None:
            raise OptionError(f"{type(self.options).__name__} has no table of word vectors: use encode")
        words, rows = list(self.vocabulary.words), table.detach().float().cpu().numpy()
        counts = np.asarray(self.vocabulary.counts)
        if self.added is not None:
            words += list(self.added.words)
            rows = np.concatenate([rows, np.asarray(self.added.vectors, dtype=np.float32)])
            counts = np.concatenate([counts, np.zeros(len(self.added), dtype=counts.dtype)])
        return WordVectors(words, rows, counts=counts, metadata=self.metadata)

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        module: torch.nn.Module = new_module(0, options.build_module, values[0])
        return module

    @classmethod
    def restore(cls, content: ModelFolder) -> Self:
        """Return the model of a folder; see `SavedModel.restore`."""
        model = super().restore(content)
        table, added = model.module.input_table, model.added
        if added is not None and (table is None or table.shape[1] != added.dim):
            raise content.damaged(f"tensor {ADDED!r} has {added.dim} columns, unlike the input vectors of the encoder")
        return model

    def _card(self) -> tuple[str, str, str]:
        about = f" of {len(self.vocabulary):,} {self.rules.unit}, {self.dim:,} numbers per text"
        return "A sentence encoder", about, EXAMPLE
