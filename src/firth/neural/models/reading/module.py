"""What readers share: the interface of their modules, scores with and without an answer, losses."""

import abc
from dataclasses import dataclass

import torch
from torch import nn

from firth.neural.models.reading.data import ReadingBatch
from firth.neural.models.reading.options import ReadingOptions
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.reader import FIRST


@dataclass(frozen=True, eq=False)
class SpanScores:
    """Scores of the starts and ends of answers.

    Attributes:
        starts: (B, T), minus infinity at padding.
        ends: likewise.
        attention: (B, T, Q) weights of the words of the question for each word of the paragraph.
    """

    starts: torch.Tensor
    ends: torch.Tensor
    attention: torch.Tensor


class ReadingModule(nn.Module, abc.ABC):
    """Scores of the starts and ends of answers.

    Args:
        options: widths, and whether a question may have no answer.
        embedder: of words.
        tags: number of tags of each target of taggers.

    Attributes:
        embedder: as given.
        tags: a table of each target of taggers.
        tag_width: width of the vectors of all tags of a word.
        no_answer: (2,) scores of no start and no end; None if each question has an answer.

    Source:
        Levy et al. 2017, section 4, for the scores of no answer.
    """

    def __init__(self, options: ReadingOptions, embedder: TokenEmbedder, tags: tuple[int, ...]) -> None:
        super().__init__()
        self.embedder = embedder
        self.tags = nn.ModuleList(nn.Embedding(count + FIRST, options.column_dim) for count in tags)
        self.tag_width = options.column_dim * len(tags)
        self.no_answer = nn.Parameter(torch.zeros(2)) if options.no_answer else None

    @abc.abstractmethod
    def forward(self, batch: ReadingBatch) -> SpanScores:
        """Return the scores of a batch."""

    def tag_vectors(self, batch: ReadingBatch) -> list[torch.Tensor]:
        """Return of each target of taggers (B, T, width) vectors of the tags of paragraphs."""
        return [table(ids) for table, ids in zip(self.tags, batch.tags, strict=True)]

    def losses(self, batch: ReadingBatch) -> torch.Tensor:
        """Return the (B,) negative log probabilities of the right starts and ends."""
        losses = [
            nn.functional.cross_entropy(scores, batch.spans[:, side], reduction="none")
            for side, scores in enumerate(self.extended(self(batch)))
        ]
        return torch.stack(losses).sum(0)

    def extended(self, scores: SpanScores) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T + 1) scores of starts and of ends, the last of which is that of no answer."""
        sides = (scores.starts.float(), scores.ends.float())
        rows = len(scores.starts)
        none = sides[0].new_full((2,), -torch.inf) if self.no_answer is None else self.no_answer
        start, end = (
            torch.cat([side, none[number].expand(rows, 1).to(side.dtype)], 1) for number, side in enumerate(sides)
        )
        return start, end


def with_padding(scores: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
    """Return (B, T) scores, minus infinity where there is no token."""
    return scores.masked_fill(~inside, -torch.inf)
