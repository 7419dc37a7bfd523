"""An address of the server, and the classes of models that addresses need.

Classes are named "module:class", so that none is imported before it is needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firth.errors import UnknownModelError


@dataclass(frozen=True)
class Endpoint:
    """An address.

    Attributes:
        path: such as "/neighbors".
        summary: description for the OpenAPI document.
        classes: of models that answer, as "module:class", which are not imported; with subclasses.
        request: class of requests.
        response: class of responses.
        answer: of a model and a request, without the model's name.
        together: answers several requests at once, faster than one by one; None for none.
        size: of a request, as a share of what is answered together: texts, where there are some.
        joined: makes of all models of the classes, by name, the one object that answers; None where each answers.
        methods: of HTTP.
        also: the same address in another spelling, which the OpenAPI document leaves out.
    """

    path: str
    summary: str
    classes: Sequence[str]
    request: type[Any]
    response: type[Any]
    answer: Callable[[Any, Any], Any]
    together: Callable[[Any, Sequence[Any]], list[Any]] | None = None
    size: Callable[[Any], int] = lambda request: 1
    joined: Callable[[Mapping[str, Any]], Any] | None = None
    methods: Sequence[str] = ("GET", "POST")
    also: str | None = None

    def accepts(self, model: Any) -> bool:
        """Return whether a model answers."""
        return not class_names(model).isdisjoint(self.classes)

    def answering(self, models: Mapping[str, Any]) -> dict[str, Any]:
        """Return what answers, by the name of the model: of runs their consensus, where word vectors answer."""
        able = {name: model for name, model in models.items() if self.accepts(model)}
        if WORD_VECTORS in self.classes:
            able |= {name: model.consensus for name, model in models.items() if RUNS in class_names(model)}
        return {name: able[name] for name in models if name in able}


def by_texts(answer: Callable[[Any, Any], Mapping[str, Any]], *fields: str) -> dict[str, Any]:
    """Return how an address answers for texts: those of several requests go through the model as one list.

    Requests that differ in more than their texts, such as in the number of beams, are answered apart.

    Args:
        answer: of a model and a request that has `texts`.
        fields: of the answer, with an item for each text; others are the same for all.
    """

    def together(model: Any, requests: Sequence[Any]) -> list[Any]:
        alike: dict[str, list[int]] = {}
        for number, request in enumerate(requests):
            alike.setdefault(request.model_dump_json(exclude={"model", "texts"}), []).append(number)
        answers: list[Any] = [None] * len(requests)
        for numbers in alike.values():
            texts = [text for number in numbers for text in requests[number].texts]
            answered = answer(model, requests[numbers[0]].model_copy(update={"texts": texts}))
            first = 0
            for number in numbers:
                part = slice(first, first := first + len(requests[number].texts))
                answers[number] = {name: value[part] if name in fields else value for name, value in answered.items()}
        return answers

    return {"answer": answer, "together": together, "size": lambda request: len(request.texts)}


def writable(texts: Sequence[str]) -> list[str]:
    """Return texts that UTF-8 can hold: those of files may have lone surrogates."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [text.encode("utf-8", "replace").decode() for text in texts]
    return list(texts)


def first_of(models: Mapping[str, Any], name: str | None) -> str:
    """Return the name of the model that is meant.

    Raises:
        UnknownModelError: no model has the name.
    """
    if name is None:
        return next(iter(models))
    if name not in models:
        raise UnknownModelError(f"no model {name!r} answers here; expected one of {', '.join(models)}")
    return name


def class_names(model: Any) -> set[str]:
    """Return the classes of a model as "module:class", with those that they extend."""
    return {f"{base.__module__}:{base.__qualname__}" for base in type(model).__mro__}


WORD_VECTORS = "firth.vectors.word_vectors:WordVectors"
SUBWORD_VECTORS = "firth.vectors.subword_vectors:SubwordVectors"
DOCUMENT_VECTORS = "firth.vectors.document_vectors:DocumentVectors"
RUNS = "firth.runs.runs:Runs"
SENSE_VECTORS = "firth.vectors.sense_vectors:SenseVectors"
CORPUS = "firth.corpus.encoded:Corpus"
TEXT_SPACE = "firth.explorer.text_space:TextSpace"
CLASSIFIER = "firth.classify.classifier:Classifier"
LINEAR_CLASSIFIER = "firth.classify.linear_model:LinearModel"
LABEL_MODEL = "firth.neural.models.classification.predict:LabelModel"
LANGUAGE_MODEL = "firth.language.model:LanguageModel"
NEURAL_LANGUAGE_MODEL = "firth.neural.models.language.predict:NeuralLanguageModel"
PRETRAINED_ENCODER = "firth.neural.models.pretraining.encoder_model:PretrainedEncoder"
SENTENCE_ENCODER = "firth.neural.models.sentences.predict:SentenceEncoder"
CONTEXT_MODEL = "firth.neural.models.context2vec.predict:ContextModel"
TAGGER = "firth.neural.models.tagging.predict:TaggerModel"
PARSER = "firth.neural.models.parsers.predict:ParserModel"
PIPELINE = "firth.pipeline.pipeline:PipelineModel"
CHAINS = (
    "firth.neural.models.coreference.predict:CoreferenceModel",
    "firth.neural.models.coreference.predict:SpanCoreferenceModel",
)
TRANSLATOR = "firth.neural.models.translation.predict:TranslationModel"
SUMMARIZER = "firth.neural.models.summaries.predict:SummaryModel"
READER = "firth.neural.models.reading.predict:ReadingModel"

WORDS = (WORD_VECTORS, SUBWORD_VECTORS)
TEXT_ENCODERS = (DOCUMENT_VECTORS, CLASSIFIER, LABEL_MODEL, PRETRAINED_ENCODER, SENTENCE_ENCODER)
LABELS = (CLASSIFIER, LINEAR_CLASSIFIER, LABEL_MODEL)
SUBSTITUTES = (PRETRAINED_ENCODER, CONTEXT_MODEL)
EXPLAINED = (*LABELS, NEURAL_LANGUAGE_MODEL)
