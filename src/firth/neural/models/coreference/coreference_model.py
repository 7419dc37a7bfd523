"""A trained model of coreference of given mentions."""

from collections.abc import Sequence

from firth.coreference.detection import find_mentions
from firth.documents.document import Document, Span
from firth.neural.models.coreference.chain_model import ChainModel
from firth.neural.models.coreference.cluster_module import ClusterModule
from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.tokens.reader import TokenReader


class CoreferenceModel(ChainModel):
    """A trained model of the coreference of given mentions, as `firth.Coreference(...).train` returns it.

    Mentions that are not given are the noun phrases of trees.
    """

    module: PairModule | ClusterModule
    reader: PairReader
    finds_mentions, title = False, "A model of coreference"

    @property
    def tokens(self) -> TokenReader:
        """How it reads words."""
        return self.reader.tokens

    @property
    def _about(self) -> str:
        return str(self.options.objective)

    def _chains(self, document: Document, mentions: Sequence[Span] | None) -> list[list[Span]]:
        spans = find_mentions(document) if mentions is None else mentions
        inputs = self.reader.read(document, spans).to(self.device)
        return self.module.chains(inputs)
