"""A trained sentence encoder: vectors of texts, vectors of words, saving."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.attribute_names import SENTENCE_ENCODERS, no_attribute
from firth.errors import OptionError
from firth.language.text import UNK, TextRules
from firth.neural.models.sentences.expansion import mapped_words
from firth.neural.models.sentences.module import SentenceModule
from firth.neural.models.sentences.options import SentenceOptions
from firth.neural.saved import SavedModel
from firth.neural.training.batching import pad
from firth.options import check_kind
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder
from firth.text.batches import check_batch_size, encoded_in_batches, warn_truncated
from firth.text.inputs import Text, token_lists
from firth.text.tokenise import tokeniser
from firth.training_facts import with_training_facts
from firth.vectors.cosine import Matrix
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

KIND, COUNTS, ADDED = "firth-sentence-encoder", "counts", "added"  # in config.json; names of two arrays
NAMES = "names"  # file of the added words
BATCH, POOL = 64, 32  # texts per call of the module; calls whose texts are sorted by length together
EXAMPLE = 'model.encode(["some text"])\n'


class SentenceEncoder(SavedModel):
    """A trained sentence encoder, as `firth.SkipThought(...).train` and others of its kind return it.

    Args:
        module: with trained parameters.
        options: of the model.
        vocabulary: V words, `<unk>` among them.
        rules: how the model reads text.
        metadata: JSON values to save with the model: how it was trained.
        added: words outside the training text, with an input vector each; see `expand`.

    Attributes:
        module: in evaluation mode.
        options: of the model.
        vocabulary: as given.
        rules: as given.
        metadata: as given.
        added: as given.
    """

    module: SentenceModule
    options: SentenceOptions

    def __init__(
        self,
        module: SentenceModule,
        options: SentenceOptions,
        vocabulary: Vocabulary,
        rules: TextRules,
        metadata: Mapping[str, Any] | None = None,
        added: WordVectors | None = None,
    ) -> None:
        self.module = module.eval()
        self.options = options
        self.vocabulary = vocabulary
        self.rules = rules
        self.metadata = with_training_facts(metadata)
        self.added = added
        self._numbers = dict(vocabulary.ids)
        if added is not None:
            self._numbers |= {word: len(vocabulary) + i for i, word in enumerate(added.words)}

    if not TYPE_CHECKING:  # for type checkers an unknown attribute is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(type(self).__name__, name, SENTENCE_ENCODERS, dir(type(self)))

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
            progress: how to show progress; see `firth.progress`.

        Returns:
            (N, D) float32; zeros for a text without any known word.

        Warns:
            TextsWarning: texts are longer than the model reads: only their beginnings count.

        Raises:
            OptionError: `batch_size` is below 1.
            KindError: `texts` is one string, or no list of texts.
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
        known = [i for i, row in enumerate(rows) if (row != unknown).any()]
        known.sort(key=lambda i: len(rows[i]))
        for first in range(0, len(known), size):
            batch = known[first : first + size]
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
            Kiros et al. 2015, section 2.2; `firth.neural.models.sentences.expansion` has the formula.
        """
        check_kind("vectors", vectors, WordVectors)
        table = self.module.input_table
        if table is None:
            kind = type(self.options).__name__
            raise OptionError(f"{kind} has no table of word vectors that could be expanded: encode texts as they are")
        known = WordVectors(list(self.vocabulary.words), table.detach().float().cpu().numpy())
        added = mapped_words(vectors, known, words)
        return SentenceEncoder(self.module, self.options, self.vocabulary, self.rules, self.metadata, added)

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

    def _content(self) -> ModelFolder:
        """Return what `save` writes; see `firth.neural.models.sentences.files`."""
        words = len(self.vocabulary)
        arrays, texts = {COUNTS: np.asarray(self.vocabulary.counts)}, {"vocab": list(self.vocabulary.words)}
        if self.added is not None:
            arrays[ADDED], texts[NAMES] = np.asarray(self.added.vectors, dtype=np.float32), list(self.added.words)
        return self._model_folder(
            KIND,
            arrays,
            texts,
            {"rules": asdict(self.rules), "total": self.vocabulary.total},
            ("A sentence encoder", f" of {words:,} {self.rules.unit}, {self.dim:,} numbers per text", EXAMPLE),
        )
