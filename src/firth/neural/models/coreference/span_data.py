"""Documents as an end-to-end model reads them: sentences as ids, all spans up to a width, and the gold chains.

What
    A candidate is a span of up to L words within a sentence. Spans of a document are numbered by their start and width,
    so that a table (N, L) holds a number for each; those that leave their sentence are not valid.
Objective
    Every document once per epoch, with the number of its chain at each gold mention.
Source
    Lee, He, Lewis and Zettlemoyer 2017, section 3.
Departures
    Gold mentions longer than L, or over several sentences, are counted and left out of training, never of scores.
Cost
    9 L bytes per token.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.coreference.quotations import quotation_of_tokens, quotations
from firth.documents.document import Document, Span
from firth.neural.models.tokens.reader import ReadSentence, TokenInputs, TokenReader, lower
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch

Ids = npt.NDArray[np.int64]
GROUP = 16  # sentences of similar length that are encoded together


@dataclass(frozen=True, eq=False)
class ReadDocument:
    """A document of N tokens as ids.

    Attributes:
        sentences: in order.
        forms: (N,) number of each distinct word of the document, in lower case.
        sentence_of: (N,) number of each token's sentence.
        quotations: (N,) number of the quotation that each token is in, -1 for none.
        left: (N,) words from each token to the end of its sentence, itself included.
        chains: of each gold mention of up to L words, the number of its chain, from 0.
        mentions: number of gold mentions, with those left out of `chains`.
    """

    sentences: tuple[ReadSentence, ...]
    forms: Ids
    sentence_of: Ids
    quotations: Ids
    left: Ids
    chains: dict[Span, int]
    mentions: int

    def __len__(self) -> int:
        return len(self.forms)


@dataclass(frozen=True, eq=False)
class SpanInputs(TensorBatch):
    """A document of N tokens as tensors, with S valid spans of up to L words.

    Attributes:
        groups: sentences of similar length.
        order: (N,) position of each token of the document in the groups, one after another without padding.
        forms: (N,) as in `ReadDocument`.
        sentence_of: (N,) as in `ReadDocument`.
        quotations: (N,) as in `ReadDocument`.
        valid: (N, L) whether the span of that start and width stays in its sentence.
        chains: (N, L) number of the gold chain, from 0; -1 for spans that are no mentions.
    """

    groups: tuple[TokenInputs, ...]
    order: torch.Tensor
    forms: torch.Tensor
    sentence_of: torch.Tensor
    quotations: torch.Tensor
    valid: torch.Tensor
    chains: torch.Tensor


def read_document(document: Document, reader: TokenReader, width: int) -> ReadDocument:
    """Return a document as ids."""
    numbers: dict[str, int] = {}
    lengths = [len(sentence) for sentence in document.sentences]
    ends = np.repeat(np.cumsum(lengths), lengths)
    left = ends - np.arange(len(ends))
    chains = {
        (start, end): number
        for number, chain in enumerate(document.clusters)
        for start, end in chain
        if end - start <= min(width, left[start])
    }
    return ReadDocument(
        sentences=tuple(map(reader.read, document.sentences)),
        forms=np.array([numbers.setdefault(lower(word), len(numbers)) for word in document.tokens], np.int64),
        sentence_of=np.repeat(np.arange(len(lengths)), lengths),
        quotations=quotation_of_tokens(len(document), quotations(document)),
        left=left,
        chains=chains,
        mentions=len(document.mentions),
    )


def collate(document: ReadDocument, reader: TokenReader, width: int, part: slice = slice(None)) -> SpanInputs:
    """Return a document as tensors."""
    sentences = document.sentences[part]
    lengths = np.array([len(sentence) for sentence in sentences])
    first = sum(len(sentence) for sentence in document.sentences[: part.start or 0])
    tokens = slice(first, first + int(lengths.sum()))
    rows = sorted(range(len(lengths)), key=lengths.tolist().__getitem__)
    starts = np.cumsum(lengths) - lengths
    placed = np.concatenate([np.arange(starts[row], starts[row] + lengths[row]) for row in rows])
    chains = np.full((len(placed), width), -1)
    for (start, end), number in document.chains.items():
        if tokens.start <= start < tokens.stop:
            chains[start - first, end - start - 1] = number
    groups = (rows[begin : begin + GROUP] for begin in range(0, len(rows), GROUP))
    return SpanInputs(
        groups=tuple(reader.collate([sentences[row] for row in group]) for group in groups),
        order=torch.from_numpy(np.argsort(placed)),
        forms=torch.from_numpy(document.forms[tokens]),
        sentence_of=torch.from_numpy(document.sentence_of[tokens]),
        quotations=torch.from_numpy(document.quotations[tokens]),
        valid=torch.from_numpy(np.arange(width) < document.left[tokens, None]),
        chains=torch.from_numpy(chains),
    )


def document_batches(
    documents: Sequence[ReadDocument], reader: TokenReader, width: int, **options: Unpack[BatchOptions]
) -> Buckets[ReadDocument]:
    """Return documents, of which a batch is one."""
    return Buckets.of(documents, lambda rows: collate(rows[0], reader, width), **options)


def pieces(document: ReadDocument, size: int) -> list[slice]:
    """Return consecutive sentences of up to `size` tokens in all, at least one sentence each."""
    borders, tokens = [0], 0
    for number, sentence in enumerate(document.sentences):
        if tokens and tokens + len(sentence) > size:
            borders.append(number)
            tokens = 0
        tokens += len(sentence)
    return [slice(first, last) for first, last in pairwise([*borders, len(document.sentences)])]
