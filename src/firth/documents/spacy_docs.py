"""Documents to spaCy's `Doc` and back.

A token is a token in both. spaCy's tokens of white space are left out on the way here, and none are made on the way
there unless they are asked for, so a `Doc` has single spaces where a raw text has more. Chains are groups of spans
named coref_clusters_1 and so on, as in spacy-experimental; entities that overlap are a group named entities.

Source: spaCy 3.8, `spacy.tokens.Doc`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

from firth.errors import ArgumentTypeError, MissingExtraError, brief
from firth.readers.conllu import NONE, DependencySentence, attributes

Span = tuple[int, int]
CHAINS, ENTITIES = "coref_clusters", "entities"


class _Annotated(Protocol):
    """What a `firth.Document` has."""

    @property
    def sentences(self) -> tuple[DependencySentence, ...]: ...
    @property
    def text(self) -> str: ...
    @property
    def offsets(self) -> tuple[Span, ...]: ...
    @property
    def tokens(self) -> tuple[str, ...]: ...
    @property
    def sentence_starts(self) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class _Layout:
    """The tokens of a `Doc`.

    Attributes:
        words: tokens, and white space that is one.
        spaces: whether a space is behind each.
        numbers: of each token of the document, its number among these.
    """

    words: list[str]
    spaces: list[bool]
    numbers: list[int]


def spacy_doc(vocab: Any, document: _Annotated, *, whitespace: bool = False) -> tuple[Any, list[int]]:
    """Return a `Doc` with the tokens and columns of a document, and the number in it of each token.

    Args:
        vocab: spaCy's `Vocab`, or a pipeline that has one.
        whitespace: as for `Document.to_spacy`.
    """
    try:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy", "make a Doc of spaCy") from error
    vocab = getattr(vocab, "vocab", vocab)
    if not isinstance(vocab, Vocab):
        raise ArgumentTypeError(f"{brief(vocab)}: expected a pipeline of spaCy or its Vocab")
    layout = _exact_layout(document) if whitespace else None
    if layout is None:
        spaces = spaces_behind(document.text, document.offsets, document.sentences)
        layout = _Layout(list(document.tokens), spaces, list(range(len(document.tokens))))
    columns = _columns(document.sentences, document.sentence_starts)
    if len(layout.words) > len(layout.numbers):
        columns = {name: _spread(name, column, layout) for name, column in columns.items()}
    return Doc(vocab, words=layout.words, spaces=layout.spaces, **columns), layout.numbers


def _exact_layout(document: _Annotated) -> _Layout | None:
    """Return the tokens with all white space between them; None where the text is not made of these."""
    words, spaces, numbers, last = list[str](), list[bool](), list[int](), 0
    for token, (start, end) in zip(document.tokens, document.offsets, strict=False):
        if document.text[start:end] != token or not _add_space(document.text[last:start], words, spaces):
            return None
        numbers.append(len(words))
        words.append(token)
        spaces.append(False)
        last = end
    return _Layout(words, spaces, numbers) if numbers and _add_space(document.text[last:], words, spaces) else None


def _add_space(space: str, words: list[str], spaces: list[bool]) -> bool:
    """Add white space: a space to the word before it, all else as a word; return whether it is white space."""
    if space.startswith(" ") and words:
        spaces[-1], space = True, space[1:]
    if space:
        words.append(space)
        spaces.append(False)
    return not space.strip()


def _spread(name: str, column: Sequence[Any], layout: _Layout) -> list[Any]:
    """Return a column with values for tokens of white space, which depend on the token before them, or the first."""
    numbers = layout.numbers
    if name == "heads":
        spread: list[Any] = [max(number - 1, 0) for number in range(len(layout.words))]
        spread[: numbers[0]] = [numbers[0]] * numbers[0]
        column = [numbers[head] for head in column]
    elif name == "sent_starts":
        spread = [number == 0 for number in range(len(layout.words))]
        column = [start and (number > 0 or not numbers[0]) for number, start in enumerate(column)]
    else:
        spread = [""] * len(layout.words)
    for number, value in zip(numbers, column, strict=True):
        spread[number] = value
    return spread


def _columns(sentences: Sequence[DependencySentence], starts: Sequence[int]) -> dict[str, Any]:
    """Return the columns of sentences as arguments of `Doc`; those without any annotation are left out."""
    from spacy.parts_of_speech import IDS

    seen = {*IDS} - {""}
    columns: dict[str, list[Any]] = {
        "pos": [tag if tag in seen else "" for sentence in sentences for tag in sentence.tags],
        "tags": [_plain(tag) for sentence in sentences for tag in sentence.language_tags],
        "lemmas": [_plain(lemma) for sentence in sentences for lemma in sentence.lemmas],
        "morphs": [_plain(features) for sentence in sentences for features in sentence.features],
    }
    filled = {name: column for name, column in columns.items() if any(column)}
    if sentences and all(sentence.heads for sentence in sentences):
        filled["heads"] = [
            start + (head - 1 if head else i)
            for start, sentence in zip(starts, sentences, strict=True)
            for i, head in enumerate(sentence.heads)
        ]
        relations = (relation for sentence in sentences for relation in sentence.relations)
        filled["deps"] = ["ROOT" if relation == "root" else _plain(relation) for relation in relations]
    else:
        filled["sent_starts"] = [i == 0 for sentence in sentences for i in range(len(sentence))]
    return filled


def spaces_behind(text: str, offsets: Sequence[Span], sentences: Sequence[DependencySentence]) -> list[bool]:
    """Return whether white space is behind each token: in the text, or as SpaceAfter=No says."""
    if text and offsets:
        return [*(following[0] > span[1] for span, following in pairwise(offsets)), offsets[-1][1] < len(text)]
    rows = (row for sentence in sentences for row in sentence.rows if row[0].isdecimal())
    return [attributes(row).get("SpaceAfter") != "No" for row in rows]


def add_groups(
    doc: Any, numbers: Sequence[int], entities: Sequence[tuple[int, int, str]], clusters: Sequence[Sequence[Span]]
) -> None:
    """Add entities and chains to a `Doc`.

    Args:
        numbers: of each token of the document, its number in `doc`.
        entities: (start, end, label) in order; if some overlap, all become a group of spans.
    """
    from spacy.tokens import Span as SpacySpan

    spans = [SpacySpan(doc, numbers[start], numbers[end - 1] + 1, label) for start, end, label in entities]
    if any(after[0] < before[1] for before, after in pairwise(entities)):
        doc.spans[ENTITIES] = spans
    else:
        doc.set_ents(spans)
    for number, cluster in enumerate(clusters, 1):
        doc.spans[f"{CHAINS}_{number}"] = [doc[numbers[start] : numbers[end - 1] + 1] for start, end in cluster]


def parts_of(doc: Any) -> dict[str, Any]:
    """Return what a `Doc` holds, as arguments of `firth.Document`.

    Args:
        doc: with sentences; one without is one sentence.
    """
    if not all(hasattr(doc, name) for name in ("ents", "spans", "has_annotation")):
        raise ArgumentTypeError(f"{brief(doc)}: expected a Doc of spaCy")
    kept = [token for token in doc if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(kept)}
    groups = list(doc.sents) if doc.has_annotation("SENT_START") or doc.has_annotation("DEP") else [doc]
    sentences = [[token for token in group if not token.is_space] for group in groups]
    return {
        "sentences": [_sentence(tokens, doc.has_annotation("DEP")) for tokens in sentences if tokens],
        "text": doc.text,
        "offsets": [(token.idx, token.idx + len(token.text)) for token in kept],
        "entities": [
            (*span, entity.label_)
            for entity in [*doc.ents, *doc.spans.get(ENTITIES, ())]
            if (span := _span(entity, numbers))
        ],
        "clusters": [
            [span for entry in group if (span := _span(entry, numbers))]
            for name, group in doc.spans.items()
            if name.startswith(CHAINS)
        ],
    }


def _sentence(tokens: Sequence[Any], has_trees: bool) -> DependencySentence:
    columns: dict[str, Any] = {
        "tags": [token.pos_ or NONE for token in tokens],
        "language_tags": [token.tag_ or NONE for token in tokens],
        "lemmas": [token.lemma_ or NONE for token in tokens],
        "features": ["|".join(sorted(str(token.morph).split("|"), key=str.lower)) or NONE for token in tokens],
    }
    if has_trees:
        numbers = {token.i: number for number, token in enumerate(tokens, 1)}
        columns["heads"] = [_head(token, numbers) for token in tokens]
        columns["relations"] = [
            "root" if not head else token.dep_ or NONE for head, token in zip(columns["heads"], tokens, strict=True)
        ]
    return DependencySentence.of(token.text for token in tokens).annotated(**columns)


def _head(token: Any, numbers: dict[int, int]) -> int:
    """The number of a token's head in its sentence; white space stands for its own head."""
    head = token.head
    while head.i not in numbers and head.head.i != head.i:
        head = head.head
    return 0 if head.i == token.i else numbers.get(head.i, 0)


def _span(span: Iterable[Any], numbers: dict[int, int]) -> Span | None:
    inside = [numbers[token.i] for token in span if token.i in numbers]
    return (inside[0], inside[-1] + 1) if inside else None


def _plain(value: str) -> str:
    return "" if value == NONE else value
