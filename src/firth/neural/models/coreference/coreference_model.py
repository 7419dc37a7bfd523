"""A trained model of coreference of given mentions: chains, scores, saving."""

from collections.abc import Mapping, Sequence
from typing import Any

from firth.coreference.detection import find_mentions
from firth.documents.document import Document, Span
from firth.neural.models.coreference.chain_model import ChainModel
from firth.neural.models.coreference.cluster_module import ClusterModule
from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.tokens.files import reader_arrays, reader_texts
from firth.storage.model_folder import ModelFolder
from firth.training_facts import with_training_facts


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
    finds_mentions = False

    def __init__(
        self,
        module: PairModule | ClusterModule,
        options: Any,
        reader: PairReader,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.module, self.options, self.reader = module.eval(), options, reader
        self.metadata = with_training_facts(metadata)

    def __repr__(self) -> str:
        return f"<CoreferenceModel: {self.options.objective}, {len(self.words):,} words>"

    @property
    def words(self) -> Sequence[str]:
        """The V words that are looked up."""
        return self.reader.tokens.words

    def _chains(self, document: Document, mentions: Sequence[Span] | None) -> list[list[Span]]:
        spans = find_mentions(document) if mentions is None else mentions
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
