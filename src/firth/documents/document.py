"""A document with its annotation: what taggers, parsers and coreference models read and return.

Every stage adds to a document and none splits it anew, so that numbers of tokens mean the same to all of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from numbers import Real
from operator import index
from typing import Any, NamedTuple

from firth.arguments import explained
from firth.documents.spacy_docs import add_groups, parts_of, spacy_doc
from firth.errors import ArgumentTypeError, ShapeError, brief, brief_repr
from firth.hints import Hinted
from firth.readers.conllu import DependencySentence
from firth.text.inputs import check_text
from firth.text.running_text import Tokeniser, sentences_and_tokens

Span = tuple[int, int]  # numbers of tokens in the document from 0; the end is exclusive


class Entity(NamedTuple):
    """A named entity.

    Attributes:
        start: number of its first token in the document, from 0.
        end: number of the token after its last.
        label: its type, such as "PER".
    """

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Document(Hinted):
    """Sentences of a text with their annotation, T tokens in all.

    Tokens are the words that dependency trees are over; a multiword token of CoNLL-U counts as its words. Spans are
    numbers of tokens in the document, from 0, with the end exclusive.

    Attributes:
        sentences: in order; each has at least one word.
        name: of the document, such as the name of its file.
        text: the raw text, or "" where only its tokens are known.
        offsets: of each token, (start, end) characters into `text`; words of one multiword token share theirs. Or ().
        entities: named entities by their first token, the longer one first. They may overlap.
        clusters: coreference chains: of each, the spans of its mentions in order. Mentions may nest and cross, and a
            span is in one chain only.
        confidences: of each entity, the probability that a tagger gives it, from 0 to 1; or ().

    Raises:
        ArgumentTypeError: a value is of another kind, such as a text for the sentences, or spans for chains of spans.
        ShapeError: a sentence is empty, a span is outside the document, a span is in two chains, the offsets are not
            those of T tokens in the text, or the confidences not those of the entities.
    """

    sentences: tuple[DependencySentence, ...]
    name: str = ""
    text: str = ""
    offsets: tuple[Span, ...] = ()
    entities: tuple[Entity, ...] = ()
    clusters: tuple[tuple[Span, ...], ...] = ()
    confidences: tuple[float, ...] = ()

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        check_text(self.name, "name")
        check_text(self.text)
        entities = list(map(_entity, _items(self.entities, "entities")))
        confidences = _confidences(self.confidences, len(entities))
        order = sorted(range(len(entities)), key=lambda number: _place(entities[number]))
        values = {
            "sentences": _sentences(self.sentences),
            "offsets": tuple(_span(span, "offsets") for span in _items(self.offsets, "offsets")),
            "entities": tuple(entities[number] for number in order),
            "clusters": _ordered(self.clusters),
            "confidences": tuple(confidences[number] for number in order) if confidences else (),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        empty = next((number for number, sentence in enumerate(self.sentences, 1) if not len(sentence)), 0)
        if empty:
            raise ShapeError(f"sentence {empty:,} of the document{self._named} has no words; leave it out")
        self._check_spans()
        self._check_offsets()

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        name: str = "",
        tokeniser: Tokeniser | None = None,
        language: str | None = None,
        lines: str | None = None,
    ) -> "Document":
        """Return the document of a raw text: its sentences, and tokens with their places.

        Args:
            text: running text; a byte order mark before it is left out, as of files.
            name: of the document.
            tokeniser: a function from a sentence to its tokens, which must stand in it in their order; None means the
                rules of `firth.text.running_text`.
            language: ISO 639-1 code of the language, such as "de", whose abbreviations and ordinals hold; None means
                what holds in all.
            lines: what a line is: "sentence", or "word", where what is behind a tab is left out and an empty line ends
                a sentence; None for running text.

        Raises:
            ArgumentTypeError: the text is no string, or the tokeniser returns none.
            OptionError: the language is no code, or `lines` is something else.
            FormatError: a token is not in its sentence.
        """
        text = checked_raw_text(text, name)
        tokens = sentences_and_tokens(text, tokeniser, language, lines=lines)
        sentences = []
        for number, spans in enumerate(tokens, 1):
            words = DependencySentence.of(text[start:end] for start, end in spans)
            sentences.append(DependencySentence(words.rows, sentence_comments(name, number, text, spans)))
        return cls(tuple(sentences), name, text, tuple(span for spans in tokens for span in spans))

    @classmethod
    def from_spacy(cls, doc: Any, *, name: str = "") -> "Document":
        """Return the document of a `Doc` of spaCy: tokens, places, tags, trees, entities, and chains.

        Args:
            doc: tokens of white space are left out; without sentences it is one sentence. Groups of spans whose names
                begin with coref_clusters are chains.
            name: of the document.

        Raises:
            ArgumentTypeError: it is no `Doc`.
        """
        return cls(name=name, **parts_of(doc))

    def to_spacy(self, vocab: Any, *, whitespace: bool = False) -> Any:
        """Return the document as a `Doc` of spaCy, with as many tokens, unless white space becomes some, too.

        Entities are its `ents`, or the group of spans "entities" if some overlap; chains are the groups
        coref_clusters_1 and so on. Tags that spaCy does not know as parts of speech are left out.

        Args:
            vocab: a pipeline of spaCy, or its `Vocab`.
            whitespace: whether white space beyond single spaces becomes tokens, as spaCy's tokeniser has it, so that
                the text is the same; words of multiword tokens have none.

        Raises:
            MissingExtraError: spaCy is not installed.
            ArgumentTypeError: `vocab` is neither.
        """
        doc, numbers = spacy_doc(vocab, self, whitespace=whitespace)
        add_groups(doc, numbers, self.entities, self.clusters)
        return doc

    def __len__(self) -> int:
        return len(self.tokens)

    def __str__(self) -> str:
        """The sentences, one a line, with spaces between tokens."""
        return "\n".join(" ".join(sentence.words) for sentence in self.sentences)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """T words."""
        return tuple(word for sentence in self.sentences for word in sentence.words)

    @cached_property
    def sentence_starts(self) -> tuple[int, ...]:
        """Number of the first token of each sentence."""
        return (*accumulate((len(sentence) for sentence in self.sentences[:-1]), initial=0),) if self.sentences else ()

    @property
    def mentions(self) -> tuple[Span, ...]:
        """The spans of all chains in order, the longer of two with one start first."""
        return tuple(
            sorted((span for cluster in self.clusters for span in cluster), key=lambda span: (span[0], -span[1]))
        )

    def span_text(self, start: int, end: int) -> str:
        """Return the text of tokens as it was written; with spaces between them where there is no raw text.

        Args:
            start: number of the first token, from 0.
            end: number of the token after the last.

        Raises:
            ArgumentTypeError: a number is none.
            ShapeError: the span is outside the document.
        """
        self._check_span(*_span((start, end), "span_text"))
        if self.offsets:
            return self.text[self.offsets[start][0] : self.offsets[end - 1][1]]
        return " ".join(self.tokens[start:end])

    @explained
    def annotated(
        self,
        *,
        sentences: Sequence[DependencySentence] | None = None,
        entities: Iterable[Entity] | None = None,
        clusters: Iterable[Iterable[Span]] | None = None,
        confidences: Iterable[float] | None = None,
    ) -> "Document":
        """Return the document with other annotation of the same tokens.

        Args:
            sentences: the same words with other tags, heads or relations.
            entities: named entities, in place of those there are.
            clusters: coreference chains, in place of those there are.
            confidences: of the entities; None for none of new entities, and for those there are of the old ones.

        Raises:
            ShapeError: the sentences have other words, or as in the class.
            ArgumentTypeError: as in the class.
        """
        if sentences is not None:
            sentences = _sentences(sentences)
            self._check_words(sentences)
        if entities is not None and confidences is None:
            confidences = ()
        given: dict[str, Any] = {
            "sentences": sentences, "entities": entities, "clusters": clusters, "confidences": confidences,
        }  # fmt: skip
        return replace(self, **{name: value for name, value in given.items() if value is not None})

    def _check_words(self, sentences: Sequence[DependencySentence]) -> None:
        if len(sentences) != len(self.sentences):
            raise ShapeError(f"{len(sentences):,} sentences for a document of {len(self.sentences):,}")
        for number, (given, own) in enumerate(zip(sentences, self.sentences, strict=True), 1):
            if given.words != own.words:
                raise ShapeError(
                    f"sentence {number:,} has the words {brief(' '.join(given.words))}, that of the document "
                    f"{brief(' '.join(own.words))}: expected the same words"
                )

    def _check_spans(self) -> None:
        mentions = [span for cluster in self.clusters for span in cluster]
        for start, end in [*((entity.start, entity.end) for entity in self.entities), *mentions]:
            self._check_span(start, end)
        if len(set(mentions)) < len(mentions):
            twice = next(span for span in mentions if mentions.count(span) > 1)
            raise ShapeError(f"the mention {twice} of the document{self._named} is in its chains twice; expected once")

    def _check_span(self, start: int, end: int) -> None:
        if not 0 <= start < end <= len(self):
            raise ShapeError(
                f"a span ({start}, {end}) in the document{self._named} of {len(self):,} tokens; expected "
                f"0 <= start < end <= {len(self):,}"
            )

    def _check_offsets(self) -> None:
        if not self.offsets:
            return
        if len(self.offsets) != len(self):
            raise ShapeError(f"{len(self.offsets):,} offsets for {len(self):,} tokens: expected one each, or none")
        before = 0
        for start, end in self.offsets:
            if not before <= start <= end <= len(self.text):
                raise ShapeError(
                    f"the offsets ({start}, {end}) of a token in a text of {len(self.text):,} characters; expected "
                    "start <= end, in the order of the tokens"
                )
            before = start

    @property
    def _named(self) -> str:
        return f" {self.name}" if self.name else ""


def check_document(value: Any) -> Document:
    """Return a document as it is."""
    if not isinstance(value, Document):
        raise ArgumentTypeError(
            f"{brief(value)}: expected a firth.Document; Document.from_text(text) is that of a raw text"
        )
    return value


def checked_raw_text(text: Any, name: Any) -> str:
    """Return the raw text of a document, without the byte order mark before it."""
    if not isinstance(text, str):
        raise ArgumentTypeError(f"{brief(text)}: expected a text, a string")
    check_text(name, "name")
    return text.removeprefix("\ufeff")


def sentence_comments(name: str, number: int, text: str, spans: Sequence[Span]) -> tuple[str, str]:
    """Return the comments of a sentence of raw text, one line each: its name, and its text.

    Args:
        name: of the document.
        number: of the sentence, from 1.
        spans: places of its tokens in the text.
    """
    named, written = (" ".join(part.split()) for part in (name, text[spans[0][0] : spans[-1][1]]))
    return f"# sent_id = {f'{named}-' if named else ''}{number}", f"# text = {written}"


def _place(span: Sequence[Any]) -> Span:
    """What spans and entities are ordered by: the longer of two with one start is the first."""
    return span[0], -span[1]


def _ordered(clusters: Any) -> tuple[tuple[Span, ...], ...]:
    """Chains by their first mention, the mentions of each by place."""
    example = "clusters hold chains, and a chain spans: [[(0, 2), (5, 6)]]"
    inside = (
        tuple(sorted((_span(span, "clusters", example) for span in _items(cluster, "clusters", example)), key=_place))
        for cluster in _items(clusters, "clusters", example)
    )
    return tuple(sorted((cluster for cluster in inside if cluster), key=lambda cluster: _place(cluster[0])))


def _items(values: Any, name: str, example: str = "") -> Iterable[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ArgumentTypeError(
            f"{name}: found {brief(values)}, expected a list; {example or 'give one, or leave it out'}"
        )
    return values


def _span(value: Any, name: str, example: str = "") -> Span:
    try:
        start, end = value
        return index(start), index(end)
    except (TypeError, ValueError):
        problem = f"{name}: found {brief(value)}, expected (start, end), two whole numbers"
        raise ArgumentTypeError(f"{problem}; {example}" if example else problem) from None


def _entity(value: Any) -> Entity:
    try:
        start, end, label = value
        if isinstance(label, str):
            return Entity(index(start), index(end), label)
    except (TypeError, ValueError):
        pass
    raise ArgumentTypeError(f'entities: found {brief(value)}, expected (start, end, label), such as (0, 2, "PER")')


def _confidences(values: Any, entities: int) -> list[float]:
    values = list(_items(values, "confidences"))
    wrong = next((value for value in values if isinstance(value, bool) or not isinstance(value, Real)), None)
    if wrong is not None:
        raise ArgumentTypeError(f"confidences: found {brief(wrong)}, expected numbers from 0 to 1")
    if values and (len(values) != entities or not all(0 <= value <= 1 for value in values)):
        raise ShapeError(
            f"{len(values):,} confidences from {min(values)} to {max(values)} of {entities:,} entities: expected one "
            "each, from 0 to 1, or none"
        )
    return list(map(float, values))


def _sentences(values: Any) -> tuple[DependencySentence, ...]:
    example = "Document.from_text(text) splits a text, DependencySentence.of(words) makes a sentence of words"
    sentences = tuple(_items(values, "sentences", example))
    for sentence in sentences:
        if not isinstance(sentence, DependencySentence):
            raise ArgumentTypeError(f"sentences: found {brief(sentence)}, expected a DependencySentence; {example}")
    return sentences
