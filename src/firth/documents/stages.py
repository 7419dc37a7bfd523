"""The stages of annotation: tags and entities, trees, coreference chains; each by a model that has `predict`."""

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from firth.documents.document import Document, Entity
from firth.errors import ArgumentTypeError, FirthError, OptionError, brief
from firth.readers.conllu import NONE, TAG_COLUMNS, DependencySentence, check_tags_read
from firth.readers.span_tags import OUTSIDE, is_span_tag, spans_of
from firth.registry import plain_name

OTHER = "X"  # tag of words that belong to no part of speech, in Universal Dependencies
PROBE = DependencySentence.of(["a"]).annotated(tags=["X"], language_tags=["X"])
DIGITS = 4  # of confidences, behind the point
Found = tuple[Entity, float | None]  # an entity and its confidence
_PROBED = re.compile(r"sentence 1(?: \('a'\))?(?: of the document)?")  # in a message, which no user has written


@dataclass(frozen=True)
class Stages:
    """Models that annotate a document one after the other.

    A tagger's targets upos, xpos, feats and lemma become columns; tags of spans, in BIO or BIOES, become entities. An
    entity that overlaps one of an earlier tagger is left out.

    Chains are of at least two mentions, which the model finds itself.

    The confidence of an entity is the product of the probabilities of its tags, over its tokens t in the sentence x:

        confidence = prod_t p(y_t | x)

    with the marginals of a CRF or the probabilities of a softmax. It is better calibrated than the lowest of them:
    benchmarks/results/small/active_learning.md.

    Attributes:
        taggers: `predict(sentences)` returns an object with `tags` per sentence: T tags by target.
        parser: `predict(sentences)` returns sentences with heads and relations, and `columns`, if it has them, names
            the tags that it reads; or None.
        coref: `predict(document, mentions="predicted")` returns the document with chains; or None.
        confidences: whether entities have confidences; `predict` then takes `probabilities=True`, and its results have
            `probabilities` as they have `tags`.
    """

    taggers: tuple[Any, ...] = ()
    parser: Any = None
    coref: Any = None
    confidences: bool = False

    @classmethod
    def of(cls, tagger: Any = None, parser: Any = None, coref: Any = None, *, confidences: bool = False) -> "Stages":
        """Return the stages of models or of the folders that they were saved in.

        Args:
            tagger: one tagger, several, or None.
            parser: a parser or None.
            coref: a coreference model or None.
            confidences: of entities, or none.

        Raises:
            ArgumentTypeError: a model is of another task, or the taggers give some of the tags that the parser reads.
            OptionError: confidences of a tagger whose scores are no probabilities, or without a tagger of entities.
        """
        stages = cls(tuple(map(_opened, listed(tagger))), _opened(parser), _opened(coref), confidences)
        for number, model in enumerate(stages.taggers):
            _check(model, listed(tagger)[number], "tagger", lambda model: model.predict([PROBE])[0].tags.items())
        if stages.parser is not None:
            _check(stages.parser, parser, "parser", lambda model: model.predict([PROBE])[0].heads)
            if any(target in TAG_COLUMNS and target != "lemma" for target in stages.targets):
                check_tags_read(getattr(stages.parser, "columns", ()), stages.targets)
        if confidences and not stages.tags_entities:
            raise OptionError("confidences=True: no tagger marks entities; add one with tags of spans, or leave it out")
        if confidences:
            for number in range(len(stages.taggers)):
                stages._predicted(number, [PROBE])
        if stages.coref is not None:
            document = Document((PROBE.annotated(heads=[0], relations=["root"]),))
            _check(stages.coref, coref, "coreference model", lambda model: _chains(model, document))
        return stages

    def sentence_stages(self, sentences: Sequence[DependencySentence]) -> Document:
        """Return sentences with tags, entities and trees, as one document.

        Args:
            sentences: of one document or several; spans of the result count from the first.
        """
        entities: list[Found] = []
        for number in range(len(self.taggers)):
            results = self._predicted(number, sentences)
            columns: list[dict[str, list[str]]] = [{} for _ in sentences]
            for target in results[0].tags if results else ():
                tags = [result.tags[target] for result in results]
                if target in TAG_COLUMNS:
                    # A parser reads "_" as a word that nobody has tagged.
                    none = OTHER if target in ("upos", "xpos") else NONE
                    for of_sentence, values in zip(columns, tags, strict=True):
                        of_sentence[TAG_COLUMNS[target]] = [none if tag in ("", NONE) else tag for tag in values]
                else:
                    rows = [result.probabilities[target] for result in results] if self.confidences else None
                    entities = _with_more(entities, _entities(tags, target, rows))
            sentences = [
                sentence.annotated(**of_sentence) if of_sentence else sentence  # type: ignore[arg-type]  # columns of strings
                for sentence, of_sentence in zip(sentences, columns, strict=True)
            ]
        if self.parser is not None:
            sentences = self.parser.predict(sentences)
        confidences = tuple(confidence for _, confidence in entities if confidence is not None)
        return Document(tuple(sentences), entities=tuple(entity for entity, _ in entities), confidences=confidences)

    def _predicted(self, number: int, sentences: Sequence[DependencySentence]) -> list[Any]:
        """Return what a tagger says of sentences, with probabilities if it marks entities that have confidences."""
        predict = self.taggers[number].predict
        wanted = self.confidences and not TAG_COLUMNS.keys() >= {*self._targets[number]}
        return list(predict(sentences, probabilities=True) if wanted else predict(sentences))

    def document_stages(self, document: Document) -> Document:
        """Return a document with chains, if there is a model for them.

        Args:
            document: with what the stages of sentences found.
        """
        if self.coref is None or not document.sentences:
            return document
        return document.annotated(clusters=[chain for chain in _chains(self.coref, document) if len(chain) > 1])

    def annotated(self, document: Document) -> Document:
        """Return a document with the annotation of all stages.

        Args:
            document: to annotate. Entities it has are kept where no tagger finds any.
        """
        sentences = self.sentence_stages(document.sentences)
        annotated = document.annotated(sentences=sentences.sentences)
        if self.tags_entities:
            annotated = annotated.annotated(entities=sentences.entities, confidences=sentences.confidences)
        return self.document_stages(annotated)

    def check_raw_text(self) -> None:
        """Check on one word that the stages give one another what they read, before hours of work.

        Raises:
            OptionError: a model reads what no stage gives: a parser tags, or a model of coreference trees.
        """
        missing = "a tagger, whose tags the parser reads"
        try:
            sentences = self.sentence_stages([DependencySentence.of(PROBE.words)])
            missing = "a parser, in whose trees coreference finds noun phrases"
            self.document_stages(sentences)
        except FirthError as error:
            problem = _PROBED.sub("a sentence", str(error))
            raise OptionError(
                f"raw text cannot be annotated by these models alone: {problem}; add {missing}"
            ) from error

    @property
    def targets(self) -> tuple[str, ...]:
        """What the taggers find, in their order."""
        return tuple(target for targets in self._targets for target in targets)

    @cached_property
    def _targets(self) -> tuple[tuple[str, ...], ...]:
        """What each tagger finds."""
        return tuple(tuple(model.predict([PROBE])[0].tags) for model in self.taggers)

    @property
    def tags_entities(self) -> bool:
        """Whether a tagger marks entities."""
        return any(target not in TAG_COLUMNS for target in self.targets)


def listed(models: Any) -> list[Any]:
    """Return one model or several as a list; None as none."""
    if models is None:
        return []
    return list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]


def _chains(model: Any, document: Document) -> Sequence[Sequence[tuple[int, int]]]:
    predicted: Document = model.predict(document, mentions="predicted")
    return predicted.clusters


def _opened(model: Any) -> Any:
    if not isinstance(model, str | os.PathLike):
        return model
    from firth.loading import load

    return load(model)


def _check(model: Any, given: Any, what: str, probe: Any) -> None:
    try:
        probe(model)
    except (AttributeError, TypeError, IndexError, FirthError) as error:
        instead = "; give it as pipeline=, in place of taggers and parser" if plain_name(model) == "a pipeline" else ""
        wrong = f"{_named(given)}: found {brief(model)}, expected a {what}{instead}"
        is_ours = isinstance(error, FirthError) and not isinstance(error, TypeError)
        if is_ours and brief(PROBE) not in str(error):  # the probe is not a document of the user
            wrong += f": {_PROBED.sub('a sentence', str(error))}"
        raise ArgumentTypeError(wrong) from error


def _named(model: Any) -> str:
    return os.fspath(model) if isinstance(model, str | os.PathLike) else brief(model)


def _entities(
    tags: Iterable[Sequence[str]], target: str, probabilities: Sequence[Sequence[float]] | None = None
) -> Iterable[Found]:
    """Yield the entities of sentences with their confidences."""
    first = 0
    for number, of_sentence in enumerate(tags):
        of_sentence = [OUTSIDE if tag == NONE else tag for tag in of_sentence]
        odd = next((tag for tag in of_sentence if not is_span_tag(tag)), None)
        if odd is not None:
            raise OptionError(
                f"the tagger's target {target!r} has the tag {odd!r}; expected {', '.join(TAG_COLUMNS)}, or tags of "
                "spans such as B-PER"
            )
        for start, end, label in spans_of(of_sentence):
            product = None if probabilities is None else math.prod(probabilities[number][start:end])
            yield Entity(first + start, first + end, label), product and round(min(product, 1.0), DIGITS)
        first += len(of_sentence)


def _with_more(entities: list[Found], candidates: Iterable[Found]) -> list[Found]:
    taken = {token for entity, _ in entities for token in range(entity.start, entity.end)}
    return [*entities, *(pair for pair in candidates if taken.isdisjoint(range(pair[0].start, pair[0].end)))]


def described(stages: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies the models of a call: of folders, their files with sizes and times; of objects, the type.

    Args:
        stages: models or paths by stage.
    """
    return {name: [_described(model) for model in listed(models)] for name, models in stages.items()}


def _described(model: Any) -> Any:
    if not isinstance(model, str | os.PathLike):
        return type(model).__name__
    folder = Path(os.path.realpath(model))
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [str(folder), [[str(file.relative_to(folder)), *_size_and_time(file)] for file in files]]


def _size_and_time(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns
