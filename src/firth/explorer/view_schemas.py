"""Requests and responses of the page, with the limits of `firth.explorer.schemas`."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from firth.explorer.schemas import MOST_WORDS, Neighbor, Request, Response, Results, Text, Word, Words


class MapRequest(Request):
    """A map of a model's first words."""

    method: Annotated[Literal["pca", "umap", "tsne"], Field(description="projection onto the plane")] = "pca"
    n: Annotated[int, Field(ge=3, le=200_000, description="number of words, from the most frequent")] = 50_000


class WordsRequest(Request):
    """How many of a model's words are wanted."""

    n: Annotated[int, Field(ge=1, le=200_000, description="number of words, from the most frequent")] = 1_000


class WordsResponse(Response):
    """The first words of a model with their counts, and how many it has."""

    words: list[str]
    counts: list[int] | None
    total: int


class MapColumn(BaseModel):
    """A column of the words or texts: numbers (float64), or indices (uint16) into its names."""

    name: str
    values: str
    names: list[str] | None = None


class MapResponse(Response):
    """Words, or the beginnings of texts, with their positions; or that these are being computed: ask again.

    Numbers are base64 of little-endian bytes: float32 x and y by turns, uint8 groups, float64 counts.
    """

    ready: bool
    method: str
    caption: str = ""
    words: list[str] = Field(default_factory=list)
    places: str = ""
    groups: str = ""
    group_names: list[str] = Field(default_factory=list)
    counts: str | None = None
    columns: list[MapColumn] = Field(default_factory=list)


class SearchRequest(Request):
    """A text, or the row of one that is known, and how many texts of like meaning are wanted."""

    text: Annotated[Text | None, Field(description="new text")] = None
    row: Annotated[int | None, Field(ge=0, lt=2**31, description="of a text of the map")] = None
    n: Results = 10


class FoundText(BaseModel):
    """A text, its row on the map, and its cosine."""

    row: int
    text: str
    similarity: float


class SearchResponse(Response):
    """The texts of nearest meaning, best first, and the text of the requested row."""

    text: str
    results: list[FoundText]


class AxesRequest(Request):
    """Two poles of one axis, and of another, which may be left out."""

    first: Words
    second: Words
    third: Annotated[list[Word], Field(max_length=MOST_WORDS)] = Field(default_factory=list)
    fourth: Annotated[list[Word], Field(max_length=MOST_WORDS)] = Field(default_factory=list)
    n: Annotated[int, Field(ge=1, le=200_000, description="number of words, from the most frequent")] = 50_000


class AxesResponse(Response):
    """Cosines of the first words with one axis or two, packed as in a map; positive: nearer to the second pole."""

    names: list[str]
    places: str
    missing: list[str]


class WordRequest(Request):
    """A word."""

    word: Word
    n: Results = 10


class Interval(BaseModel):
    """A figure, the mean over runs, with its 95 % interval; null where less than two runs have it."""

    value: float
    low: float | None
    high: float | None


class NeighborInterval(Interval):
    """A word and its cosine, and the share of the runs in which it is among the ten nearest."""

    word: str
    share: float


class NeighborIntervalsResponse(Response):
    """The words nearest to a word over several runs; or spellings that are known."""

    word: str
    known: bool
    runs: int
    neighbors: list[NeighborInterval] = Field(default_factory=list)
    suggestions: list[str] = Field(default_factory=list)


class SimilarityIntervalsResponse(Response):
    """Cosines of all pairs over several runs; null where no run has both words."""

    words: list[str]
    runs: int
    similarities: list[list[Interval | None]]


class SenseOfWord(BaseModel):
    """A sense, its share of the occurrences, and its neighbours."""

    number: int
    share: float
    label: str | None
    neighbors: list[Neighbor]


class SensesResponse(Response):
    """The senses of a word."""

    senses: list[SenseOfWord]


class ContextsRequest(WordRequest):
    """A word, and how much of its sentences is wanted."""

    width: Annotated[int, Field(ge=1, le=50, description="words on either side")] = 8


class Context(BaseModel):
    """A word in its sentence."""

    sentence: int
    before: list[str]
    after: list[str]


class ContextsResponse(Response):
    """Evenly spaced occurrences of a word, and how many there are."""

    occurrences: int
    contexts: list[Context]


class ConcordanceRequest(Request):
    """A word, a phrase or a pattern, and a page of its occurrences."""

    query: Annotated[Word, Field(description="a word, a phrase, or a pattern with *, ? and |")]
    sort: Annotated[Literal["file", "left", "right"], Field(description="order: of the text, or by a side")] = "file"
    window: Annotated[int, Field(ge=1, le=50, description="words on either side")] = 8
    page: Annotated[int, Field(ge=0, le=10_000, description="number of the page, from 0")] = 0
    n: Annotated[Results, Field(description="occurrences of a page")] = 50


class OccurrenceInText(BaseModel):
    """An occurrence as it is written, and where: a file below the folder of all, and a line."""

    file: str
    line: int
    before: str
    match: str
    after: str
    sentence: str


class FormCount(BaseModel):
    """A form that was found, and how often."""

    form: str
    count: int


class ConcordanceResponse(Response):
    """A page of a concordance, and what is known of the others."""

    found: Annotated[int, Field(description="occurrences so far; of all of the text if `complete`")]
    complete: bool
    more: Annotated[bool, Field(description="whether another page follows")]
    kept: Annotated[int, Field(description="occurrences of which there are pages")]
    files: Annotated[int, Field(description="with an occurrence so far")]
    unit: Annotated[str, Field(description="what `files` counts")]
    notes: Annotated[list[str], Field(description="what is to be known of the text, such as that it has changed")]
    forms: list[FormCount]
    rows: list[OccurrenceInText]


class ChangesRequest(BaseModel):
    """Two models whose words are compared."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    old: Word
    new: Word
    n: Annotated[int, Field(ge=1, le=200, description="words that moved most")] = 30
    min_count: Annotated[int, Field(ge=1, le=2**31, description="minimum count of a word in each text")] = 1
    word: Annotated[Word | None, Field(description="this word only")] = None


class Change(BaseModel):
    """Change of a word between two models, and its neighbours in both."""

    word: str
    distance: float
    neighbourhood: float
    kept: float
    old: list[str]
    new: list[str]
    counts: Annotated[list[int] | None, Field(description="in the old text and in the new one")] = None


class ChangesResponse(BaseModel):
    """The words that moved most between two models, after one was turned onto the other."""

    words: int
    kept: Annotated[float, Field(description="share of neighbours that words keep, the mean")]
    changes: list[Change]


class BiasRequest(Request):
    """Two sets of targets and two of attributes; or the name of a test of Caliskan et al. 2017."""

    test: Annotated[Word | None, Field(description="such as weat-6")] = None
    targets: Annotated[list[Annotated[list[Word], Field(max_length=MOST_WORDS)]], Field(max_length=2)] = Field(
        default_factory=list
    )
    attributes: Annotated[list[Annotated[list[Word], Field(max_length=MOST_WORDS)]], Field(max_length=2)] = Field(
        default_factory=list
    )

    @model_validator(mode="after")
    def _is_complete(self) -> "BiasRequest":
        sets = [*self.targets, *self.attributes]
        if self.test is None and not (len(self.targets) == len(self.attributes) == 2 and all(sets)):
            raise ValueError("expected test, or two sets of targets and two of attributes, none of them empty")
        return self


class BiasResponse(Response):
    """An association of targets with attributes (WEAT)."""

    name: str
    effect: float | None
    low: float | None
    high: float | None
    p: float | None
    words: int
    missing: list[str]
    by_word: dict[str, float]
    notes: list[str]


class ExplainRequest(Request):
    """A text whose label, or next word, is explained."""

    text: Annotated[Text, StringConstraints(min_length=1)]
    target: Word | None = None
    method: Literal["integrated-gradients", "gradient-x-input", "jacobian", "leave-one-out"] = "integrated-gradients"


class TokenScore(BaseModel):
    """Contribution of a token."""

    token: str
    score: float


class ExplainResponse(Response):
    """Tokens with their scores: positive for the target."""

    target: str
    probability: float
    tokens: list[TokenScore]
