"""Documents with named entities in the shapes of other programs; see `entity_shapes`."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from firth.documents.document import Document, Span
from firth.documents.spacy_docs import spaces_behind
from firth.errors import FormatError
from firth.readers.span_tags import span_tags
from firth.storage.files import as_utf8


def entity_lines(document: Document, shape: str) -> list[bytes]:
    """Return the lines or rows of a document, without line feeds.

    Args:
        document: to write. One without a raw text gets its tokens with spaces between them.
        shape: of `SHAPES`.
    """
    values = SHAPES[shape](document)
    return [
        as_utf8(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "an entity")
        for value in values
    ]


def text_and_offsets(document: Document) -> tuple[str, Sequence[Span]]:
    """Return the raw text of a document and the places of its tokens; the text is made of these if there is none."""
    if document.offsets or not document.sentences:
        return document.text, document.offsets
    text, offsets = "", list[Span]()
    for token, space in zip(document.tokens, spaces_behind(document.text, (), document.sentences), strict=True):
        offsets.append((len(text), len(text) + len(token)))
        text += token + " " * space
    return text.rstrip(" "), offsets


def _marked(document: Document) -> tuple[str, list[tuple[int, int, str]]]:
    text, offsets = text_and_offsets(document)
    return text, [(offsets[start][0], offsets[end - 1][1], label) for start, end, label in document.entities]


def _named(document: Document) -> dict[str, str]:
    return {"id": document.name} if document.name else {}


def _spacy(document: Document) -> Iterator[Any]:
    text, spans = _marked(document)
    yield [text, {"entities": spans}]


def _doccano(document: Document) -> Iterator[Any]:
    """Yield a text; doccano shows what is not text or label, such as confidences, as its metadata."""
    text, spans = _marked(document)
    confidences = {"confidences": document.confidences} if document.confidences else {}
    yield {**_named(document), "text": text, "label": spans, **confidences}


def _prodigy(document: Document) -> Iterator[Any]:
    text, offsets = text_and_offsets(document)
    tokens = [
        {"text": text[start:end], "start": start, "end": end, "id": number, "ws": text[end : end + 1].isspace()}
        for number, (start, end) in enumerate(offsets)
    ]
    spans = [
        {
            "start": offsets[start][0],
            "end": offsets[end - 1][1],
            "token_start": start,
            "token_end": end - 1,
            "label": label,
            **score,
        }
        for (start, end, label), score in zip(document.entities, _scores(document), strict=True)
    ]
    yield {**_named(document), "text": text, "tokens": tokens, "spans": spans}


def _scores(document: Document) -> list[dict[str, float]]:
    """Return the score of each entity, if it has one, as Prodigy and Label Studio have it."""
    return [{"score": confidence} for confidence in document.confidences] or [{} for _ in document.entities]


def _label_studio(document: Document) -> Iterator[Any]:
    text, results = _results(document)
    yield {**_named(document), "data": {"text": text}, "annotations": [{"result": results}]}


def _label_studio_predictions(document: Document) -> Iterator[Any]:
    """Yield a task to be corrected; the score of a prediction is the lowest of its results."""
    text, results = _results(document)
    results = [result | score for result, score in zip(results, _scores(document), strict=True)]
    score = {"score": min(document.confidences)} if document.confidences else {}
    yield {**_named(document), "data": {"text": text}, "predictions": [{**score, "result": results}]}


def _results(document: Document) -> tuple[str, list[dict[str, Any]]]:
    text, spans = _marked(document)
    return text, [
        {
            "from_name": "label", "to_name": "text", "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for start, end, label in spans
    ]  # fmt: skip


def _tagged(document: Document) -> Iterator[tuple[Sequence[str], list[str]]]:
    """Yield the words and tags of each sentence."""
    where = document.name or "a document"
    overlap = next((after for before, after in pairwise(document.entities) if after.start < before.end), None)
    if overlap:
        raise FormatError(f"{where}: {overlap} overlaps the entity before it; write spans, such as those of spaCy")
    tags = span_tags(document.entities, len(document))
    for first, sentence in zip(document.sentence_starts, document.sentences, strict=True):
        of_sentence = tags[first : first + len(sentence)]
        if of_sentence[0].startswith("I"):
            raise FormatError(f"{where}: an entity goes over the end of a sentence at token {first:,}; write spans")
        yield sentence.words, of_sentence


def _hugging_face(document: Document) -> Iterator[Any]:
    for words, tags in _tagged(document):
        yield {**_named(document), "tokens": words, "ner_tags": tags}


def _table(document: Document) -> Iterator[str]:
    """Yield rows with a word each, and an empty one behind each sentence."""
    for words, tags in _tagged(document):
        for row in zip(words, tags, strict=True):
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(row)
            yield line.getvalue()
        yield ","


SHAPES: dict[str, Callable[[Document], Iterator[Any]]] = {
    "spacy": _spacy,
    "prodigy": _prodigy,
    "doccano": _doccano,
    "label-studio": _label_studio,
    "label-studio-predictions": _label_studio_predictions,
    "hugging-face": _hugging_face,
    "table": _table,
}
CONFIDENT_SHAPES = ("prodigy", "doccano", "label-studio-predictions")  # that have a place for confidences
TABLE_HEADER = b"word,tag\n"
