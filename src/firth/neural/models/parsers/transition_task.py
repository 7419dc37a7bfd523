"""The task of a transition parser: states of a batch of sentences, and the loss of their actions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.kernels.transition_states import FEATURES, FROM_ROOT, Ints, Labels, is_allowed
from firth.neural.layers.state import State
from firth.neural.models.parsers.transition_data import ParserBatch, ParserItem, sentence_batches
from firth.neural.models.parsers.transition_module import FirstLayer, TransitionModule
from firth.neural.training.options import RunConfig
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.parsing.oracle_states import explored_states, static_states

EVAL_BATCH = 100  # sentences per batch of an evaluation


class States:
    """States of a batch of sentences, with their right actions.

    Attributes:
        features: (M, 48).
        targets: (M, K) numbers of the right actions; -1 for none.
        kinds: (M,) `firth.kernels.transition_states.allowed_kinds`.
    """

    def __init__(self, features: Ints, targets: Ints, kinds: npt.NDArray[np.uint8]) -> None:
        self.features, self.targets, self.kinds = features, targets, kinds


def action_masks(actions: int, labels: Labels) -> torch.Tensor:
    """Return (32, A): 0 where the action is allowed, given the row as bits of `allowed_kinds`; else minus infinity."""
    allowed = [[is_allowed(action, bits, labels) for action in range(actions)] for bits in range(2 << FROM_ROOT)]
    return torch.where(torch.tensor(allowed), 0.0, -torch.inf)


class TransitionTask:
    """A transition parser with its sentences; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        items: to train on.
        held_out: that select the model.
        config: of the run.
        explore: probability of going on with the parser's own action; 0 for the static oracle.
        explore_after: epochs with the static oracle before that.

    Attributes:
        module: as given.
        batches: of sentences.
        unit: "states".
        eval_predictions: states to score.
    """

    def __init__(
        self,
        module: TransitionModule,
        items: Sequence[ParserItem],
        held_out: Sequence[ParserItem],
        config: RunConfig,
        *,
        explore: float = 0.0,
        explore_after: float = 1.0,
    ) -> None:
        self.module: Any = module
        self._explore, self._explore_after = explore, explore_after
        self.unit = "states"
        relations = len(module.vocabulary.relations)
        self.batches: Batches = sentence_batches(
            items, relations, batch_size=config.training.batch_size, seed=config.seed
        )
        self._held_out = held_out
        self._held_out_batches = sentence_batches(held_out, relations, batch_size=EVAL_BATCH, shuffle=False)
        self.eval_predictions = 2 * sum(len(item.words) - 1 for item in held_out)
        self._masks = action_masks(module.actions, module.labels_known)

    def step(self, batch: ParserBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of the states of a batch; see `Task.step`."""
        tables = self.module.first_layer(torch.from_numpy(batch.vocabulary))
        if self._explore and progress.epoch >= self._explore_after:
            states = explored(self.module, batch, tables, self._explore)
        else:
            states = static(self.module, batch)
        losses = self._losses(states, self.module(states.features, tables))
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return nats per state on the way to gold trees, and the shares of words with a wrong head, or label."""
        loss, count = 0.0, 0
        for batch in self._held_out_batches.epoch(0):
            states = static(self.module, batch)
            scores = self.module(states.features, self.module.first_layer(torch.from_numpy(batch.vocabulary)))
            loss += self._losses(states, scores).sum(dtype=torch.float64).item()
            count += len(scores)
        heads = right = words = 0
        trees = self.module.parse_items(self._held_out, self.module.beam)
        for item, (found, labels) in zip(self._held_out, trees, strict=True):
            same = found == item.heads[1:]
            heads += int(same.sum())
            right += int((same & (labels == item.relations[1:])).sum())
            words += len(found)
        return {"loss": loss / count, "error": 1 - right / words, "head_error": 1 - heads / words}

    def _losses(self, states: States, scores: torch.Tensor) -> torch.Tensor:
        """Return (M,) negative logarithms of the probability of the right actions together."""
        allowed = scores + self._masks[torch.from_numpy(states.kinds).long()]
        targets = torch.from_numpy(states.targets).long()
        right = allowed.gather(1, targets.clamp(min=0))
        if targets.shape[1] > 1:
            right = right.masked_fill(targets < 0, -torch.inf)
        return allowed.logsumexp(1) - right.logsumexp(1)


def explored(module: TransitionModule, batch: ParserBatch, tables: FirstLayer, follow: float) -> States:
    """Return the states that the parser comes to, with all right actions.

    Args:
        module: the parser.
        batch: of sentences.
        tables: of the batch.
        follow: probability of going on with the parser's own action.
    """
    count = 2 * (len(batch.heads) - len(batch.sentences.starts) + 1)
    features, targets = np.empty((count, FEATURES), np.int32), np.empty((count, 4), np.int32)
    kinds, labels = np.empty(count, np.uint8), module.labels_known
    random = torch.randint(2**62, (1,)).numpy().astype(np.uint64)
    given = (module.system, batch.sentences, batch.heads, batch.relations, labels)
    network = (module.tables(tables), module.activation, follow, random)
    written = explored_states(*given, *network, features, targets, kinds)
    assert written == count
    return States(features, targets, kinds)


def static(module: TransitionModule, batch: ParserBatch) -> States:
    """Return the states on the static oracle's way through the sentences."""
    count = 2 * (len(batch.heads) - len(batch.sentences.starts) + 1)
    features, targets = np.empty((count, FEATURES), np.int32), np.empty((count, 1), np.int32)
    kinds, labels = np.empty(count, np.uint8), module.labels_known
    given = (module.system, batch.sentences, batch.heads, batch.relations, labels)
    written = static_states(*given, features, targets, kinds)
    assert written == count
    return States(features, targets, kinds)
