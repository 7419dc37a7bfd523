"""Trained models of coreference: chains for documents, scores with gold and with predicted mentions, saving."""

import abc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, ClassVar

import torch

from firth.arguments import explained
from firth.coreference.detection import find_mentions
from firth.documents.document import Document, Span
from firth.errors import ArgumentTypeError, CorpusError, OptionError, brief, brief_repr, counted
from firth.evaluation.coreference import CoreferenceScores, coreference_intervals, score_coreference
from firth.finite import check_finite
from firth.neural.models.coreference.merging import ClusterModule
from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.sources import documents_of
from firth.neural.models.coreference.span_data import ReadDocument, SpanInputs, collate, pieces, read_document
from firth.neural.models.coreference.span_module import Candidates, SpanModule, decode, spans_of
from firth.neural.models.tokens.reader import TokenReader, reader_field
from firth.neural.saved import SavedModel
from firth.neural.training.devices import no_subnormals, torch_threads
from firth.progress import Progress, Status, reporting_slow_work
from firth.storage.model_folder import ModelFolder

MENTIONS = ("gold", "predicted", "auto")
PIECE = 3000  # tokens whose spans are scored at once
SPANS = "expected 'gold', 'predicted', 'auto', or spans, such as [(0, 2), (5, 6)]"


@dataclass(frozen=True)
class ChainScores:
    """Scores of chains with one kind of mentions.

    Attributes:
        mentions: "gold" or "predicted".
        scores: of all documents.
        intervals: 95 % bootstrap intervals over documents of the F1 of each measure but BLANC, and of "conll".
    """

    mentions: str
    scores: CoreferenceScores
    intervals: dict[str, tuple[float, float]]

    __repr__ = brief_repr

    def __str__(self) -> str:
        table = [f"{'':8}  {'R':>6}  {'P':>6}  {'F1':>6}  95 %"]
        for name in ("muc", "b_cubed", "ceaf_e", "ceaf_m", "lea", "blanc", "mentions"):
            score = getattr(self.scores, name)
            figures = "  ".join(f"{100 * share:6.2f}" for share in (score.recall, score.precision, score.f1))
            table.append(f"{name:8}  {figures}  {self._interval(name)}".rstrip())
        table.append(f"{'conll':24}  {100 * self.scores.conll:6.2f}  {self._interval('conll')}")
        last = "conll: mean of muc, b_cubed and ceaf_e; 95 % intervals of F1 over documents"
        head = f"{self.mentions} mentions, {counted(self.scores.documents, 'document')}"
        return "\n".join([head, *table, last])

    def _interval(self, name: str) -> str:
        low, high = self.intervals.get(name, (None, None))
        return "" if low is None or high is None else f"{100 * low:.2f} to {100 * high:.2f}"


@dataclass(frozen=True)
class CoreferenceTest:
    """Scores of a model of coreference.

    Attributes:
        gold: with the gold mentions.
        predicted: with mentions that were found; None where none could be.
    """

    gold: ChainScores
    predicted: ChainScores | None

    def __str__(self) -> str:
        return "\n\n".join(str(scores) for scores in (self.gold, self.predicted) if scores is not None)


class ChainModel(SavedModel):
    """A trained model of coreference.

    Attributes:
        module: in evaluation mode.
        options: of the model.
        tokens: how it reads words.
        metadata: JSON values: how it was trained.
        finds_mentions: whether it finds mentions in words alone, and needs neither chains nor trees.
    """

    kind: ClassVar = "firth-coreference"
    what: ClassVar = "a model of coreference"
    saved_fields: ClassVar = (reader_field("tokens"),)
    finds_mentions: ClassVar[bool]
    title: ClassVar[str]  # of the card
    tokens: TokenReader

    @property
    @abc.abstractmethod
    def _about(self) -> str:
        """What it does, in a few words."""

    @abc.abstractmethod
    def _chains(self, document: Document, mentions: Sequence[Span] | None) -> Sequence[Sequence[Span]]:
        """Return the chains of a document of at least one token, also those of one mention."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._about}, {len(self.words):,} words>"

    @property
    def words(self) -> Sequence[str]:
        """The V words that are looked up."""
        return self.tokens.words

    @explained
    def predict(
        self,
        documents: Any,
        *,
        mentions: str | Iterable[Span] = "auto",
        singletons: bool | None = None,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Return documents with the chains that the model finds, in place of those there are.

        Args:
            documents: a `firth.Document` or several, or files of them.
            mentions: which mentions are linked: "gold" for those of the document's chains, "predicted" for those that
                an end-to-end model finds, or the noun phrases of the document's trees, or, of one document, spans.
                "auto" is "predicted" for an end-to-end model; for others it is "gold" if the document has chains.
            singletons: whether mentions without a partner are chains of one; by default those of found mentions are if
                the training documents have such chains, and those of given mentions always are.

        Returns:
            A list of documents; of one document, one.

        Raises:
            OptionError: `mentions` or `singletons` is none of these, or a document has no trees to find mentions in.
            ShapeError: a span is outside of the document.
            CorpusError: an item is no document.
        """
        if isinstance(mentions, str) and mentions not in MENTIONS:
            raise OptionError(f"mentions={brief(mentions)}: {SPANS}")
        if singletons not in (None, True, False):
            raise OptionError(f"singletons={brief(singletons)}: expected True, False or None")
        if isinstance(documents, Document):
            return next(self._annotated([documents], mentions, singletons, threads, progress))
        if not isinstance(mentions, str):
            raise OptionError(
                "spans as mentions of several documents: give one document, or mentions='gold', 'predicted' or 'auto'"
            )
        return list(self._annotated(documents_of(documents), mentions, singletons, threads, progress))

    @explained
    def test(
        self, documents: Any, *, seed: int = 0, threads: int | None = None, progress: Progress = None
    ) -> CoreferenceTest:
        """Compare chains with gold chains: with the gold mentions and with found ones.

        A model that links noun phrases finds mentions where all sentences have trees.

        Args:
            documents: documents with gold chains, in any form that `train` reads.
            seed: of the resamples of the confidence intervals.

        Raises:
            CorpusError: the source is missing, or no document has a chain.
            FormatError: a file is damaged.
        """
        read = gold_documents(documents)
        gold = self._scored(read, "gold", seed, threads, progress)
        finds = self.finds_mentions or all(sentence.heads for document in read for sentence in document.sentences)
        return CoreferenceTest(gold, self._scored(read, "predicted", seed, threads, progress) if finds else None)

    @torch.no_grad()
    def _annotated(
        self, documents: Sequence[Document], mentions: Any, singletons: bool | None, threads: int | None,
        progress: Progress,
    ) -> Iterator[Document]:  # fmt: skip
        with reporting_slow_work(progress) as report, torch_threads(threads), no_subnormals():
            for number, document in enumerate(documents, 1):
                given = self._given(document, mentions)
                chains = self._chains(document, given) if len(document) else ()
                keeps = singletons
                if keeps is None:
                    keeps = given is not None or bool(self.options.singletons)
                yield document.annotated(clusters=[chain for chain in chains if keeps or len(chain) > 1])
                report(Status(stage="resolving", done=number, total=len(documents), unit="documents"))

    def _given(self, document: Document, mentions: Any) -> Sequence[Span] | None:
        """Return the mentions to link, or None if they are to be found."""
        if mentions == "auto":
            mentions = "gold" if document.clusters and not self.finds_mentions else "predicted"
        if mentions == "predicted":
            return None
        if mentions == "gold":
            return document.mentions
        try:
            spans = {(index(start), index(end)) for start, end in mentions}
        except (TypeError, ValueError):
            raise ArgumentTypeError(f"mentions={brief(mentions)}: {SPANS}") from None
        return document.annotated(clusters=[[span] for span in spans]).mentions  # checked

    def _scored(
        self, documents: Sequence[Document], mentions: str, seed: int, threads: int | None, progress: Progress
    ) -> ChainScores:
        predicted = [item.clusters for item in self._annotated(documents, mentions, None, threads, progress)]
        gold = [document.clusters for document in documents]
        intervals = coreference_intervals(gold, predicted, seed=seed)
        return ChainScores(mentions, score_coreference(gold, predicted), intervals)

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        module: torch.nn.Module = options.build(*values, 0)
        return module

    def _card(self) -> tuple[str, str, str]:
        return self.title, f": {self._about}, {len(self.words):,} words", ""


def gold_documents(source: Any) -> list[Document]:
    """Return documents with gold chains."""
    documents = documents_of(source)
    if not any(document.clusters for document in documents):
        raise CorpusError(
            f"{counted(len(documents), 'document')} without coreference chains; expected gold chains to compare with"
        )
    return documents


class CoreferenceModel(ChainModel):
    """A trained model of the coreference of given mentions, as `firth.Coreference(...).train` returns it.

    Mentions that are not given are the noun phrases of trees.
    """

    module: PairModule | ClusterModule
    finds_mentions, title = False, "A model of coreference"

    @cached_property
    def reader(self) -> PairReader:
        """How it reads documents."""
        return PairReader(self.tokens, self.options.candidates, self.options.matching)

    @property
    def _about(self) -> str:
        return str(self.options.objective)

    def _chains(self, document: Document, mentions: Sequence[Span] | None) -> list[list[Span]]:
        spans = find_mentions(document) if mentions is None else mentions
        inputs = self.reader.read(document, spans).to(self.device)
        return self.module.chains(inputs)


class SpanCoreferenceModel(ChainModel):
    """A trained end-to-end model of coreference, as `firth.SpanCoreference(...).train` returns it."""

    module: SpanModule
    finds_mentions, title = True, "End-to-end coreference"

    @property
    def _about(self) -> str:
        return f"spans of up to {self.options.max_width} words"

    def _chains(self, document: Document, mentions: Sequence[Span] | None) -> list[list[Span]]:
        read = read_document(document, self.tokens, self.options.max_width)
        gold = None if mentions is None else sorted(mentions)
        parts, first = [], 0
        for piece in pieces(read, PIECE):
            inputs = self._collated(read, piece)
            parts.append(self._candidates(read, inputs, first, gold))
            first += len(inputs.forms)
        candidates = Candidates(*map(torch.cat, zip(*parts, strict=True)))
        if not len(candidates.starts):
            return []
        links = self.module.links(candidates, self._collated(read))
        check_finite(links.scores.cpu(), self, candidates.starts.tolist(), "a document, span", impossible=True)
        chains = decode(candidates, links, singletons=True, every=gold is not None)
        spans = spans_of(candidates) if gold is None else gold
        return [[spans[number] for number in chain] for chain in chains]

    def _candidates(
        self, read: ReadDocument, inputs: SpanInputs, first: int, gold: Sequence[Span] | None
    ) -> Candidates:
        spans = self.module.spans(inputs)
        numbers = range(first, first + len(spans.scores))
        check_finite(spans.scores.cpu(), self, numbers, "a document, token", first=first, impossible=True)
        if gold is None:
            starts, widths = self.module.pruned(spans)
        else:
            # A mention longer than L words is read as its first L; given ones all count as mentions.
            last = first + len(inputs.forms)
            inside = [(start, end) for start, end in gold if first <= start < last]
            sizes = [min(end - start, self.options.max_width, int(read.left[start])) - 1 for start, end in inside]
            starts = torch.tensor([start - first for start, _ in inside], dtype=torch.int64, device=self.device)
            widths = torch.tensor(sizes, dtype=torch.int64, device=self.device)
        starts, widths, scores, vectors = self.module.candidates(spans, inputs, starts, widths)
        return Candidates(starts + first, widths, scores if gold is None else scores.clamp(min=0), vectors)

    def _collated(self, read: ReadDocument, part: slice = slice(None)) -> SpanInputs:
        return collate(read, self.tokens, self.options.max_width, part).to(self.device)


def restore(content: ModelFolder) -> ChainModel:
    """Return the model of a folder."""
    kind = SpanCoreferenceModel if content.config.get("model") == "SpanCoreference" else CoreferenceModel
    return kind.restore(content)
