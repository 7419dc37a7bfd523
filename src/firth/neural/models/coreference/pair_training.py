"""Losses over the antecedents of mentions: pairs, ranking by a margin, ranking by likelihood.

What
    Each mention has a row of scores: of having no antecedent, and of each candidate. Several may be right.
Objective
    With s the scores of a mention, G its right antecedents (or "none") and D(a) the cost of a wrong antecedent a, which
    is false_new where "none" is wrong, false_link where any link is wrong, and wrong_link for a link to another chain:

        pairs       sum_a log(1 + exp(-y_a s_a)) over the candidates, y_a = 1 if a is in G, else -1
        margin      max_a D(a) (1 + s_a - max_{g in G} s_g)
        likelihood  log sum_a exp(s_a + D(a)) - log sum_{g in G} exp(s_g)

Source
    Soon, Ng and Lim 2001 (pairs); Wiseman et al. 2015, section 3.1, and Clark and Manning 2016, section 3.3 (the
    slack-rescaled margin); Durrett and Klein 2013, section 3.3 (the likelihood with costs).
Departures
    Pairs are all candidates, not those between a mention and its nearest antecedent: each mention counts alike.
Cost
    O(M K) for M mentions with K candidates.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import torch
from torch.nn.functional import softplus

from firth.arguments import explained
from firth.documents.document import Span
from firth.evaluation.coreference import score_coreference
from firth.neural.layers.state import State
from firth.neural.models.coreference.merging import ClusterModule, ClusterTask
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
from firth.neural.models.tokens.options import with_vectors
from firth.neural.supervised import digest
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.storage.checkpoints import checkpoint_of
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors

BIASES = (-2.0, -1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
Losses = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Costs:
    """Costs of wrong antecedents.

    Attributes:
        false_link: of any antecedent where a mention has none.
        false_new: of none where it has one.
        wrong_link: of one in another chain.
    """

    false_link: float
    false_new: float
    wrong_link: float

    def table(self, gold: torch.Tensor) -> torch.Tensor:
        """Return (M, K + 1) costs of M mentions whose right antecedents are given."""
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


class PairTask:
    """A module with documents; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `PairBatch`es to train on.
        losses: returns (M,) losses of (M, K + 1) scores and (M, K + 1) right antecedents.
        held_out: documents that select the model.

    Attributes:
        unit: "mentions".
        eval_predictions: mentions in `held_out`.
    """

    def __init__(self, module: PairModule, batches: Batches, losses: Losses, held_out: Sequence[PairItem]) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit, self._scorer = batches, "mentions", module
        self._losses, self._held_out = losses, held_out
        self.eval_predictions = sum(len(item.inputs) for item in held_out)

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of the mentions of a batch; see `Task.step`."""
        losses = torch.cat([self._losses_of(item, self.module(item.inputs)) for item in batch.items])
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the loss per mention, and what is missing from the best B-cubed F1.

        The bias of the scores of having no antecedent that B-cubed is best with is kept in the module.
        """
        device = next(self.module.parameters()).device
        items = [PairBatch((item,)).to(device).items[0] for item in self._held_out]
        scores = [self.module(item.inputs) for item in items]
        losses = [self._losses_of(item, each).sum().item() for item, each in zip(items, scores, strict=True)]
        figures = {bias: self._b_cubed(items, scores, bias) for bias in BIASES}
        best = max(BIASES, key=lambda bias: (figures[bias], -abs(bias)))
        self._scorer.bias.fill_(best)
        return {"loss": sum(losses) / self.eval_predictions, "error": 1 - figures[best]}

    def _losses_of(self, item: PairItem, scores: PairScores) -> torch.Tensor:
        table = score_table(item.inputs, scores).float()
        return self._losses(table, gold_table(item.inputs, item.chains, table.shape[1]))

    def _b_cubed(self, items: Sequence[PairItem], scores: Sequence[PairScores], bias: float) -> float:
        found: list[list[list[Span]]] = [
            best_chains(item.inputs, each, bias) for item, each in zip(items, scores, strict=True)
        ]
        return score_coreference([item.gold for item in items], found).b_cubed.f1


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
        train, judged = split_documents(documents, held_out, config.seed)
        if options.singletons is None:
            options = dataclasses.replace(options, singletons=has_singletons(train))
        tokens = options.learn_reader((sentence for document in train for sentence in document.sentences), vectors)
        reader = PairReader(tokens, options.nearest, options.matching)
        items, held = [reader.item(document) for document in train], [reader.item(document) for document in judged]
        digest = {"examples": _digest([*items, *held], vectors)}
        ranker = options.build_ranker(tokens, config.seed, vectors, copies=2)
        facts = _ranked(options, ranker, items, held, config, digest)
        module: PairModule | ClusterModule = ranker
        if options.objective == "clusters":
            module = clusters = options.build_clusters(ranker, config.seed)
            facts = {**_merged(options, clusters, items, held, config, digest), "ranking": facts}
        facts |= {
            "documents": len(items),
            "mentions": sum(len(item.inputs) for item in items),
            "held_out_documents": len(held),
        }
        return CoreferenceModel(module, options, reader, {"training": facts})


def _ranked(
    options: Any,
    module: PairModule,
    items: Sequence[PairItem],
    held: Sequence[PairItem],
    config: RunConfig,
    digest: Mapping[str, str],
) -> dict[str, Any]:
    """Train a module that scores pairs, and return the facts of the training."""
    batches = pair_batches(items, batch_size=config.training.batch_size, seed=config.seed)
    task = PairTask(module, batches, options.losses(), held)
    with sparse_gradients(module, config.training):
        return fit_model(task, options, config, digest)


def _merged(
    options: Any,
    module: ClusterModule,
    items: Sequence[PairItem],
    held: Sequence[PairItem],
    config: RunConfig,
    digest: Mapping[str, str],
) -> dict[str, Any]:
    """Train the merging of clusters, and return the facts of the training."""
    config = config.with_training(epochs=options.merging_epochs, lr=options.merging_lr)
    if whole := checkpoint_of(config.checkpoint):
        config = dataclasses.replace(config, checkpoint=whole.below("merging"))
    batches = pair_batches(items, batch_size=config.training.batch_size, seed=config.seed)
    return fit_model(ClusterTask(module, batches, held), options, config, digest)


def _digest(items: Sequence[PairItem], vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    tensors = ((item.inputs.words.words, item.inputs.spans, item.inputs.pairs, item.chains) for item in items)
    return digest(([tensor.numpy() for tensor in each] for each in tensors), vectors)
