"""Words from those before them, and from those behind them: the task of bidirectional language models."""

import math
from collections.abc import Iterator, Mapping

import torch

from firth.language.text import LanguageText
from firth.neural.layers.state import State
from firth.neural.models.bidirectional.data import rows_of, sentence_buckets, targets_of
from firth.neural.models.bidirectional.module import BidirectionalModule
from firth.neural.models.sentences.token_rows import TokenBatch, TokenRows
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput

EVAL_WORDS = 4000  # per batch of an evaluation


class Reader:
    """Batches of a text to hidden states and targets.

    Args:
        module: that reads them.
        text: with the vocabulary of the module.

    Attributes:
        rows: the sentences.
    """

    def __init__(self, module: BidirectionalModule, text: LanguageText) -> None:
        assert text.eos_id is not None, "sentence ends are predicted"
        self._module, self.rows = module, rows_of(text)
        self._special = len(text.vocabulary), text.unk_id, text.eos_id
        self._unknown = module.embedding.character_ids(text.unknown_words) if text.unknown_words else None

    def predicted(self, batch: TokenBatch) -> tuple[list[torch.Tensor], list[torch.Tensor], torch.Tensor]:
        """Return (N, D) states forward and backward, their (N,) targets, and the (B, T + 1) places that count."""
        if self._unknown is not None:
            self._unknown = self._unknown.to(batch.ids.device)
        targets = targets_of(batch, *self._special)
        states = self._module.predictions(batch.ids, batch.lengths, self._unknown)
        found = [each[targets.real] for each in states]
        return found, [targets.forward[targets.real], targets.backward[targets.real]], targets.real

    def log_probs(self, batches: Iterator[TokenBatch]) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Yield of each batch the (N,) log-probabilities forward and backward, in the order of reading, and `real`."""
        device = next(self._module.parameters()).device
        for batch in batches:
            hidden, targets, real = self.predicted(batch.to(device))
            pairs = zip(hidden, targets, strict=True)
            first, second = (self._module.output.log_prob_of(h, y) for h, y in pairs)
            yield first, second, real


class BidirectionalTask:
    """A module with its text; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        text: training data.
        held_out: text that selects the model, or None.
        batch_size: words per batch, with padding.
        seed: of the order of sentences.

    Attributes:
        module: as given.
        batches: the sentences.
        unit: "words".
        eval_predictions: predictions per evaluation.
    """

    def __init__(
        self,
        module: BidirectionalModule,
        text: LanguageText,
        held_out: LanguageText | None = None,
        *,
        batch_size: int,
        seed: int = 0,
    ) -> None:
        self.module: torch.nn.Module = module
        self.unit = text.rules.unit
        self._output, self._text = module.output, Reader(module, text)
        self.batches: Batches = sentence_buckets(self._text.rows, batch_size, seed=seed)
        self._held_out = None if held_out is None else Reader(module, held_out)
        self.eval_predictions = 0 if self._held_out is None else 2 * _predictions(self._held_out.rows)

    def step(self, batch: TokenBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss per word and direction; see `Task.step`."""
        hidden, targets, _ = self._text.predicted(batch)
        losses = self._output.loss(torch.cat(hidden), torch.cat(targets))  # (2 N,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per word, and the perplexities of both directions; see `Task.evaluate`."""
        if self._held_out is None:
            return {}
        batches = sentence_buckets(self._held_out.rows, EVAL_WORDS, shuffle=False)
        total = torch.zeros(2, dtype=torch.float64)
        with torch.no_grad():
            for first, second, _ in self._held_out.log_probs(batches.epoch(0)):
                total -= torch.stack([each.sum(dtype=torch.float64).cpu() for each in (first, second)])
        losses = (total / _predictions(self._held_out.rows)).tolist()
        forward, backward = (math.exp(min(loss, 700.0)) for loss in losses)
        loss = sum(losses) / 2
        both = math.exp(min(loss, 700.0))
        return {"loss": loss, "perplexity": both, "forward": forward, "backward": backward}


def _predictions(rows: TokenRows) -> int:
    return int(rows.lengths.sum()) + len(rows)
