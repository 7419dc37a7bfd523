"""Pieces of documents, and documents put together again."""

import random
from collections import deque

from firth.documents import pieces
from firth.documents.document import Document
from firth.documents.pieces import Work, join, pieces_of
from firth.documents.stages import Stages
from tests.unit.documents.stand_ins import Names


def made(rng, number):
    words = [rng.choice(["Ada", "saw", "a"]) for _ in range(rng.randrange(40))]
    return Document.from_text(" ".join(words).replace("a ", "a. "), name=f"d{number}")


def test_documents_come_out_as_they_went_in(monkeypatch):
    """Whatever the sizes of documents and pieces, and whichever parts an earlier run had finished."""
    rng = random.Random(0)
    for number in range(60):
        stages = Stages((Names(),), confidences=number % 2 == 0)
        monkeypatch.setattr(pieces, "SIZE", rng.randrange(1, 60))
        documents = [made(rng, number) for number in range(rng.randrange(6))]
        expected = [stages.annotated(document) for document in documents]
        works = [Work(number, document) for number, document in enumerate(documents)]
        for work in works[:1]:
            cut = rng.randrange(len(work.document.sentences) + 1)
            if cut:
                work.finished = [stages.sentence_stages(work.document.sentences[:cut])]
        queue, kept, sizes = deque(), [], []

        def annotated(stages=stages, works=works, queue=queue, sizes=sizes):
            for piece in pieces_of(iter(works), queue):
                sizes.append(sum(map(len, piece.sentences)))
                yield piece, stages.sentence_stages(piece.sentences)

        found = list(join(annotated(), queue, lambda work, part, kept=kept: kept.append((work.number, part))))
        assert [work.number for work in found] == list(range(len(documents)))
        assert [work.whole(entities=True) for work in found] == expected
        assert all(size >= pieces.SIZE for size in sizes[:-1])
        for number, part in kept:
            assert len(part.sentences) < len(documents[number].sentences)
