"""Requests and responses of the server: one class per address, with limits that keep requests small.

Each class is read from the address (`?words=king&words=queen`) or from a JSON object. Unknown fields are refused.
Texts with lone surrogates are refused, which no answer could hold.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

MOST_WORDS = 100  # words in a request
MOST_TEXTS = 64
LONGEST_WORD = 1_000  # characters
LONGEST_TEXT = 20_000
MOST_INPUTS = 2_048  # per request to the OpenAI-compatible API; the same limit as OpenAI's
MOST_RESULTS = 1_000
LONGEST_GENERATED = 500  # tokens
MOST_NEIGHBORS = 20_000  # neighbours of all words of a request


def _writable(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a lone surrogate; expected characters") from None
    return text


Word = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORD), AfterValidator(_writable)]
Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT), AfterValidator(_writable)]
Words = Annotated[list[Word], Field(min_length=1, max_length=MOST_WORDS)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)]
Results = Annotated[int, Field(ge=1, le=MOST_RESULTS)]


class Request(BaseModel):
    """Fields of all requests."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    model: Annotated[Word | None, Field(description="name of a model; default: the first that can answer")] = None


class Response(BaseModel):
    """Fields of all responses."""

    model: Annotated[str, Field(description="name of the model that answers")]


# Words


class NeighborsRequest(Request):
    """Words whose neighbours are wanted."""

    words: Words
    n: Annotated[Results, Field(description="neighbours of each word")] = 10
    among: Annotated[
        int | None, Field(ge=1, le=2**31, description="number of words to search, from the most frequent")
    ] = None

    @model_validator(mode="after")
    def _is_small(self) -> "NeighborsRequest":
        if len(self.words) * self.n > MOST_NEIGHBORS:
            raise ValueError(
                f"{len(self.words)} words with {self.n} neighbours each: expected {MOST_NEIGHBORS:,} in all"
            )
        return self


class Neighbor(BaseModel):
    """A word and its cosine."""

    word: str
    similarity: float


class NeighborsOfWord(BaseModel):
    """The neighbours of one word, best first; or spellings that are known."""

    word: str
    known: bool
    neighbors: list[Neighbor] = []
    suggestions: list[str] = []


class NeighborsResponse(Response):
    """Neighbours by word, as they were asked."""

    results: list[NeighborsOfWord]


class AnalogyRequest(Request):
    """The sum of some words without others."""

    positive: Words
    negative: Annotated[list[Word], Field(max_length=MOST_WORDS)] = []
    n: Results = 10


class AnalogyResponse(Response):
    """The words nearest to a sum, best first."""

    neighbors: list[Neighbor]


class SimilarityRequest(Request):
    """Words that are compared with one another."""

    words: Annotated[list[Word], Field(min_length=2, max_length=MOST_WORDS)]


class SimilarityResponse(Response):
    """Cosines of all pairs; null where a word is unknown."""

    words: list[str]
    similarities: list[list[float | None]]


# Texts


class TextsRequest(Request):
    """Texts to read."""

    texts: Texts


class AnnotateRequest(TextsRequest):
    """Texts to annotate; the language, such as "de", decides about abbreviations and ordinals."""

    language: str | None = None


class EncodeResponse(Response):
    """A vector for each text."""

    vectors: list[list[float]]


class ClassifyRequest(TextsRequest):
    """Texts to label."""

    n: Annotated[Results, Field(description="labels of each text")] = 1


class Label(BaseModel):
    """A label and its probability."""

    label: str
    probability: float


class ClassifyResponse(Response):
    """Labels by text, the most probable first."""

    results: list[list[Label]]


class Surprisal(BaseModel):
    """Log-probabilities of the tokens of a text."""

    tokens: list[str]
    log_probs: Annotated[list[float | None], Field(description="natural logarithms; null for minus infinity")]
    perplexity: float | None


class ScoreResponse(Response):
    """Scores by text."""

    results: list[Surprisal]


class NextRequest(Request):
    """The start of a text."""

    prompt: Text = ""
    n: Results = 10


class NextWord(BaseModel):
    """A word and its probability."""

    word: str
    probability: float


class NextResponse(Response):
    """The most probable next words."""

    words: list[NextWord]


class GenerateRequest(Request):
    """The start of texts, and how they go on."""

    prompt: Text = ""
    n: Annotated[int, Field(ge=1, le=16, description="texts")] = 1
    search: Literal["sample", "greedy", "beam"] = "sample"
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    max_length: Annotated[int, Field(ge=1, le=LONGEST_GENERATED, description="tokens, at most")] = 50
    min_length: Annotated[int, Field(ge=0, lt=LONGEST_GENERATED)] = 0
    temperature: Annotated[float | None, Field(ge=0, le=1000)] = None
    top_k: Annotated[int | None, Field(ge=1, le=2**31)] = None
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    min_p: Annotated[float, Field(ge=0, le=1)] = 0.0
    repetition_penalty: Annotated[float, Field(ge=1, le=1000)] = 1.0


class GenerateResponse(Response):
    """Texts with their start."""

    texts: list[str]


class AnnotateResponse(BaseModel):
    """A document for each text, as `firth annotate` writes them in JSON lines, and the models that annotated."""

    models: list[str]
    documents: list[dict[str, object]]


class TranslateRequest(TextsRequest):
    """Texts to translate."""

    beam: Annotated[int, Field(ge=1, le=16)] = 5
    attention: Annotated[bool, Field(description="whether attention is returned, too, if the model has it")] = False


class Attention(BaseModel):
    """Attention weights from the tokens of the answer, and its end, to those of the source, and its end."""

    source: list[str]
    target: list[str]
    weights: list[list[float]]


class TextsResponse(Response):
    """A text for each text."""

    texts: list[str]
    attention: Annotated[list[Attention | None] | None, Field(description="null for an empty text")] = None


class AnswerRequest(Request):
    """A question about a paragraph."""

    question: Annotated[Text, StringConstraints(min_length=1)]
    paragraph: Annotated[Text, StringConstraints(min_length=1)]
    n: Annotated[int, Field(ge=1, le=20, description="answers")] = 1


class Answer(BaseModel):
    """A part of the paragraph."""

    text: str
    start: int
    end: int
    probability: float


class AnswerResponse(Response):
    """Answers, the most probable first; an empty text means that there is none."""

    answers: list[Answer]


class SubstitutesRequest(Request):
    """A text with `[]` in place of a word."""

    text: Annotated[Text, StringConstraints(min_length=1)]
    n: Results = 10


# In the form of OpenAI's API


def _inputs(given: Any) -> Any:
    """Return one text or several as a list."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list):
        raise ValueError("expected a text or a list of texts")
    if any(isinstance(item, int | list) for item in given):
        raise ValueError(
            "token ids, which are those of another model's tokeniser; expected a text or a list of texts "
            "(LangChain sends them with check_embedding_ctx_length=False)"
        )
    return given


Inputs = Annotated[
    list[Text],
    Field(min_length=1, max_length=MOST_INPUTS),
    BeforeValidator(_inputs),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "maxLength": LONGEST_TEXT},
                {
                    "type": "array",
                    "items": {"type": "string", "maxLength": LONGEST_TEXT},
                    "minItems": 1,
                    "maxItems": MOST_INPUTS,
                },
            ]
        }
    ),
]


class EmbeddingsRequest(Request):
    """Texts whose vectors are wanted."""

    input: Annotated[Inputs, Field(description="a text or several")]
    encoding_format: Annotated[
        Literal["float", "base64"], Field(description="numbers, or base64 of little-endian float32")
    ] = "float"
    dimensions: Annotated[int | None, Field(ge=1, le=2**31, description="number of leading dimensions to return")] = (
        None
    )
    user: Annotated[str | None, Field(description="not read")] = None


class Embedding(BaseModel):
    """The vector of a text, and which of them it is, from 0."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class Usage(BaseModel):
    """Size of the input, in words between spaces: models have tokens of many kinds."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingsResponse(Response):
    """A vector for each text, in their order."""

    object: Literal["list"] = "list"
    data: list[Embedding]
    usage: Usage


class OpenAIModel(BaseModel):
    """A model that gives vectors of texts."""

    id: str
    object: Literal["model"] = "model"
    created: Annotated[int, Field(description="when the server opened it, in seconds since 1970")]
    owned_by: Literal["firth"] = "firth"


class OpenAIModels(BaseModel):
    """The models that give vectors of texts."""

    object: Literal["list"] = "list"
    data: list[OpenAIModel]


class OpenAIError(BaseModel):
    """An error of a request: the field, and the kind of error."""

    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIErrorResponse(BaseModel):
    """Why a request was not answered."""

    error: OpenAIError


# About the server


class ModelScore(BaseModel):
    """A result of an evaluation."""

    set: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None


class ModelInfo(BaseModel):
    """A model, and which addresses it answers."""

    name: str
    kind: str
    description: str
    answers: list[str]
    scores: list[ModelScore]


class InfoResponse(BaseModel):
    """The models that are served."""

    version: str
    models: list[ModelInfo]


class HealthResponse(BaseModel):
    """Whether the server works."""

    status: Literal["ok"]


class ErrorResponse(BaseModel):
    """An error: the problem of a request, or the reason why it has no answer."""

    error: str
