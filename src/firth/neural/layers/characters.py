"""Character-aware word embeddings: a CNN or an LSTM over the characters of any word, known or not.

What
    Encoders that replace a `WordEmbedding`: they take ids of a vocabulary, and read each distinct word once per batch.
    Ids from V on are words outside the vocabulary, whose character ids come with the batch.
Objective
    CNN    for each width w and filter: max over positions p of tanh(W [c_p; ...; c_{p+w-1}] + b); concatenated; highway
    LSTM   D_f h_f + D_b h_b + b, with h_f and h_b the last states of a forward and a backward LSTM
Source
    Kim, Jernite, Sontag and Rush 2016, sections 3.2 and 3.3 (CNN); Ling et al. 2015, section 3, equation 1 (LSTM, C2W).
Departures
    The CNN's maximum is over the word's own positions, so that no vector depends on the padding of its batch; a word
    shorter than a filter is padded with zeros to one position. tanh is monotone and follows the maximum.
    Characters outside the vocabulary's words share one vector. It starts at zero and is trained on words outside the
    vocabulary, so that it is zero, not noise, if the training text has none.
Cost
    C D_c w products per filter and distinct word; words of similar length are read together, to save padding.
"""

import abc
from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.functional import embedding, pad

from firth.errors import OptionError
from firth.neural.layers.bidirectional import Bidirectional
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.highway import Highway
from firth.neural.layers.spelling import PADDING, UNKNOWN, Spelling, length_groups

SLICE = 2048  # maximum number of words that `encode` reads at once
SMALL = (25, 50, 75, 100, 125, 150)  # Kim et al. 2016, table 2, LSTM-Char-Small: filters of width 1, 2, ... 6


class CharacterTable(nn.Module):
    """Character embedding; the rows of padding and unknown characters start at zero.

    Args:
        width: D.
        bound: of the uniform distribution of initial values.
    """

    def __init__(self, codes: int, width: int, *, bound: float = 0.1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(codes, width).uniform_(-bound, bound))
        self.clear()

    def clear(self) -> None:
        """Set the rows of padding and unknown characters to zero."""
        with torch.no_grad():
            self.weight[[PADDING, UNKNOWN]] = 0.0

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (..., D) vectors of (...) int32 character ids."""
        return embedding(codes, self.weight, padding_idx=PADDING)


class CharacterEncoder(nn.Module, abc.ABC):
    """An encoder of words by their characters.

    Args:
        spellings: V words in the order of their ids.
        longest: maximum number of characters that are read of a word.
        width: D.
        bound: of the uniform distribution of initial character vectors.
        sizes: of the encoder's own layers, to check.

    Attributes:
        width: D.
    """

    def __init__(
        self, spellings: Sequence[str], *, char_dim: int, longest: int, width: int, bound: float = 0.1, **sizes: int
    ) -> None:
        super().__init__()
        if not spellings:
            raise OptionError("a character encoder needs a vocabulary of at least one word")
        for name, size in {"char_dim": char_dim, **sizes, "longest": longest, "width": width}.items():
            if size < 1:
                raise OptionError(f"{name}={size}: expected at least 1")
        self.spelling = Spelling(spellings, longest=longest)
        self.register_buffer("codes", self.spelling.character_ids(spellings), persistent=False)
        self.characters = CharacterTable(self.spelling.codes, char_dim, bound=bound)
        self.width = width

    def forward(self, ids: torch.Tensor, unknown: torch.Tensor | None = None) -> torch.Tensor:
        """Return (..., D) vectors of words.

        Args:
            ids: (...) int64; V + i stands for unknown word i.
            unknown: (U, C) `character_ids` of U words outside the vocabulary, or None.
        """
        codes, inverse = self.distinct(ids, unknown)
        return self._read(codes)[inverse]

    def distinct(self, ids: torch.Tensor, unknown: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (n, C) character ids of the distinct words among some, and the (...) rows of them that these have."""
        codes = self.get_buffer("codes")
        types, inverse = torch.unique(ids, return_inverse=True)
        return codes[types] if unknown is None else _codes_of(types, codes, unknown), inverse

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) int32 character ids of n words, on the layer's device; see `Spelling.character_ids`."""
        return self.spelling.character_ids(words).to(self.get_buffer("codes").device)

    def spelled(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (n, D) vectors of n words given by their (n, C) `character_ids`."""
        return self._read(codes)

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, D) vectors of n words, known or not, without gradients."""
        codes = self.character_ids(words)
        if not len(codes):
            return torch.empty(0, self.width)
        with torch.no_grad():
            return torch.cat([self._read(part) for part in torch.split(codes, SLICE)])

    @abc.abstractmethod
    def _read(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (n, D) vectors of words given by (n, C) character ids."""


class CharacterCNN(CharacterEncoder):
    """Character CNN: convolutions over a word's characters, max pooling, and highway layers.

    Args:
        spellings: V words in the order of their ids.
        filters: number of filters of width 1, 2, 3, ...
        width: D, by a final linear layer; None for the number of filters.
        longest: maximum number of characters that are read of a word.
        bound: of the uniform distribution of initial character vectors. With 0.5 the vectors of words differ as much at
            the start as those of `WordEmbedding`; with 0.1 a quarter of that.

    Attributes:
        width: D.
    """

    def __init__(
        self,
        spellings: Sequence[str],
        *,
        char_dim: int = 15,
        filters: Sequence[int] = SMALL,
        highway: int = 1,
        width: int | None = None,
        longest: int = 50,
        bound: float = 0.1,
    ) -> None:
        wide = width or sum(filters)
        super().__init__(spellings, char_dim=char_dim, longest=longest, width=wide, bound=bound, filters=sum(filters))
        self.filters = nn.ModuleList(nn.Linear(w * char_dim, many) for w, many in enumerate(filters, 1) if many)
        self.highway = Highway(sum(filters), layers=highway)
        self.last = nn.Identity() if width is None else nn.Linear(sum(filters), width)

    def _read(self, codes: torch.Tensor) -> torch.Tensor:
        best = _by_length(codes, self._highest)
        vectors: torch.Tensor = self.last(self.highway(torch.tanh(best)))
        return vectors

    def _highest(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (n, filters), the maximum of each filter over the positions of each word."""
        lengths = (codes != PADDING).sum(1)
        x = self.characters(codes)  # (n, C, D_c)
        answers = []
        for convolution in self.filters:
            w = convolution.in_features // x.shape[2]
            wide = pad(x, (0, 0, 0, max(0, w - x.shape[1])))
            positions = wide.shape[1] - w + 1
            windows = torch.cat([wide[:, k : k + positions] for k in range(w)], dim=2)  # (n, positions, w D_c)
            behind = torch.arange(positions, device=codes.device) > (lengths - w).clamp(min=0).unsqueeze(1)
            answers.append(convolution(windows).masked_fill(behind.unsqueeze(2), -torch.inf).amax(1))
        return torch.cat(answers, dim=1)


class CharacterLSTM(CharacterEncoder):
    """Character LSTM (C2W): a bidirectional LSTM over a word's characters, and a linear layer over its last states.

    Args:
        spellings: V words in the order of their ids.
        hidden: H, width of each LSTM's state.
        width: D.
        longest: maximum number of characters that are read of a word.

    Attributes:
        width: D.
    """

    def __init__(
        self, spellings: Sequence[str], *, char_dim: int = 50, hidden: int = 150, width: int = 50, longest: int = 50
    ) -> None:
        super().__init__(spellings, char_dim=char_dim, longest=longest, width=width, hidden=hidden)
        self.lstm = Bidirectional(lambda: RecurrentLayer("lstm", char_dim, hidden))
        self.last = nn.Linear(2 * hidden, width)

    def _read(self, codes: torch.Tensor) -> torch.Tensor:
        vectors: torch.Tensor = self.last(_by_length(codes, self._ends))
        return vectors

    def _ends(self, codes: torch.Tensor) -> torch.Tensor:
        """Return (n, 2 H), the last outputs of both LSTMs."""
        lengths = (codes != PADDING).sum(1).cpu()
        _, ((forward, _), (backward, _)) = self.lstm(self.characters(codes), None, lengths)
        return torch.cat([forward, backward], dim=1)


WordEncoder = Callable[[torch.Tensor], torch.Tensor]  # (n, C) character ids to (n, D)


def _codes_of(types: torch.Tensor, codes: torch.Tensor, unknown: torch.Tensor) -> torch.Tensor:
    """Return (n, C) character ids of types in ascending order: words of the vocabulary, then those outside it."""
    split = int((types < len(codes)).sum())
    rows = [codes[types[:split]], unknown[types[split:] - len(codes)]]
    width = max(codes.shape[1], unknown.shape[1])
    return torch.cat([pad(table, (0, width - table.shape[1])) for table in rows])


def _by_length(codes: torch.Tensor, encode: WordEncoder) -> torch.Tensor:
    """Encode words in groups of similar length, each padded to its own longest."""
    groups = length_groups(codes)
    parts = [encode(codes[rows, :width]) for rows, width in groups]
    return torch.cat(parts)[torch.argsort(torch.cat([rows for rows, _ in groups]))]
