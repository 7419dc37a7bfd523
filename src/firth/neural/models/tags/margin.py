"""Max-margin training of a window: the true window against one with another word in the middle.

What
    The score of a word's tag in its window should exceed, by a margin, the score of the same tag in the window with its
    middle word replaced by one that has another tag; and the scores of the other tags in the true window.
Objective
    With s(x, k) the score of tag k in window x, x' the corrupted window and m the margin:

    max(0, m - s(x, y) + s(x', y)) + max(0, m - s(x, y) + max_{k != y} s(x, k))
Source
    Collobert and Weston 2008, "A unified architecture for natural language processing", section 5 (corrupted windows);
    Collobert et al. 2011, section 4.2, equation 17; Crammer and Singer 2001 for the second term.
Departures
    The papers rank windows of an unlabelled text. With tags, the first term alone would leave a constant per tag
    undetermined, since it compares scores of one tag only: the second term decides between tags.
    The word that replaces another one comes from the same batch, and differs from it in its tag and in its word.
Cost
    A product of D x H per word and target more than softmax.
"""

import torch

from firth.neural.models.texts.reader import UNKNOWN

DRAWS = 8  # words drawn for each window; the first suitable one replaces its middle


def replacements(tags: torch.Tensor, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return for each of N words the number of another one with another tag, and whether one was drawn.

    Args:
        tags: (N,) numbers of tags.
        words: (N,) ids of words; unknown words count as equal.
    """
    drawn = torch.randint(len(tags), (len(tags), DRAWS), device=tags.device)
    suitable = (tags[drawn] != tags.unsqueeze(1)) & (words[drawn] != words.unsqueeze(1))
    suitable &= (words[drawn] != UNKNOWN) | (words.unsqueeze(1) != UNKNOWN)
    first = suitable.int().argmax(1, keepdim=True)
    return drawn.gather(1, first).squeeze(1), suitable.any(1)


def margin_losses(
    scores: torch.Tensor, corrupted: torch.Tensor, tags: torch.Tensor, replaced: torch.Tensor, margin: float
) -> torch.Tensor:
    """Return (N,) losses of words.

    Args:
        scores: (N, K) of each tag in the true windows.
        corrupted: (N, K) likewise in the corrupted ones.
        tags: (N,) numbers of the true tags.
        replaced: (N,) whether the middle was replaced; without, the first term is 0.
        margin: m.
    """
    at = tags.unsqueeze(1)
    true = scores.gather(1, at)
    ranking = (margin - true + corrupted.gather(1, at)).clamp(min=0).squeeze(1)
    others = scores.scatter(1, at, -torch.inf).amax(1)
    return torch.where(replaced, ranking, 0.0) + (margin - true.squeeze(1) + others).clamp(min=0)
