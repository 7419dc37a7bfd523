"""Options of models of the coreference of given mentions."""

from typing import ClassVar

from firth.neural.models.coreference.cluster_module import ClusterModule
from firth.neural.models.coreference.objectives import Costs, likelihood_losses, margin_losses, pair_losses
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.pair_task import Losses
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import CHARACTERS, TokenOptions
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.devices import new_parameters
from firth.neural.training.options import TrainingOptions
from firth.options import option, options_class
from firth.vectors.word_vectors import WordVectors

OBJECTIVES = ("ranking", "pairs", "clusters")
LOSSES = ("likelihood", "margin")


@options_class
class CoreferenceOptions(TokenOptions):
    """Options of models of the coreference of given mentions.

    Raises:
        OptionError: an option is out of its range.
    """

    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=1, optimiser="adamw", lr=0.001, schedule="linear", clip_norm=5.0
    )

    objective: str = option(
        "ranking",
        "what is learned: ranking of antecedents, pairs, or clusters (merging after ranking)",
        choices=OBJECTIVES,
    )
    loss: str = option(
        "likelihood", "loss of ranking: likelihood of all right antecedents, or slack-rescaled margin", choices=LOSSES
    )
    false_link: float = option(
        0.0, "cost of an antecedent for a mention that has none; with loss=margin rather 0.8", minimum=0
    )
    false_new: float = option(1.0, "cost of none for a mention that has one", minimum=0)
    wrong_link: float = option(1.0, "cost of an antecedent in another chain", minimum=0)
    hidden: int = option(128, "width of the hidden layers", minimum=1)
    dropout: float = option(0.4, "dropout of words and hidden layers", minimum=0, maximum=0.99)
    nearest: int = option(60, "candidate antecedents: so many mentions right before", minimum=1)
    matching: int = option(20, "and so many further ones whose head matches", minimum=0)
    likely: int = option(
        5,
        "antecedents of a mention, the best ones, whose clusters it may be merged with, with objective=clusters",
        minimum=1,
    )
    merging_hidden: int = option(64, "width of the hidden layer over pooled pairs, with objective=clusters", minimum=1)
    merging_epochs: int = option(5, "epochs over clusters, after those of the ranking", minimum=1)
    merging_lr: float = option(0.001, "highest learning rate of these epochs", minimum=0, exclusive=True)
    dim: int = option(50, "width of the word vectors that are trained; given vectors decide it if tuned", minimum=1)
    singletons: bool | None = option(
        None, "whether found mentions without a partner are chains of one; default: as in the training documents"
    )
    characters: str = option(
        "none", "vectors of words from their characters: by a CNN, an LSTM, or none", choices=CHARACTERS
    )
    min_count: int = option(3, "minimum count of a word; rarer ones are unknown", minimum=1)

    def losses(self) -> Losses:
        """Return the function of the losses of mentions."""
        if self.objective == "pairs":
            return pair_losses
        costs = Costs(self.false_link, self.false_new, self.wrong_link)
        chosen = margin_losses if self.loss == "margin" else likelihood_losses
        return lambda table, gold: chosen(table, gold, costs)

    def build(
        self, reader: TokenReader, seed: int, vectors: WordVectors | None = None, *, copies: int = 1
    ) -> PairModule | ClusterModule:
        """Return a module with random parameters; torch's own random state is kept.

        Args:
            reader: the words.
            seed: of the parameters.
            vectors: to start from.
            copies: numbers in memory per parameter: 1, or 2 in training.

        Raises:
            OptionError: the model needs more memory than this machine has, or no word has a vector.
        """
        ranker = self.build_ranker(reader, seed, vectors, copies=copies)
        return self.build_clusters(ranker, seed) if self.objective == "clusters" else ranker

    def build_ranker(
        self, reader: TokenReader, seed: int, vectors: WordVectors | None = None, *, copies: int = 1
    ) -> PairModule:
        """Return a module that scores pairs; the arguments are those of `build`."""
        with new_parameters(seed, copies):
            embedder = TokenEmbedder(self, reader, vectors, seed=seed)
            return PairModule(embedder, hidden=self.hidden, dropout=self.dropout, ranks=self.objective != "pairs")

    def build_clusters(self, ranker: PairModule, seed: int) -> ClusterModule:
        """Return a module that merges clusters, over a ranker that stays as it is."""
        with new_parameters(seed, 1):
            return ClusterModule(ranker, hidden=self.merging_hidden, likely=self.likely)
