"""Vectors of the words of sentences: by look-up, by characters, given, and of their tags.

What
    Up to five parts, concatenated: a look-up of the word; a CNN or an LSTM over its characters; a given vector that is
    kept; look-ups of columns, such as tags; vectors in context, of pretrained encoders.
Objective
    x = [E[word]; characters(c_1 .. c_n); G[word]; E_1[tag]; ...; ELMo(word in its sentence)]. In training the word is
    read as unknown with probability a / (a + n), n its count, so that the vector of unknown words is learned from rare
    words.
Source
    Lample et al. 2016, "Neural architectures for named entity recognition", section 4; Ma and Hovy 2016, "End-to-end
    sequence labeling via bi-directional LSTM-CNNs-CRF", section 2.1; Kiperwasser and Goldberg 2016, "Simple and
    accurate dependency parsing using bidirectional LSTM feature representations", section 5.1 (word dropout).
Departures
    Only the look-up is dropped; characters and given vectors stay.
Cost
    A row per token and table; characters once per distinct word of a batch.
"""

import math

import numpy as np
import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.characters import CharacterCNN, CharacterEncoder, CharacterLSTM
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.models.classification.reader import PAD, UNKNOWN
from firth.neural.models.tokens.embedders import INPUT
from firth.neural.models.tokens.features import ContextualVectors, Vectors
from firth.neural.models.tokens.options import TokenOptions
from firth.neural.models.tokens.reader import FIRST, LONGEST, TokenInputs, TokenReader, case_insensitive
from firth.vectors.word_vectors import WordVectors

CHAR_WINDOW = 3  # characters that a filter reads


class TokenEmbedder(nn.Module):
    """Vectors of the words of sentences.

    Attributes:
        words: the look-up of words, or None.
        characters: the encoder of characters, or None.
        given: the look-up of given vectors that are kept, or None.
        columns: the look-ups of columns.
        contextual: the vectors of encoders, or None.
        widths: width of each part that is there, in the order: words, characters, given, columns, contextual.
        width: D, their sum.

    Raises:
        OptionError: no word has a vector, or there is no part.
    """

    def __init__(
        self, options: TokenOptions, reader: TokenReader, vectors: WordVectors | None = None, *, seed: int = 0
    ) -> None:
        super().__init__()
        tuned = None if reader.given else vectors
        self.words: WordEmbedding | None = None
        if options.embedding != "none":
            self.words = _table(len(reader), options.dim, reader.words, tuned, seed=seed)
        self.characters = _characters(options, reader) if reader.characters else None
        self.given: WordEmbedding | None = None
        if reader.given:
            size = len(reader.given) + FIRST
            self.given = _table(size, reader.vector_dim, reader.given, vectors, seed=seed, frozen=True)
        self.columns = nn.ModuleList(
            _table(len(values) + FIRST, options.column_dim) for values in reader.columns.values()
        )
        rates = np.zeros(len(reader), np.float32)
        rates[FIRST:] = options.word_dropout / np.maximum(options.word_dropout + reader.counts, 1e-9)
        rates[FIRST:][reader.counts == 0] = 0.0  # known by its vector only
        self.register_buffer("rates", torch.from_numpy(rates), persistent=False)
        parts = [self.words, self.characters, self.given, *self.columns]
        self.widths = [int(part.width) for part in parts if part is not None]
        self.contextual = ContextualVectors(reader.embedders) if reader.embedders else None
        if self.joins(INPUT):
            self.widths.append(self.joins(INPUT))
        self.width = sum(self.widths)
        if not self.width:
            raise OptionError(
                "embedding='none' and characters='none': words have no vectors; expected embed=, or another embedding"
            )

    def joins(self, name: str) -> int:
        """Return the width of the vectors of encoders that join the network by a name of `JOINS`; 0 for none."""
        return 0 if self.contextual is None else self.contextual.widths[name]

    def context(self, inputs: TokenInputs) -> Vectors:
        """Return the vectors of encoders that join the network, which `parts` and `forward` take."""
        return {} if self.contextual is None else self.contextual(inputs.sentences)

    def parts(self, inputs: TokenInputs, context: Vectors | None = None) -> list[torch.Tensor]:
        """Return the parts, (B, T, width) each, that `forward` concatenates; meaningless at padding."""
        context = self.context(inputs) if context is None else context
        parts = [] if self.words is None else [self.words(self._dropped(inputs.words))]
        if self.characters is not None:
            assert inputs.spellings is not None, "the reader reads characters"
            parts.append(self.characters.spelled(inputs.spellings)[inputs.forms])
        if self.given is not None:
            parts.append(self.given(inputs.given))
        parts += [table(ids) for table, ids in zip(self.columns, inputs.columns, strict=True)]
        return [*parts, context[INPUT]] if INPUT in context else parts

    def forward(self, inputs: TokenInputs, context: Vectors | None = None) -> torch.Tensor:
        """Return (B, T, D) vectors of words, meaningless at padding; arguments as for `parts`."""
        return torch.cat(self.parts(inputs, context), dim=2)

    def _dropped(self, words: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return words
        rates = self.get_buffer("rates")[words]
        return torch.where(torch.rand_like(rates) < rates, UNKNOWN, words)


def _characters(options: TokenOptions, reader: TokenReader) -> CharacterEncoder:
    width, dim = options.char_width, options.char_dim
    if options.characters == "lstm":
        return CharacterLSTM(reader.characters, char_dim=dim, hidden=width, width=width, longest=LONGEST)
    filters = [0] * (CHAR_WINDOW - 1) + [width]
    return CharacterCNN(reader.characters, char_dim=dim, filters=filters, highway=0, longest=LONGEST)


def _table(
    size: int,
    dim: int,
    names: list[str] | None = None,
    vectors: WordVectors | None = None,
    *,
    seed: int = 0,
    frozen: bool = False,
) -> WordEmbedding:
    """Return a table of random vectors, or of given ones; padding and the unknown word begin with zeros."""
    if vectors is None or names is None:
        table = WordEmbedding(size, dim, frozen=frozen)
        bound = math.sqrt(3 / dim)
        nn.init.uniform_(table.weight, -bound, bound)
    else:
        rows = case_insensitive(vectors.index_to_key)
        keys = [vectors.index_to_key[rows[name]] if name in rows else "\0" for name in names]
        table = WordEmbedding.from_vectors(vectors, ["\0"] * FIRST + keys, frozen=frozen, seed=seed)
    with torch.no_grad():
        table.weight[[PAD, UNKNOWN]] = 0.0
    return table
