"""Documents in pieces of some thousand tokens, for models that annotate sentences; and put together again.

A piece takes sentences of one document or of several, so that models read batches of one size whether documents are
novels or tweets, and so that what is finished of a novel survives a kill.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from firth.documents.document import Document, Entity
from firth.readers.conllu import DependencySentence

SIZE = 4000  # tokens of a piece, at least
Cut = tuple["Work", int, int]  # a document, and which of its sentences


@dataclass
class Work:
    """A document, and what is finished of it.

    Attributes:
        number: of the document in the run.
        document: as it was read.
        finished: documents of one sentence or more, with annotation, that follow one another from the first sentence.
        size: bytes of its raw text; 0 for other documents.
    """

    number: int
    document: Document
    finished: list[Document] = field(default_factory=list)
    size: int = 0

    @property
    def sentences_finished(self) -> int:
        """How many sentences are finished."""
        return sum(len(part.sentences) for part in self.finished)

    @property
    def is_finished(self) -> bool:
        """Whether all sentences are."""
        return self.sentences_finished == len(self.document.sentences)

    def whole(self, *, entities: bool) -> Document:
        """Return the document with the annotation of all parts.

        Args:
            entities: whether those of the parts replace the document's own.
        """
        sentences = [sentence for part in self.finished for sentence in part.sentences]
        starts = accumulate((len(part) for part in self.finished), initial=0)
        pieces = [
            Entity(start + entity.start, start + entity.end, entity.label)
            for start, part in zip(starts, self.finished, strict=False)
            for entity in part.entities
        ]
        confidences = [confidence for part in self.finished for confidence in part.confidences]
        if not entities:
            return self.document.annotated(sentences=sentences)
        return self.document.annotated(sentences=sentences, entities=pieces, confidences=confidences)


@dataclass(frozen=True)
class Piece:
    """Sentences that are annotated together.

    Attributes:
        cuts: which sentences of which documents, in order.
    """

    cuts: tuple[Cut, ...]

    @property
    def sentences(self) -> list[DependencySentence]:
        """All of them."""
        return [sentence for work, start, end in self.cuts for sentence in work.document.sentences[start:end]]

    @property
    def size(self) -> float:
        """Bytes of raw text, about."""
        return sum(work.size * (end - start) / max(1, len(work.document.sentences)) for work, start, end in self.cuts)


def pieces_of(works: Iterable[Work], queue: "deque[Work]") -> Iterator[Piece]:
    """Yield pieces of documents, in their order.

    Args:
        works: documents, of which some sentences may be finished.
        queue: to which each document is added when its first piece is made, or with no sentences left to annotate.
    """
    cuts, tokens = list[Cut](), 0
    for work in works:
        queue.append(work)
        start = work.sentences_finished
        sentences = work.document.sentences
        for position in range(start, len(sentences)):
            tokens += len(sentences[position])
            if tokens >= SIZE:
                yield Piece((*cuts, (work, start, position + 1)))
                cuts, tokens, start = [], 0, position + 1
        if start < len(sentences) or not sentences or work.is_finished:
            cuts.append((work, start, len(sentences)))
    if cuts:
        yield Piece(tuple(cuts))


def parts_of(piece: Piece, document: Document) -> Iterator[tuple[Work, Document]]:
    """Yield what was found in a piece, by document.

    Args:
        document: its sentences with annotation, as one document.
    """
    sentence = token = 0
    for work, start, end in piece.cuts:
        sentences = document.sentences[sentence : sentence + end - start]
        length = sum(map(len, sentences))
        inside = [number for number, entity in enumerate(document.entities) if token <= entity.start < token + length]
        entities = tuple(
            Entity(entity.start - token, entity.end - token, entity.label)
            for entity in map(document.entities.__getitem__, inside)
        )
        confidences = tuple(document.confidences[number] for number in inside) if document.confidences else ()
        yield work, Document(sentences, entities=entities, confidences=confidences)
        sentence, token = sentence + end - start, token + length


def join(
    results: Iterable[tuple[Piece, Document]], queue: "deque[Work]", keep: Callable[[Work, Document], None]
) -> Iterator[Work]:
    """Yield documents as they are finished, in order.

    Args:
        results: pieces with what was found, in order.
        queue: documents in order, of `pieces_of`.
        keep: called with a part of a document that its piece did not finish.
    """
    for piece, document in results:
        for work, part in parts_of(piece, document):
            if part.sentences:
                work.finished.append(part)
            if not work.is_finished:
                keep(work, part)
        while queue and queue[0].is_finished:
            yield queue.popleft()
