"""What a decoder of characters sees of the source: the words that are attended to, and their characters.

What
    The attention of a step of the word decoder says which source words its word comes from. Their embeddings, weighted
    by it, are a vector beside the step's state; the characters of the words that have most of it are attended to while
    the word is spelled.
Objective
    l_t = sum_s alpha_ts e_s;   m_sj = tanh(W [c_s,j-2; ...; c_s,j+2] + b) of character j of the most attended words s
    p(s, j) = softmax(q . m_sj / sqrt(M) + log alpha_ts), for the query q of a step of the decoder of characters; a
    decoder that copies writes character j of word s with it, too
Source
    Nguyen and Chiang 2018, Improving Lexical Choice in Neural Machine Translation, section 4 (l_t); Luong and Manning
    2016, section 4.3 spell from a state alone.
Departures
    l_t enters the first state of the decoder of characters, and not the scores of words; it has no tanh and no layer
    of its own. log alpha_ts is at least that of 1e-6: local attention and float32 have zeros. Attention to characters
    is our own: names and words of the same origin are spelled as the source spells them.
Cost
    A product of 5 D_c x M for each character of the distinct words that are attended to.
"""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import pad

from firth.neural.layers.characters import CharacterEncoder
from firth.neural.layers.spelling import PADDING

WORDS = 2  # most attended words of which the characters are read
REACH = 2  # characters on each side of one


class AttendedWords(NamedTuple):
    """Source words that n target words come from.

    Attributes:
        vectors: (n, D) weighted embeddings.
        characters: (n, L, M) states of the characters of the most attended ones.
        prior: (n, L) logarithms of the attention to their words, -inf at padding.
        copied: (n, L) int64 ids that the characters have on the target's side; None where none is copied.
    """

    vectors: torch.Tensor
    characters: torch.Tensor
    prior: torch.Tensor
    copied: torch.Tensor | None = None


class AttendedCharacters(nn.Module):
    """States of the characters of attended words.

    Args:
        char_dim: D_c, width of the source's character vectors.
        width: M.
        as_target: (codes,) int64 target ids of the source's character ids, for copying; else None.
    """

    as_target: torch.Tensor | None

    def __init__(self, char_dim: int, width: int, as_target: torch.Tensor | None = None) -> None:
        super().__init__()
        self.register_buffer("as_target", as_target, persistent=False)
        self.window = nn.Linear((2 * REACH + 1) * char_dim, width)

    def forward(
        self,
        source: CharacterEncoder,
        ids: torch.Tensor,
        unknown: torch.Tensor | None,
        embedded: torch.Tensor,
        weights: torch.Tensor,
    ) -> AttendedWords:
        """Return what n target words come from.

        Args:
            ids: (n, S) of the source words; see `CharacterEncoder.forward`.
            embedded: (n, S, D) their embeddings.
            weights: (n, S) attention, which sums to 1.
        """
        vectors = (weights[:, None].to(embedded.dtype) @ embedded)[:, 0]
        most, positions = weights.topk(min(WORDS, ids.shape[1]), 1)
        codes, inverse = source.distinct(ids.gather(1, positions), unknown)
        states = self._states(source.characters(codes))[inverse].flatten(1, 2)  # (n, words, C, M) to (n, L, M)
        prior = most.clamp(min=1e-6).log()[..., None].masked_fill((codes == PADDING)[inverse], -torch.inf)
        copied = None if self.as_target is None else self.as_target[codes.long()][inverse].flatten(1)
        return AttendedWords(vectors, states, prior.flatten(1), copied)

    def _states(self, x: torch.Tensor) -> torch.Tensor:
        wide = pad(x, (0, 0, REACH, REACH))
        windows = torch.cat([wide[:, k : k + x.shape[1]] for k in range(2 * REACH + 1)], 2)
        return torch.tanh(self.window(windows))
