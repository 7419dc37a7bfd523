"""Training of a sentence autoencoder as a task of the training loop."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from firth.neural.layers.state import State
from firth.neural.models.autoencoders.data import Item, SentenceItems, Sentences
from firth.neural.models.autoencoders.lagging import LaggingInference
from firth.neural.models.autoencoders.measures import AutoencoderScores, measured
from firth.neural.models.autoencoders.module import SentenceAutoencoder
from firth.neural.models.autoencoders.objective import kl_weight
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_BATCH = 64  # sentences


class AutoencoderTask:
    """A module with its sentences; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        options: of the autoencoder.
        items: what reads sentences.
        train: sentences to learn from.
        held_out: sentences that select the model.
        batch_size: B.
        seed: of the order.

    Attributes:
        module: as given.
        batches: sentences of similar length.
        unit: "sentences".
        eval_predictions: held-out sentences.
        some_unused: whether a step may leave out parameters.
    """

    def __init__(
        self,
        module: SentenceAutoencoder,
        options: Any,
        items: SentenceItems,
        train: Sequence[Item],
        held_out: Sequence[Item],
        *,
        batch_size: int,
        seed: int,
    ) -> None:
        self.module: torch.nn.Module = module
        self.unit, self.eval_predictions, self.some_unused = "sentences", len(held_out), False
        self.batches: Batches = items.batches(train, batch_size, seed=seed)
        self._model, self._options = module, options
        self._held_out = items.batches(held_out, EVAL_BATCH, shuffle=False)
        self._lagging = LaggingInference(module, options.encoder_updates) if options.lagging else None

    def step(self, batch: Sentences, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the objective per sentence, with the weight of the KL at this point of the run; see `Task.step`."""
        if self._lagging is not None:
            self._lagging.begin()
        options = self._options
        weight = kl_weight(options.annealing, progress.fraction, options.annealing_share)
        objective = self.module(batch, step=progress.step, weight=weight, free_bits=options.free_bits)
        nats = objective.detach().double() * len(batch.lengths)
        if self._lagging is not None:
            self._lagging.record(float(nats), int(batch.lengths.sum()))
        return StepOutput(objective, nats, len(batch.lengths))

    def scores(self) -> AutoencoderScores:
        """Return the scores of held-out sentences; the module is in evaluation mode."""
        return measured(self._model, self._held_out)

    def evaluate(self) -> Mapping[str, float]:
        """Return the objective at the full weight of the KL as the loss, and figures; see `Task.evaluate`.

        Without free bits it is -ELBO. With them, a code that spends them is as good as one that collapsed.
        """
        scores = self.scores()
        if self._lagging is not None:
            self._lagging.judge(scores.mutual_information)
        figures = {
            "loss": sum(max(each, self._options.free_bits) for each in scores.kl_by_unit) - scores.reconstruction,
            "elbo": scores.elbo,
            "perplexity": scores.perplexity,
            "kl": scores.kl,
            "mutual_information": scores.mutual_information,
            "active_units": float(scores.active_units),
        }
        if scores.code_perplexity:
            figures["code_perplexity"] = sum(scores.code_perplexity) / len(scores.code_perplexity)
        return figures

    def finish(self) -> None:
        """Let all parameters have gradients again."""
        if self._lagging is not None:
            self._lagging.end()
