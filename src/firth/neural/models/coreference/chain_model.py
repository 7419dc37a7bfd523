"""What trained models of coreference share: chains for documents, scores with gold and with predicted mentions."""

import abc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from firth.documents.document import Document
from firth.errors import CorpusError
from firth.evaluation.coreference import CoreferenceScores, coreference_intervals, score_coreference
from firth.neural.models.coreference.sources import documents_of
from firth.neural.module_files import SavedModel
from firth.neural.training.devices import no_subnormals, torch_threads
from firth.progress import Progress, Status, reporting_slow_work


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

    def __str__(self) -> str:
        low, high = self.intervals["conll"]
        lines = str(self.scores).split("\n")
        lines[-1] += f"   95 % {100 * low:.2f} to {100 * high:.2f}"
        low, high = self.intervals["b_cubed"]
        lines[1] += f"   95 % {100 * low:.2f} to {100 * high:.2f}"
        return "\n".join([f"{self.mentions} mentions, {self.scores.documents:,} documents", *lines])


@dataclass(frozen=True)
class CoreferenceTest:
    """Scores of a model of coreference.

    Attributes:
        gold: with the gold mentions; None for a model that finds its own.
        predicted: with mentions that were found; None where none could be.
    """

    gold: ChainScores | None
    predicted: ChainScores | None

    def __str__(self) -> str:
        return "\n\n".join(str(each) for each in (self.gold, self.predicted) if each is not None)


class ChainModel(SavedModel):
    """A trained model of coreference."""

    @abc.abstractmethod
    def _chains(self, document: Document, mentions: Any) -> Sequence[Sequence[tuple[int, int]]]:
        """Return the chains of a document of at least one token."""

    @torch.no_grad()
    def _annotated(
        self, documents: Sequence[Document], mentions: Any, threads: int | None, progress: Progress
    ) -> Iterator[Document]:
        with reporting_slow_work(progress) as report, torch_threads(threads), no_subnormals():
            for number, document in enumerate(documents, 1):
                chains = self._chains(document, mentions) if len(document) else ()
                yield document.annotated(clusters=chains)
                report(Status(stage="resolving", done=number, total=len(documents), unit="documents"))

    def _scored(
        self, documents: Sequence[Document], mentions: Any, seed: int, threads: int | None, progress: Progress
    ) -> ChainScores:
        found = [each.clusters for each in self._annotated(documents, mentions, threads, progress)]
        gold = [document.clusters for document in documents]
        kind = "gold" if mentions == "gold" else "predicted"
        return ChainScores(kind, score_coreference(gold, found), coreference_intervals(gold, found, seed=seed))


def gold_documents(source: Any) -> list[Document]:
    """Return documents with gold chains.

    Raises:
        CorpusError: none has a chain.
    """
    documents = documents_of(source)
    if not any(document.clusters for document in documents):
        raise CorpusError(
            f"{len(documents):,} documents without coreference chains; expected gold chains to compare with"
        )
    return documents
