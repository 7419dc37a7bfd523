"""Coreference of given mentions: mention pairs, mention ranking, cluster merging.

What: a network scores each pair of a mention and an earlier one, over the words of both, features of each and of the
    pair. Ranking also scores that a mention begins a chain, and takes the best of all; pairs are yes-no questions, of
    which the best answer above the threshold is taken. Links make chains. Clusters are merged after a ranking
    (`firth.neural.models.coreference.merging`).
Objective: with m_i the vector of mention i and f_ij the features of a pair,

    h_1 = relu(W_1 m_i + W_2 m_j + W_3 f_ij + c_ij),    h_2 = relu(W_4 h_1 + b_4),    s(i, j) = w . h_2 + d_ij

    where c and d are parameters of the two mentions' classes, and s(i, none) a network of two layers over m_i. A
    mention has a row s of scores, of having no antecedent and of each candidate, and right antecedents G, several or
    "none". D(a) is the cost of a wrong antecedent a: false_new where "none" is wrong, false_link where any link is
    wrong, and wrong_link for a link to another chain. The losses of a mention are

        pairs       sum_a log(1 + exp(-y_a s_a)) over the candidates, y_a = 1 if a is in G, else -1
        margin      max_a D(a) (1 + s_a - max_{g in G} s_g)
        likelihood  log sum_a exp(s_a + D(a)) - log sum_{g in G} exp(s_g)

Source: Soon, Ng and Lim 2001, "A machine learning approach to coreference resolution of noun phrases" (pairs); Ng and
    Cardie 2002 (best first); Durrett and Klein 2013, "Easy victories and uphill battles in coreference resolution",
    section 3.3 (the likelihood with costs); Wiseman et al. 2015, section 3.1 (the slack-rescaled margin); Clark and
    Manning 2016, "Improving coreference resolution by learning entity-level distributed representations", sections 3.1
    to 3.3.
Departures:
- Two hidden layers of 128 over mentions, where Clark and Manning have three of 1,000, 500 and 500.
- Features of quotations and their speakers, which novels need (`firth.coreference.quotations`).
- Candidates are the nearest mentions and further ones whose head matches; Clark and Manning have all.
- Pairs are all candidates, not those between a mention and its nearest antecedent: each mention counts alike.
- The held-out documents choose a number that is added to the scores of beginning a chain, as they select the epoch.
Cost: (pairs)(F + H) H multiplications per document; LitBank's 80 training documents have 1.2 million pairs.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import torch
from torch.nn.functional import softplus

from firth.arguments import explained
from firth.evaluation.coreference import score_coreference
from firth.neural.models.coreference.merging import ClusterModule, best_bias, cluster_task
from firth.neural.models.coreference.pair_data import PairBatch, PairItem, PairReader, pair_batches
from firth.neural.models.coreference.pair_module import (
    NONE,
    PairModule,
    PairScores,
    best_chains,
    gold_table,
    score_table,
)
from firth.neural.models.coreference.predict import CoreferenceModel
from firth.neural.models.coreference.sources import has_singletons, split_documents
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import CHARACTERS, TokenOptions, with_vectors
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.supervised import SupervisedTask, digest, mean_loss
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import Preset, option, options_class
from firth.storage.checkpoints import checkpoint_of
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

OBJECTIVES = ("ranking", "pairs", "clusters")
LOSSES = ("likelihood", "margin")
_MERGING = ("merge_candidates", "merging_hidden", "merging_epochs", "merging_lr")
BIASES = (-2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
Losses = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Costs:
    """Costs of wrong antecedents; the module's docstring says which."""

    false_link: float
    false_new: float
    wrong_link: float

    def table(self, gold: torch.Tensor) -> torch.Tensor:
        """Return (M, K + 1) costs of M mentions, given which of their antecedents are right."""
        costs = torch.full(gold.shape, self.wrong_link, device=gold.device)
        costs[:, 0] = self.false_new
        costs[gold[:, 0]] = self.false_link
        return costs.masked_fill(gold, 0.0)


def pair_losses(table: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Return (M,) mean logistic losses in nats of the candidates of M mentions.

    Args:
        table: (M, K + 1) scores; -1e9 where there is no candidate.
        gold: (M, K + 1) which are right.
    """
    scores, right = table[:, 1:], gold[:, 1:]
    real = scores > NONE / 2
    losses = softplus(torch.where(right, -scores, scores)) * real
    return losses.sum(1) / real.sum(1).clamp(min=1)


def margin_losses(table: torch.Tensor, gold: torch.Tensor, costs: Costs) -> torch.Tensor:
    """Return (M,) slack-rescaled margins; the arguments are those of `pair_losses`."""
    best = table.masked_fill(~gold, NONE).amax(1, keepdim=True)
    slack = costs.table(gold) * (1 + table - best)
    return slack.masked_fill(table <= NONE / 2, 0.0).amax(1)


def likelihood_losses(table: torch.Tensor, gold: torch.Tensor, costs: Costs) -> torch.Tensor:
    """Return (M,) negative log-likelihoods in nats, with costs added to the scores; as `pair_losses`."""
    every = torch.logsumexp(table + costs.table(gold), dim=1)
    return every - torch.logsumexp(table.masked_fill(~gold, NONE), dim=1)


def pair_task(module: PairModule, batches: Batches, losses: Losses, held_out: Sequence[PairItem]) -> SupervisedTask:
    """Return a module to train on `PairBatch`es, with its loss per mention and its figures.

    The bias of the scores of having no antecedent that B-cubed F1 is best with is kept in the module; the error is what
    this F1 lacks to 1.

    Args:
        losses: returns (M,) losses of (M, K + 1) scores and (M, K + 1) right antecedents.
        held_out: documents that select the model.
    """
    mentions = sum(len(item.inputs) for item in held_out)

    def losses_of(item: PairItem, scores: PairScores) -> torch.Tensor:
        table = score_table(item.inputs, scores).float()
        return losses(table, gold_table(item.inputs, item.chains, table.shape[1]))

    def loss(batch: PairBatch, progress: TrainingProgress) -> StepOutput:
        return mean_loss(torch.cat([losses_of(item, module(item.inputs)) for item in batch.items]))

    def figures() -> dict[str, float]:
        items = [item.to(module.bias.device) for item in held_out]
        pairs = [(item, module(item.inputs)) for item in items]
        total = sum(losses_of(item, scores).sum().item() for item, scores in pairs)

        def b_cubed(bias: float) -> float:
            chains = [best_chains(item.inputs, scores, bias) for item, scores in pairs]
            return score_coreference([item.gold for item in items], chains).b_cubed.f1

        best, f1 = best_bias(BIASES, b_cubed)
        module.bias.fill_(best)
        return {"loss": total / mentions, "error": 1 - f1}

    return SupervisedTask(
        module=module, batches=batches, loss=loss, figures=figures, unit="mentions", eval_predictions=mentions
    )


@explained
def train_coreference(
    options: Any,
    documents: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    **run: Unpack[RunArguments],
) -> CoreferenceModel:
    """Train a model on documents with coreference chains.

    Args:
        options: of the model.
        documents: documents, or files of them: CoNLL-U, JSONL, or the columns of CoNLL-2012 (a file, a folder, a tar
            archive).
        held_out: documents that select the best epoch, likewise. Without them a tenth of the training documents is held
            out; test data never select a model.
        vectors: word vectors to start from.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out documents.

    Raises:
        CorpusError: the source is missing or holds no chain of two mentions.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    options = with_vectors(options, vectors, needed=False)
    with running_clock():
        train, validation = split_documents(documents, held_out, config.seed)
        if options.singletons is None:
            options = dataclasses.replace(options, singletons=has_singletons(train))
        tokens = options.learn_reader((sentence for document in train for sentence in document.sentences), vectors)
        reader = PairReader(tokens, options.candidates, options.matching)
        items, held = (list(map(reader.item, part)) for part in (train, validation))
        content = {"examples": _digest([*items, *held], vectors)}
        ranker = options.build_ranker(tokens, config.seed, vectors, copies=2)
        task = pair_task(ranker, _batches(items, config), options.losses(), held)
        with sparse_gradients(ranker, config.training):
            facts = fit_model(task, options, config, content)
        module: PairModule | ClusterModule = ranker
        if options.objective == "clusters":
            module = clusters = options.build_clusters(ranker, config.seed)
            config = _for_merging(options, config)
            task = cluster_task(clusters, _batches(items, config), held)
            facts = {**fit_model(task, options, config, content), "ranking": facts}
        facts |= {
            "documents": len(items),
            "mentions": sum(len(item.inputs) for item in items),
            "held_out_documents": len(held),
        }
        return CoreferenceModel(module, options, tokens, {"training": facts})


def _batches(items: Sequence[PairItem], config: RunConfig) -> Batches:
    return pair_batches(items, batch_size=config.training.batch_size, seed=config.seed)


def _for_merging(options: Any, config: RunConfig) -> RunConfig:
    """Return the circumstances of training the merging of clusters, after those of the ranking."""
    config = config.with_training(epochs=options.merging_epochs, lr=options.merging_lr)
    whole = checkpoint_of(config.checkpoint)
    return dataclasses.replace(config, checkpoint=whole.below("merging")) if whole else config


def _digest(items: Sequence[PairItem], vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    tensors = ((item.inputs.words.words, item.inputs.spans, item.inputs.pairs, item.chains) for item in items)
    return digest(([tensor.numpy() for tensor in of_item] for of_item in tensors), vectors)


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
    candidates: int = option(60, "candidate antecedents: so many mentions right before", minimum=1)
    matching: int = option(20, "and so many further ones whose head matches", minimum=0)
    merge_candidates: int = option(
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
            return ClusterModule(ranker, hidden=self.merging_hidden, merge_candidates=self.merge_candidates)


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
    common_options: ClassVar = ("objective", "loss", "hidden", "dim", "candidates", "dropout")
    train = train_coreference
