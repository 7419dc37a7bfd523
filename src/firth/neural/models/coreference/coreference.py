"""Coreference of given mentions: mention pairs, mention ranking, cluster merging.

What: a network scores each pair of a mention and an earlier one, over the words of both, features of each and of the
    pair. Ranking also scores that a mention begins a chain, and takes the best of all; pairs are yes-no questions, of
    which the best answer above the threshold is taken. Links make chains. Clusters are merged after a ranking
    (`firth.neural.models.coreference.merging`).
Objective: with m_i the vector of mention i and f_ij the features of a pair,

    h_1 = relu(W_1 m_i + W_2 m_j + W_3 f_ij + c_ij),    h_2 = relu(W_4 h_1 + b_4),    s(i, j) = w . h_2 + d_ij

    where c and d are parameters of the two mentions' classes, and s(i, none) a network of two layers over m_i. The
    losses are those of `firth.neural.models.coreference.pair_training`.
Source: Soon, Ng and Lim 2001, "A machine learning approach to coreference resolution of noun phrases"; Ng and Cardie
    2002 (best first); Durrett and Klein 2013, "Easy victories and uphill battles in coreference resolution"; Clark and
    Manning 2016, "Improving coreference resolution by learning entity-level distributed representations", sections 3.1
    to 3.3.
Departures:
- Two hidden layers of 128 over mentions, where Clark and Manning have three of 1,000, 500 and 500.
- Features of quotations and their speakers, which novels need (`firth.coreference.quotations`).
- Candidates are the nearest mentions and further ones whose head matches; Clark and Manning have all.
- The held-out documents choose a number that is added to the scores of beginning a chain, as they select the epoch.
Cost: (pairs)(F + H) H multiplications per document; LitBank's 80 training documents have 1.2 million pairs.
"""

from typing import ClassVar

from firth.neural.models.coreference.merging import ClusterModule
from firth.neural.models.coreference.pair_module import PairModule
from firth.neural.models.coreference.pair_training import (
    Costs,
    Losses,
    likelihood_losses,
    margin_losses,
    pair_losses,
    train_coreference,
)
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import CHARACTERS, TokenOptions
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.devices import new_parameters
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

OBJECTIVES = ("ranking", "pairs", "clusters")
LOSSES = ("likelihood", "margin")
_MERGING = ("likely", "merging_hidden", "merging_epochs", "merging_lr")


@options_class
class CoreferenceOptions(TokenOptions):
    """Options of models of the coreference of given mentions."""

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
        """Return a module with random parameters; torch's own random state is kept."""
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


@options_class
class Coreference(CoreferenceOptions):
    """Coreference of given mentions, by pairs, ranking or clusters.

    Source:
        Clark and Manning 2016; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "ranking": Preset(
            "Mention ranking (Durrett and Klein 2013; Clark and Manning 2016).", objective="ranking", unused=_MERGING
        ),
        "pairs": Preset(
            "Mention pairs, best first (Soon et al. 2001; Ng and Cardie 2002).",
            objective="pairs",
            unused=("loss", "false_link", "false_new", "wrong_link", *_MERGING),
        ),
        "clusters": Preset("Cluster merging after mention ranking (Clark and Manning 2016).", objective="clusters"),
    }
    common_options: ClassVar = ("objective", "loss", "hidden", "dim", "nearest", "dropout")
    train = train_coreference
