"""Active learning: the sentences of which a tagger is least certain, with its tags, to be corrected first.

What
    The sentences of texts that are worth annotating next. Each is a document of its own, with the tags that the tagger
    predicts; those that are annotated already, and repetitions, are left out.
Objective
    With y* the best tags of a sentence x of T words, sentences in the order of

        mnlp    -log p(y* | x) / T
        total   -log p(y* | x)

    "total" chooses long sentences, and teaches more by the sentence; "mnlp" more by the word that is read:
    benchmarks/results/small/active_learning.md.
Source
    Shen et al. 2018, "Deep active learning for named entity recognition", section 4.
Cost
    That of tagging, twice for what is chosen. Memory holds that and a hash of each sentence.
"""

import heapq
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

from firth.arguments import explained
from firth.documents.annotate import annotate, document_of
from firth.documents.brat import write_brat
from firth.documents.document import Document
from firth.documents.files import BRAT, RAW, check_written, format_of, read_documents, write_documents
from firth.documents.stages import Stages
from firth.errors import ArgumentTypeError, brief
from firth.options import check_whole
from firth.progress import Progress, Status, reporting
from firth.readers.columns import read_columns
from firth.readers.conllu import DependencySentence
from firth.storage.skipping import SKIP
from firth.text.inputs import check_items

MOST = 100  # sentences
MEASURE = "mnlp"
BATCH = 1024  # sentences that are judged together
Ranked = tuple[float, int, Document]  # its uncertainty, minus its number among the candidates, and a sentence


@explained
def least_certain(
    texts: Any,
    tagger: Any,
    *,
    most: int = MOST,
    done: Any = (),
    measure: str = MEASURE,
    language: str | None = None,
    lines: str | None = None,
    progress: Progress = False,
) -> list[Document]:
    """Return the sentences of which a tagger is least certain, the least certain first, with the tags it predicts.

    Args:
        texts: a raw text, a `firth.Document`, or several of them.
        tagger: of `firth.Tagger().train`, or its folder.
        most: sentences to return, at most.
        done: what is annotated already: documents, lists of words, or paths of files that `firth.Tagger.train` reads.
            Its sentences are left out, whatever the white space in them.
        measure: "mnlp", least confidence normalised by length, or "total", without normalisation, which prefers long
            sentences; see `firth.documents.correction`.
        language: of raw text, as for `firth.annotate`.
        lines: of raw text, as for `firth.annotate`.

    Returns:
        Documents of one sentence each, with confidences of entities. Correct their tags, and train on them.

    Raises:
        ArgumentTypeError: it is no tagger, or a text or something done is neither.
        OptionError: `most` is below 1, the measure is another, the scores of the tagger are no probabilities, or its
            tags are neither columns of CoNLL-U nor mark spans.

    Source: Shen et al. 2018, "Deep active learning for named entity recognition", section 4.
    """
    check_whole("most", most)
    model = _tagger(tagger)
    texts = [texts] if isinstance(texts, str | Document) else check_items(texts)
    documents = (document_of(text, language=language, lines=lines) for text in texts)
    seen = {key for item in ([done] if _is_one(done) else done) for key in _keys(item)}
    candidates = _candidates(documents, seen)
    best, number = list[Ranked](), count(1)
    with reporting(progress) as report:
        while batch := list(islice(candidates, BATCH)):
            values = model.uncertainty([document.sentences[0] for document in batch], measure=measure)
            ranked = [(float(value), -next(number), document) for value, document in zip(values, batch, strict=True)]
            best = heapq.nlargest(most, [*best, *ranked], key=lambda row: row[:2])
            report(Status(stage="choosing", done=-ranked[-1][1], unit="sentences"))
    chosen = [document for *_, document in best]
    return annotate(chosen, tagger=model, confidences=Stages.of(model).tags_entities)


def write_corrections(path: str | os.PathLike[str], documents: Sequence[Document], *, shape: str | None = None) -> None:
    """Write documents with predicted tags, to be corrected.

    Args:
        path: as for `firth.write_documents`; brat has all in one text, with an empty line between sentences.
        shape: likewise. For Label Studio they are predictions. Files of firth's own have no confidences, which would
            not be those of corrected entities.
    """
    format = check_written(path, shape)
    if format == BRAT:
        write_brat(Path(path), documents, one_text=True)
        return
    if format.endswith(":label-studio"):
        shape = "label-studio-predictions"
    if shape is None:
        documents = [document.annotated(entities=document.entities) for document in documents]
    write_documents(path, documents, shape=shape)


def _tagger(tagger: Any) -> Any:
    if isinstance(tagger, str | os.PathLike):
        from firth.loading import load

        tagger = load(tagger)
    if not hasattr(tagger, "uncertainty"):
        raise ArgumentTypeError(f"tagger: found {brief(tagger)}, expected a tagger of firth.Tagger().train")
    return tagger


def _candidates(documents: Iterable[Document], seen: set[int]) -> Iterator[Document]:
    """Yield the sentences of documents as documents, each once, without those that were seen."""
    for document in documents:
        for number in range(len(document.sentences)):
            key = _key(document.sentences[number].words)
            if key not in seen:
                seen.add(key)
                yield _alone(document, number)


def _alone(document: Document, number: int) -> Document:
    """Return a sentence of a document, with its text, as a document."""
    sentence, first = document.sentences[number], document.sentence_starts[number]
    name = f"{document.name}-{number + 1}" if document.name else str(number + 1)
    if not document.offsets:
        return Document((sentence,), name)
    spans = document.offsets[first : first + len(sentence)]
    start, end = spans[0][0], max(end for _, end in spans)
    offsets = tuple((a - start, b - start) for a, b in spans)
    return Document((sentence,), name, document.text[start:end], offsets)


def _is_one(done: Any) -> bool:
    return isinstance(done, str | os.PathLike | Document)


def _key(words: Iterable[str]) -> int:
    """Return a hash of the characters of a sentence, which does not depend on how it was split into words."""
    return hash("".join("".join(words).split()))


def _keys(done: Any) -> Iterator[int]:
    """Yield the keys of what is annotated: of each sentence, and of each paragraph, which may be one."""
    if isinstance(done, str | os.PathLike):
        if format_of(done) == RAW:
            yield from (_key(sentence.words) for sentence in read_columns(done, on_error=SKIP))
        else:
            yield from (key for document in read_documents(done, on_error=SKIP) for key in _keys(document))
    elif isinstance(done, Document):
        yield from (_key(sentence.words) for sentence in done.sentences)
        yield from (_key([paragraph]) for paragraph in [done.text, *done.text.split("\n\n")])
    elif isinstance(done, DependencySentence):
        yield _key(done.words)
    elif isinstance(done, Iterable) and (words := list(done)) and all(isinstance(word, str) for word in words):
        yield _key(words)
    else:
        raise ArgumentTypeError(f"done: found {brief(done)}, expected documents, lists of words or paths of files")
