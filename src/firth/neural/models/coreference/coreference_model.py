"""A trained model of coreference of given mentions: chains, scores, saving."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from firth.arguments import explained
from firth.attribute_names import COREFERENCE, no_attribute
from firth.coreference.detection import find_mentions
from firth.documents.document import Document, Span
from firth.errors import OptionError, brief
from firth.neural.models.coreference.chain_model import ChainModel, CoreferenceTest, gold_documents
from firth.neural.models.coreference.cluster_module import ClusterModule
from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.sources import documents_of
from firth.neural.models.tokens.files import reader_arrays, reader_texts
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder
from firth.training_facts import with_training_facts

MENTIONS = ("gold", "predicted", "auto")


class CoreferenceModel(ChainModel):
    """A trained model of the coreference of given mentions, as `firth.Coreference(...).train` returns it.

    Args:
        module: with trained parameters.
        options: of the model.
        reader: how it reads documents.
        metadata: JSON values to save with the model: how it was trained.

    Attributes:
        module: in evaluation mode.
        options: as given.
        reader: as given.
        metadata: as given.
    """

    module: PairModule | ClusterModule

    def __init__(
        self,
        module: PairModule | ClusterModule,
        options: Any,
        reader: PairReader,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.module, self.options, self.reader = module.eval(), options, reader
        self.metadata = with_training_facts(metadata)

    if not TYPE_CHECKING:  # for type checkers an unknown attribute is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(type(self).__name__, name, COREFERENCE, dir(type(self)))

    def __repr__(self) -> str:
        return f"<CoreferenceModel: {self.options.objective}, {len(self.words):,} words>"

    @property
    def words(self) -> Sequence[str]:
        """The V words that are looked up."""
        return self.reader.tokens.words

    @explained
    def predict(
        self,
        documents: Any,
        *,
        mentions: str | Iterable[Span] = "auto",
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Return documents with the chains that the model finds, in place of those there are.

        Args:
            documents: a `firth.Document` or several, or files of them.
            mentions: which mentions are linked: "gold" for those of the document's chains, "predicted" for the noun
                phrases of its trees, "auto" for those of its chains if it has some and of its trees if not; or, of one
                document, spans. Mentions without a partner are chains of one.
            threads: number of threads; None for 1.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Returns:
            A list of documents; of one document, one.

        Raises:
            OptionError: `mentions` is none of these, or a document has no trees to find mentions in.
            ShapeError: a span is outside of the document.
            CorpusError: an item is no document.
        """
        if isinstance(mentions, str) and mentions not in MENTIONS:
            raise OptionError(
                f"mentions={brief(mentions)}: expected 'gold', 'predicted', 'auto', or spans, such as [(0, 2), (5, 6)]"
            )
        if isinstance(documents, Document):
            return next(self._annotated([documents], mentions, threads, progress))
        if not isinstance(mentions, str):
            raise OptionError(
                "spans as mentions of several documents: give one document, or mentions='gold', 'predicted' or 'auto'"
            )
        return list(self._annotated(documents_of(documents), mentions, threads, progress))

    @explained
    def test(
        self, documents: Any, *, seed: int = 0, threads: int | None = None, progress: Progress = None
    ) -> CoreferenceTest:
        """Compare chains with gold chains: with the gold mentions and, if all sentences have trees, with found ones.

        Args:
            documents: documents with gold chains, in any form that `train` reads.
            seed: of the resamples of the confidence intervals.
            threads: number of threads; None for 1.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Raises:
            CorpusError: the source is missing, or no document has a chain.
            FormatError: a file is damaged.
        """
        read = gold_documents(documents)
        gold = self._scored(read, "gold", seed, threads, progress)
        parsed = all(sentence.heads for document in read for sentence in document.sentences)
        return CoreferenceTest(gold, self._scored(read, "predicted", seed, threads, progress) if parsed else None)

    def _chains(self, document: Document, mentions: Any) -> list[list[Span]]:
        spans: Sequence[Span] | None = None
        if mentions == "predicted" or (mentions == "auto" and not document.clusters):
            spans = find_mentions(document)
        elif not isinstance(mentions, str):
            spans = document.annotated(clusters=[[(start, end)] for start, end in set(mentions)]).mentions  # checked
        inputs = self.reader.read(document, spans).to(self.device)
        chains: list[list[Span]] = self.module.chains(inputs)
        return chains

    def _content(self) -> ModelFolder:
        """Return what `save` writes; see `firth.neural.models.coreference.files`."""
        tokens = self.reader.tokens
        return self._model_folder(
            "firth-coreference",
            reader_arrays(tokens),
            reader_texts(tokens),
            {},
            ("A model of coreference", f": {self.options.objective}, {len(self.words):,} words", ""),
        )
