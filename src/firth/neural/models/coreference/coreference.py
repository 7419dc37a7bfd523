"""Coreference of given mentions: mention pairs, mention ranking, cluster merging.

What: a network scores each pair of a mention and an earlier one, over the words of both, features of each and of the
    pair. Ranking also scores that a mention begins a chain, and takes the best of all; pairs are yes-no questions, of
    which the best answer above the threshold is taken. Links make chains. Clusters are merged after a ranking
    (`firth.neural.models.coreference.merging`).
Objective: with m_i the vector of mention i and f_ij the features of a pair,

    h_1 = relu(W_1 m_i + W_2 m_j + W_3 f_ij + c_ij),    h_2 = relu(W_4 h_1 + b_4),    s(i, j) = w . h_2 + d_ij

    where c and d are parameters of the two mentions' classes, and s(i, none) a network of two layers over m_i. The
    losses are those of `firth.neural.models.coreference.objectives`.
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

from firth.neural.models.coreference.options import CoreferenceOptions
from firth.neural.models.coreference.pair_train import train_coreference
from firth.options import Preset, options_class

_MERGING = ("likely", "merging_hidden", "merging_epochs", "merging_lr")


@options_class
class Coreference(CoreferenceOptions):
    """Coreference of given mentions, by pairs, ranking or clusters.

    Raises:
        OptionError: an option is out of its range.

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
