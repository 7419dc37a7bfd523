"""A decoder of characters: an LSTM spells a word from one vector.

What
    The vector of a word, such as the state from which it would have been predicted, makes the first state of an LSTM.
    The LSTM reads the characters before and predicts the next, from the beginning of the word to its end.
Objective
    -sum_i log softmax(U h_i + b)[c_i],   h_i, s_i = lstm(e(c_i-1), h_i-1, s_i-1),   [h_0; s_0] = tanh(W norm(a) + v)
    With the characters of source words, of `layers.attended_characters`, U tanh(V [h_i; sum_sj p_i(s, j) m_sj]) stands
    in place of U h_i.
Source
    Luong and Manning 2016, Achieving Open Vocabulary Neural Machine Translation with Hybrid Word-Character Models,
    section 4.3.
Departures
    W is a layer of its own over the attentional state a, in place of a second layer over the context and the state
    beside a ("separate path"), and frequent words may be learned too, for which D and d are 0. The cell s_0 comes from
    it as well, where the paper has zeros. One layer.
    a passes layer normalisation: states of recurrent decoders are so small at first that W would not tell them apart.
Cost
    An LSTM over the characters of all words; words of similar length are read together, to save padding.
"""

import math
from collections.abc import Iterable, Sequence

import torch
from torch import nn
from torch.nn.functional import cross_entropy, log_softmax

from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterTable
from firth.neural.layers.spelling import PADDING, Spelling, length_groups

State = tuple[torch.Tensor, ...]
Characters = Sequence[torch.Tensor]  # none, or states and priors of source characters


class CharacterDecoder(nn.Module):
    """A decoder of characters.

    Args:
        characters: that it writes.
        width_in: W, width of the vectors of words.
        char_dim: width of character vectors.
        hidden: H, width of the LSTM's state.
        longest: maximum number of characters of a word.
        source_width: M, width of the states of source characters that are attended to; 0 for none.

    Attributes:
        spelling: character ids.
    """

    def __init__(
        self,
        characters: Iterable[str],
        *,
        width_in: int,
        char_dim: int = 32,
        hidden: int = 128,
        longest: int = 30,
        source_width: int = 0,
    ) -> None:
        super().__init__()
        self.spelling = Spelling(characters, longest=longest)
        self.characters = CharacterTable(self.spelling.codes, char_dim, bound=0.5)
        self.norm = nn.LayerNorm(width_in)
        self.bridge = nn.Linear(width_in, 2 * hidden)
        self.lstm = RecurrentLayer("lstm", char_dim, hidden)
        if source_width:
            self.query = nn.Linear(hidden, source_width)
            self.combine = nn.Linear(hidden + source_width, hidden)
        self.out = nn.Linear(hidden, self.spelling.codes)

    def start(self, vectors: torch.Tensor, source: Characters = ()) -> State:
        """Return the state before the first character of n words: (n, H) twice, and the characters of the source.

        Args:
            vectors: (n, W) of the words.
            source: (n, L, M) states and (n, L) priors of source characters, if they are attended to.
        """
        return (*torch.tanh(self.bridge(self.norm(vectors))).chunk(2, 1), *source)

    def step(self, codes: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        """Return (n, codes) log-probabilities of the character after (n,) codes, and the state."""
        hidden, recurrent = self.lstm(self.characters(codes[:, None]), state[:2])
        return log_softmax(self._scores(hidden, state[2:])[:, 0].float(), 1), (*recurrent, *state[2:])

    def loss(self, vectors: torch.Tensor, codes: torch.Tensor, source: Characters = ()) -> torch.Tensor:
        """Return (n,) -log p of n words in nats, with their ends.

        Args:
            vectors: (n, W).
            codes: (n, C) `Spelling.character_ids` of the words.
            source: as for `start`.
        """
        groups = length_groups(codes)
        losses = [
            self._loss(codes[rows, :width].long(), self.start(vectors[rows], [x[rows] for x in source]))
            for rows, width in groups
        ]
        return torch.cat(losses)[torch.argsort(torch.cat([rows for rows, _ in groups]))]

    def _loss(self, codes: torch.Tensor, state: State) -> torch.Tensor:
        hidden, _ = self.lstm(self.characters(codes[:, :-1]), state[:2])
        scores = self._scores(hidden, state[2:]).flatten(0, 1)
        nats = cross_entropy(scores, codes[:, 1:].flatten(), ignore_index=PADDING, reduction="none")
        return nats.view(len(codes), codes.shape[1] - 1).sum(1)

    def _scores(self, hidden: torch.Tensor, source: Characters) -> torch.Tensor:
        """Return (n, C, codes) scores of (n, C, H) states."""
        if source:
            states, prior = source
            scores = self.query(hidden) @ states.mT / math.sqrt(states.shape[2]) + prior[:, None]
            hidden = torch.tanh(self.combine(torch.cat([hidden, scores.softmax(2).to(states.dtype) @ states], 2)))
        logits: torch.Tensor = self.out(hidden)
        return logits
