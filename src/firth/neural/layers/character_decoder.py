"""A decoder of characters: an LSTM spells a word from one vector.

What
    The vector of a word, such as the state from which it would have been predicted, makes the first state of an LSTM.
    The LSTM reads the characters before and predicts the next, from the beginning of the word to its end.
Objective
    -sum_i log softmax(U h_i + b)[c_i],   h_i, s_i = lstm(e(c_i-1), h_i-1, s_i-1),   [h_0; s_0] = tanh(W norm(a) + v)
    With the characters of source words, of `layers.attended_characters`, U tanh(V [h_i; sum_sj p_i(s, j) m_sj]) stands
    in place of U h_i. With copying, of the character x_sj:
    p(c_i) = g_i p_generated(c_i) + (1 - g_i) sum_{s, j: x_sj = c_i} p_i(s, j),   g_i = sigma(v . [tanh(..); e(c_i-1)])
    p_i(s, j) has f [x_s,j-1 = c_i-1] added to its scores
Source
    Luong and Manning 2016, Achieving Open Vocabulary Neural Machine Translation with Hybrid Word-Character Models,
    section 4.3; See, Liu and Manning 2017, Get To The Point, equations 8 and 9, on characters in place of words.
Departures
    W is a layer of its own over the attentional state a, in place of a second layer over the context and the state
    beside a ("separate path"), and frequent words may be learned too, for which D and d are 0. The cell s_0 comes from
    it as well, where the paper has zeros. One layer.
    a passes layer normalisation: states of recurrent decoders are so small at first that W would not tell them apart.
    The gate reads tanh(V [h_i; context]) in place of context and state; see `layers.copying`. f, a number that is
    learned, is our own: the character after the one just written is mostly the next to copy, and an LSTM needs many
    names to learn that. The end of a source word is copied like its characters, and ends a word. Attention to its
    beginning, and to characters that the target does not have, is lost to copying.
Cost
    An LSTM over the characters of all words; words of similar length are read together, to save padding.
"""

import math
from collections.abc import Iterable, Sequence

import torch
from torch import nn
from torch.nn.functional import cross_entropy, log_softmax, pad

from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterTable
from firth.neural.layers.copying import CopyGate, copied_log_prob, copied_log_prob_of
from firth.neural.layers.spelling import PADDING, Spelling, length_groups

State = tuple[torch.Tensor, ...]
FOLLOWS = 3.0  # first weight of what follows, in the source, the character just written
Characters = Sequence[torch.Tensor]  # none, or states and priors of source characters, and for copying their ids


class CharacterDecoder(nn.Module):
    """A decoder of characters.

    Args:
        width_in: W, width of the vectors of words.
        hidden: H, width of the LSTM's state.
        longest: maximum number of characters of a word.
        source_width: M, width of the states of source characters that are attended to; 0 for none.
        copying: whether characters that are attended to are also copied.

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
        copying: bool = False,
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
        self.copy_gate = CopyGate(hidden, char_dim) if copying else None
        self.follows = nn.Parameter(torch.tensor(FOLLOWS)) if copying else None

    def start(self, vectors: torch.Tensor, source: Characters = ()) -> State:
        """Return the state before the first character of n words: (n, H) twice, and the characters of the source.

        Args:
            vectors: (n, W) of the words.
            source: (n, L, M) states and (n, L) priors of source characters, if they are attended to, and their (n, L)
                int64 ids, if they are copied.
        """
        return (*torch.tanh(self.bridge(self.norm(vectors))).chunk(2, 1), *source)

    def step(self, codes: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        """Return (n, codes) log-probabilities of the character after (n,) codes, and the state."""
        before = self.characters(codes[:, None])
        hidden, recurrent = self.lstm(before, state[:2])
        source = state[2:]
        mixed, attention = self._mixed(hidden, codes[:, None], source)
        scores = log_softmax(self.out(mixed)[:, 0].float(), 1)
        if self.copy_gate is not None:
            scores = copied_log_prob(scores, self.copy_gate(mixed, before)[:, 0], attention[:, 0], source[2], 0)
        return scores, (*recurrent, *source)

    def loss(self, vectors: torch.Tensor, codes: torch.Tensor, source: Characters = ()) -> torch.Tensor:
        """Return (n,) -log p of n words in nats, with their ends.

        Args:
            vectors: (n, W).
            codes: (n, C) `Spelling.character_ids` of the words.
        """
        groups = length_groups(codes)
        losses = [
            self._loss(codes[rows, :width].long(), self.start(vectors[rows], [x[rows] for x in source]))
            for rows, width in groups
        ]
        return torch.cat(losses)[torch.argsort(torch.cat([rows for rows, _ in groups]))]

    def _loss(self, codes: torch.Tensor, state: State) -> torch.Tensor:
        before, targets, source = self.characters(codes[:, :-1]), codes[:, 1:].flatten(), state[2:]
        mixed, attention = self._mixed(self.lstm(before, state[:2])[0], codes[:, :-1], source)
        nats = cross_entropy(self.out(mixed).flatten(0, 1), targets, ignore_index=PADDING, reduction="none")
        if self.copy_gate is not None:
            gate, ids = self.copy_gate(mixed, before).flatten(), source[2][:, None].expand(attention.shape)
            mixture = (-nats, gate, attention.flatten(0, 1), ids.flatten(0, 1), targets, self.spelling.codes)
            nats = -copied_log_prob_of(*mixture).masked_fill(targets == PADDING, 0.0)
        return nats.view(len(codes), codes.shape[1] - 1).sum(1)

    def _mixed(
        self, hidden: torch.Tensor, before: torch.Tensor, source: Characters
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (n, C, H) states with what they attend to, and their (n, C, L) attention, given (n, C) ids before."""
        if not source:
            return hidden, hidden.new_zeros(*hidden.shape[:2], 0)
        states, prior = source[:2]
        scores = self.query(hidden) @ states.mT / math.sqrt(states.shape[2]) + prior[:, None]
        if self.follows is not None:
            scores = scores + self.follows * (pad(source[2][:, None, :-1], (1, 0)) == before[:, :, None])
        attention = scores.softmax(2)
        context = attention.to(states.dtype) @ states
        return torch.tanh(self.combine(torch.cat([hidden, context], 2))), attention
