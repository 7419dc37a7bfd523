"""A trained end-to-end model of coreference: mentions and chains, scores, saving."""

from collections.abc import Iterator, Sequence

import torch

from firth.documents.document import Document, Span
from firth.finite import check_finite
from firth.neural.models.coreference.predict import ChainModel
from firth.neural.models.coreference.span_data import ReadDocument, SpanInputs, collate, read_document
from firth.neural.models.coreference.span_module import Candidates, SpanModule, decode, spans_of
from firth.neural.models.tokens.reader import TokenReader

PIECE = 3000  # tokens whose spans are scored at once


class SpanCoreferenceModel(ChainModel):
    """A trained end-to-end model of coreference, as `firth.SpanCoreference(...).train` returns it."""

    module: SpanModule
    reader: TokenReader
    finds_mentions, title = True, "End-to-end coreference"

    @property
    def tokens(self) -> TokenReader:
        """How it reads words."""
        return self.reader

    @property
    def _about(self) -> str:
        return f"spans of up to {self.options.max_width} words"

    def _chains(self, document: Document, mentions: Sequence[Span] | None) -> list[list[Span]]:
        read = read_document(document, self.reader, self.options.max_width)
        gold = None if mentions is None else sorted(mentions)
        parts = [self._candidates(read, inputs, first, gold) for first, inputs in self._pieces(read)]
        candidates = Candidates(*(torch.cat(each) for each in zip(*map(_tensors, parts), strict=True)))
        if not len(candidates.starts):
            return []
        links = self.module.links(candidates, self._collated(read))
        check_finite(links.scores.cpu(), self, candidates.starts.tolist(), "a document, span", impossible=True)
        chains = decode(candidates, links, singletons=True, every=gold is not None)
        spans = spans_of(candidates) if gold is None else gold
        return [[spans[number] for number in chain] for chain in chains]

    def _pieces(self, read: ReadDocument) -> Iterator[tuple[int, SpanInputs]]:
        """Yield consecutive sentences of a document, with the number of their first token."""
        sentences, first, tokens = 0, 0, 0
        for number, sentence in enumerate((*read.sentences, None)):
            if sentence is None or (tokens and tokens + len(sentence) > PIECE):
                yield first, self._collated(read, slice(sentences, number))
                sentences, first, tokens = number, first + tokens, 0
            tokens += len(sentence) if sentence is not None else 0

    def _candidates(
        self, read: ReadDocument, inputs: SpanInputs, first: int, gold: Sequence[Span] | None
    ) -> Candidates:
        spans = self.module.spans(inputs)
        check_finite(
            spans.scores.cpu(),
            self,
            range(first, first + len(spans.scores)),
            "a document, token",
            first=first,
            impossible=True,
        )
        if gold is None:
            starts, widths = self.module.pruned(spans)
        else:
            # A mention longer than L words is read as its first L.
            last = first + len(inputs.forms)
            inside = [(start, end) for start, end in gold if first <= start < last]
            sizes = [min(end - start, self.options.max_width, int(read.left[start])) - 1 for start, end in inside]
            starts = torch.tensor([start - first for start, _ in inside], dtype=torch.int64, device=self.device)
            widths = torch.tensor(sizes, dtype=torch.int64, device=self.device)
        found = self.module.candidates(spans, inputs, starts, widths)
        scores = found.scores if gold is None else found.scores.clamp(min=0)  # each is a mention
        return Candidates(found.starts + first, found.widths, scores, found.vectors)

    def _collated(self, read: ReadDocument, part: slice = slice(None)) -> SpanInputs:
        return collate(read, self.reader, self.options.max_width, part).to(self.device)


def _tensors(candidates: Candidates) -> tuple[torch.Tensor, ...]:
    return candidates.starts, candidates.widths, candidates.scores, candidates.vectors
