"""Words to vectors by their characters: any spelling has one, seen or not.

What
    Encoders that stand wherever a `WordEmbedding` can: over ids of a vocabulary, each distinct one read once a batch.
    Ids from V on are words outside the vocabulary, whose codes come with the batch.
Objective
    CNN    for each width w and filter: max over places p of tanh(W [c_p; ...; c_{p+w-1}] + b); side by side; highway
    LSTM   D_f h_f + D_b h_b + b, with h_f and h_b the ends of an LSTM from the beginning and of one from the end
Source
    Kim, Jernite, Sontag and Rush 2016, sections 3.2 and 3.3 (CNN); Ling et al. 2015, section 3, equation 1 (LSTM, C2W).
Departures
    The CNN's maximum is taken over the word's own places, so that no vector depends on how far its batch is padded; a
    word shorter than a filter fills up with zeros to one place. tanh, being monotone, stands behind the maximum.
    Characters that no word of the vocabulary has share one vector. It starts at zero and is trained where words outside
    the vocabulary are read, so that it is zero, not noise, where training text has none of them.
Cost
    C D_c w products a filter and distinct word: longer words are read together, so that short ones pay for little
    padding.
"""

from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.functional import embedding, pad

from firth.errors import OptionError
from firth.neural.layers.bidirectional import Bidirectional
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.highway import Highway
from firth.neural.layers.spelling import PADDING, UNKNOWN, Spelling

TOGETHER, GROUPS = 64, 4  # words of like length that are read in one go, at least; such groups, at most
SLICE = 2048  # words that `encode` reads in one go, at most
SMALL = (25, 50, 75, 100, 125, 150)  # Kim et al. 2016, table 2, LSTM-Char-Small: filters of width 1, 2, ... 6


class CharacterTable(nn.Module):
    """A row a character; those of padding and of unknown characters start at zero.

    Args:
        codes: rows.
        width: numbers a row.
    """

    def __init__(self, codes: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(codes, width).uniform_(-0.1, 0.1))
        self.clear()

    def clear(self) -> None:
        """Set the rows that stand for no character of the vocabulary to zero."""
        with torch.no_grad():
            self.weight[[PADDING, UNKNOWN]] = 0.0

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Return the rows of some characters.

        Args:
            codes: (...) int32.

        Returns:
            (..., D).
        """
        return embedding(codes, self.weight, padding_idx=PADDING)


class CharacterCNN(nn.Module):
    """Filters over a word's characters, the highest answer of each, and a highway.

    Args:
        spellings: V words in the order of their ids.
        char_dim: width of character vectors.
        filters: how many of width 1, 2, 3, ...
        highway: layers of it.
        width: numbers a word, by a last linear layer; None for what the highway gives, one a filter.
        longest: characters of a word that are read.

    Attributes:
        width: numbers a word.

    Raises:
        OptionError: no word, no filter, or a size below 1.
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
    ) -> None:
        super().__init__()
        _check(spellings, char_dim=char_dim, filters=sum(filters), longest=longest, width=width or 1)
        self.spelling = Spelling(spellings, longest=longest)
        self.register_buffer("codes", self.spelling.character_ids(spellings), persistent=False)
        self.characters = CharacterTable(self.spelling.codes, char_dim)
        self.filters = nn.ModuleList(nn.Linear(w * char_dim, many) for w, many in enumerate(filters, 1) if many)
        self.highway = Highway(sum(filters), layers=highway)
        self.last = nn.Identity() if width is None else nn.Linear(sum(filters), width)
        self.width = width or sum(filters)

    def forward(self, ids: torch.Tensor, unknown: torch.Tensor | None = None) -> torch.Tensor:
        """Return the vectors of words.

        Args:
            ids: (...) int64, below V words of the vocabulary, from V on those of `unknown`.
            unknown: (U, C) what `character_ids` gives for U words outside the vocabulary; None for none.

        Returns:
            (..., D).
        """
        return _by_type(ids, self.get_buffer("codes"), unknown, self._read)

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) int32 the codes of n words, on the layer's device; see `Spelling.character_ids`."""
        return self.spelling.character_ids(words).to(self.get_buffer("codes").device)

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return the vectors of words, seen or not, without gradients.

        Args:
            words: n of them.

        Returns:
            (n, D).
        """
        return _encoded(self.character_ids(words), self._read, self.width)

    def _read(self, codes: torch.Tensor) -> torch.Tensor:
        best = _by_length(codes, self._highest)
        vectors: torch.Tensor = self.last(self.highway(torch.tanh(best)))
        return vectors

    def _highest(self, codes: torch.Tensor) -> torch.Tensor:
        """(n, filters) the highest answer of each filter within each word."""
        lengths = (codes != PADDING).sum(1)
        x = self.characters(codes)  # (n, C, D_c)
        answers = []
        for one in self.filters:
            w = one.in_features // x.shape[2]
            wide = pad(x, (0, 0, 0, max(0, w - x.shape[1])))
            places = wide.shape[1] - w + 1
            windows = torch.cat([wide[:, k : k + places] for k in range(w)], dim=2)  # (n, places, w D_c)
            behind = torch.arange(places, device=codes.device) > (lengths - w).clamp(min=0).unsqueeze(1)
            answers.append(one(windows).masked_fill(behind.unsqueeze(2), -torch.inf).amax(1))
        return torch.cat(answers, dim=1)


class CharacterLSTM(nn.Module):
    """An LSTM from a word's beginning and one from its end, and a linear layer over where they end.

    Args:
        spellings: V words in the order of their ids.
        char_dim: width of character vectors.
        hidden: numbers of each LSTM's state.
        width: numbers a word.
        longest: characters of a word that are read.

    Attributes:
        width: numbers a word.

    Raises:
        OptionError: no word, or a size below 1.
    """

    def __init__(
        self,
        spellings: Sequence[str],
        *,
        char_dim: int = 50,
        hidden: int = 150,
        width: int = 50,
        longest: int = 50,
    ) -> None:
        super().__init__()
        _check(spellings, char_dim=char_dim, hidden=hidden, longest=longest, width=width)
        self.spelling = Spelling(spellings, longest=longest)
        self.register_buffer("codes", self.spelling.character_ids(spellings), persistent=False)
        self.characters = CharacterTable(self.spelling.codes, char_dim)
        self.lstm = Bidirectional(lambda: RecurrentLayer("lstm", char_dim, hidden))
        self.last = nn.Linear(2 * hidden, width)
        self.width = width

    def forward(self, ids: torch.Tensor, unknown: torch.Tensor | None = None) -> torch.Tensor:
        """Return the vectors of words, as in `CharacterCNN.forward`."""
        return _by_type(ids, self.get_buffer("codes"), unknown, self._read)

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) int32 the codes of n words, as in `CharacterCNN.character_ids`."""
        return self.spelling.character_ids(words).to(self.get_buffer("codes").device)

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return the vectors of words, seen or not, as in `CharacterCNN.encode`."""
        return _encoded(self.character_ids(words), self._read, self.width)

    def _read(self, codes: torch.Tensor) -> torch.Tensor:
        vectors: torch.Tensor = self.last(_by_length(codes, self._ends))
        return vectors

    def _ends(self, codes: torch.Tensor) -> torch.Tensor:
        """(n, 2 H) the output of both LSTMs behind a word's last character and before its first."""
        lengths = (codes != PADDING).sum(1).cpu()
        _, ((onward, _), (back, _)) = self.lstm(self.characters(codes), None, lengths)
        return torch.cat([onward, back], dim=1)


Reader = Callable[[torch.Tensor], torch.Tensor]  # (n, C) codes to (n, D)


def _by_type(ids: torch.Tensor, codes: torch.Tensor, unknown: torch.Tensor | None, read: Reader) -> torch.Tensor:
    types, places = torch.unique(ids, return_inverse=True)
    return read(codes[types] if unknown is None else _codes_of(types, codes, unknown))[places]


def _codes_of(types: torch.Tensor, codes: torch.Tensor, unknown: torch.Tensor) -> torch.Tensor:
    """(n, C) the codes of types in rising order: words of the vocabulary first, then those outside it."""
    known = int((types < len(codes)).sum())
    rows = [codes[types[:known]], unknown[types[known:] - len(codes)]]
    width = max(codes.shape[1], unknown.shape[1])
    return torch.cat([pad(some, (0, width - some.shape[1])) for some in rows])


def _by_length(codes: torch.Tensor, read: Reader) -> torch.Tensor:
    """Read words in groups of like length, each padded to its own longest alone."""
    lengths, order = (codes != PADDING).sum(1).sort(stable=True)
    groups = torch.split(order, max(TOGETHER, -(-len(order) // GROUPS)))
    longest = [int(part[-1]) for part in torch.split(lengths, len(groups[0]))]
    parts = [read(codes[rows, :width]) for rows, width in zip(groups, longest, strict=True)]
    return torch.cat(parts)[torch.argsort(order)]


def _encoded(codes: torch.Tensor, read: Reader, width: int) -> torch.Tensor:
    if not len(codes):
        return torch.empty(0, width)
    with torch.no_grad():
        return torch.cat([read(part) for part in torch.split(codes, SLICE)])


def _check(spellings: Sequence[str], **sizes: int) -> None:
    if not spellings:
        raise OptionError("an encoder of characters got no word: expected a vocabulary")
    for name, size in sizes.items():
        if size < 1:
            raise OptionError(f"{name}={size}: expected at least 1")
