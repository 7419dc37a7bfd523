"""Named entities as other programs write them in JSON, by the shape of an object.

- spaCy's training data: `["Ada left.", {"entities": [[0, 3, "PER"]]}]`; its files of paragraphs, with tokens and tags.
- Prodigy: `{"text": "Ada left.", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}`, with the
  places of its tokens, `"tokens": [{"text": "Ada", "start": 0, "end": 3}]`.
- doccano: `{"text": "Ada left.", "label": [[0, 3, "PER"]]}`, or `"entities"` with `start_offset` and `end_offset`.
- Label Studio: `{"data": {"text": "Ada left."}, "annotations": [{"result": [{"value": {"start": 0, "end": 3, "labels":
  ["PER"]}}]}]}`, and its short form, `{"text": "Ada left.", "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}`.
- datasets of Hugging Face: `{"tokens": ["Ada", "left", "."], "ner_tags": ["B-PER", "O", "O"]}`, or numbers of classes.

Source: the programs' documentation, and exports in their issue threads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from firth.errors import FormatError, brief, counted
from firth.readers.span_tags import OUTSIDE

EXPECTED = (
    'expected a document of firth with "sentences", or entities as spaCy, Prodigy, doccano, Label Studio or datasets '
    'of Hugging Face have them, such as {"text": "Ada left.", "entities": [[0, 3, "PER"]]} or {"tokens": [...], '
    '"ner_tags": [...]}'
)
TAGS = ("ner_tags", "ner", "tags", "labels")
SPANS = ("spans", "entities", "ents", "label", "labels", "annotations")
_TASKS = ("annotations", "completions", "predictions")
_STARTS, _ENDS = ("start", "start_offset", "start_char"), ("end", "end_offset", "end_char")
_LABELS = ("label", "labels", "tag", "type", "entity_group")
ClassNames = Callable[[str], Sequence[str] | None]


class MarkedSpan(NamedTuple):
    """A span of characters.

    Attributes:
        end: behind its last one.
        written: its text, if the file repeats it.
        in_parts: whether it is of several parts with other words between them, as brat has it.
        confidence: that the span is right, from 0 to 1, of spans that a program predicted.
    """

    start: int
    end: int
    label: str
    written: str | None = None
    in_parts: bool = False
    confidence: float | None = None


@dataclass(frozen=True)
class MarkedText:
    """A text with spans of characters.

    Attributes:
        tokens: where its tokens begin and end, if the file says it; or ().
        others: what kind each other annotation of the text is of, such as "relations".
    """

    text: str
    spans: tuple[MarkedSpan, ...]
    name: str = ""
    tokens: tuple[tuple[int, int], ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaggedWords:
    """Sentences of words with tags of spans."""

    sentences: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    name: str = ""


Marked = MarkedText | TaggedWords


def marked(facts: Any, class_names: ClassNames) -> Marked | None:
    """Return the annotation that JSON says, or None where it says that nobody annotated or accepted the text.

    Args:
        facts: an object or list.
        class_names: names of the classes of a column whose values are numbers, or None where nothing says them.
    """
    if isinstance(facts, list) and facts and isinstance(facts[0], str):
        return _of_spacy(facts)
    if not isinstance(facts, dict):
        raise FormatError(f"{brief(facts)}; {EXPECTED}")
    name = str(facts["id"]) if isinstance(facts.get("id"), str | int) else ""
    if isinstance(facts.get("data"), dict) and any(key in facts for key in _TASKS):
        return _task(facts, name)
    if isinstance(facts.get("paragraphs"), list):
        return _paragraphs(facts["paragraphs"], name)
    tokens = facts.get("tokens")
    column = next((key for key in TAGS if isinstance(facts.get(key), list)), None)
    if isinstance(tokens, list) and column and all(isinstance(token, str) for token in tokens):
        return TaggedWords((_tagged(tokens, facts[column], column, class_names),), name)
    if facts.get("answer") in ("reject", "ignore"):
        return None
    key = next((key for key in SPANS if isinstance(facts.get(key), list)), None)
    if not isinstance(facts.get("text"), str) or (key is None and "answer" not in facts):
        raise FormatError(f"an object with {', '.join(map(repr, facts)) or 'nothing'}; {EXPECTED}")
    spans = _spans(facts[key] if key else [])
    if "answer" in facts:  # somebody accepted them, whatever a model said before
        spans = tuple(span._replace(confidence=None) for span in spans)
    relations = facts.get("relations")
    kinds = ("relations",) * len(relations) if isinstance(relations, list) else ()
    return MarkedText(facts["text"], spans, name, _token_spans(tokens), kinds)


def _token_spans(tokens: Any) -> tuple[tuple[int, int], ...]:
    """Return where the tokens of Prodigy begin and end; () if something else stands there."""
    if not isinstance(tokens, list) or not all(isinstance(token, dict) for token in tokens):
        return ()
    spans = tuple((token.get("start"), token.get("end")) for token in tokens)
    return spans if all(type(start) is int and type(end) is int for start, end in spans) else ()


def _of_spacy(facts: Sequence[Any]) -> MarkedText:
    annotation = facts[1] if len(facts) == 2 else None
    spans = annotation.get("entities", []) if isinstance(annotation, dict) else annotation
    if not isinstance(spans, list):
        raise FormatError(f'{brief(facts)}; expected [text, {{"entities": [[start, end, label]]}}], as spaCy has it')
    return MarkedText(facts[0], _spans(spans))


def _task(facts: Mapping[str, Any], name: str) -> MarkedText | None:
    """Return the first annotation of a task of Label Studio that nobody cancelled."""
    annotations = _objects(facts.get("annotations") or facts.get("completions") or [])
    kept = [annotation for annotation in annotations if not annotation.get("was_cancelled")]
    texts = {key: value for key, value in facts["data"].items() if isinstance(value, str)}
    if not kept:
        return None
    if not texts:
        raise FormatError(
            f"the data of a task have no text: {brief(facts['data'])}; expected one, as in {{'text': ...}}"
        )
    results = _objects(kept[0].get("result", []))
    values = [result["value"] for result in results if isinstance(result.get("value"), dict)]
    text = texts.get("text") or max(texts.values(), key=len)
    spans = [value for value in values if any(key.endswith("labels") for key in value)]
    types = [result.get("type") for result in results if result.get("value") not in spans]
    kinds = tuple("relations" if kind == "relation" else str(kind or "other results") for kind in types)
    return MarkedText(text, _spans(spans), name, (), kinds)


def _objects(values: Any) -> list[dict[str, Any]]:
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise FormatError(f"{brief(values)}; expected a list of annotations, and in each a list of results")
    return values


def _paragraphs(paragraphs: Sequence[Any], name: str) -> TaggedWords:
    """Return the tokens of spaCy's own files; "-" stands where nobody knows whether there is an entity."""
    try:
        sentences = [sentence["tokens"] for paragraph in paragraphs for sentence in paragraph["sentences"]]
        return TaggedWords(
            tuple(
                (
                    tuple(token["orth"] for token in tokens),
                    tuple(OUTSIDE if (tag := token.get("ner", OUTSIDE)) in ("-", "") else tag for token in tokens),
                )
                for tokens in sentences
            ),
            name,
        )
    except (KeyError, TypeError, AttributeError):
        raise FormatError("paragraphs without sentences of tokens; expected them as spaCy convert wrote them") from None


def _tagged(
    tokens: Sequence[str], tags: Sequence[Any], column: str, class_names: ClassNames
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if len(tags) != len(tokens):
        raise FormatError(f"{counted(len(tags), 'tag')} for {counted(len(tokens), 'token')}: expected one each")
    if all(type(tag) is int for tag in tags) and tags:
        names = class_names(column)
        if names is None:
            raise FormatError(
                f"{column} are numbers, {brief(tags)}, and nothing says what they stand for; expected tags such as "
                "B-PER, or the names of the classes in dataset_info.json beside the file"
            )
        odd = next((tag for tag in tags if not 0 <= tag < len(names)), None)
        if odd is not None:
            raise FormatError(f"{column} has the number {odd}; expected one from 0 to {len(names) - 1}")
        tags = [names[tag] for tag in tags]
    if not all(isinstance(tag, str) for tag in tags):
        raise FormatError(f"{column} are {brief(tags)}; expected tags such as B-PER, or numbers of classes")
    return tuple(tokens), tuple(tags)


def _spans(items: Sequence[Any]) -> tuple[MarkedSpan, ...]:
    return tuple(span for item in items for span in _span(item))


def _span(item: Any) -> list[MarkedSpan]:
    """Return a span, once for each of its labels."""
    written = None
    if isinstance(item, dict):
        inside = item["globalOffsets"] if isinstance(item.get("globalOffsets"), dict) else item
        start, end = (next((inside[key] for key in keys if key in inside), None) for keys in (_STARTS, _ENDS))
        labels = next((value for key, value in item.items() if key in _LABELS or key.endswith("labels")), None)
        written = item["text"] if isinstance(item.get("text"), str) else None
    elif isinstance(item, list | tuple) and len(item) >= 3:
        start, end, labels = item[:3]
    else:
        raise FormatError(f"a span {brief(item)}; expected [start, end, label], or an object with start, end and label")
    labels = labels if isinstance(labels, list) else [labels]
    if not labels or any(
        isinstance(label, bool) or not isinstance(label, str | int) or label == "" for label in labels
    ):
        raise FormatError(f"a span without a label: {brief(item)}")
    first, last = (_number(value, item) for value in (start, end))
    confidence = _confidence(item)
    return [MarkedSpan(first, last, str(label), written, confidence=confidence) for label in labels]


def _confidence(item: Any) -> float | None:
    score = item.get("score", item.get("confidence")) if isinstance(item, dict) else None
    is_share = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
    return float(score) if is_share else None  # type: ignore[arg-type]  # it is a number


def _number(value: Any, item: Any) -> int:
    if isinstance(value, float) and value.is_integer():  # as pandas writes numbers of a column with gaps
        return int(value)
    if type(value) is not int:
        raise FormatError(f"a span {brief(item)}; expected whole numbers of characters for its start and its end")
    return value
