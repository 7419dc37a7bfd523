"""The task of a biaffine parser: the heads of words and the labels of their arcs."""

from collections.abc import Mapping, Sequence

import torch
from torch.nn.functional import cross_entropy

from firth.neural.layers.state import State
from firth.neural.models.parsers.arc_losses import arc_loss
from firth.neural.models.parsers.biaffine_data import UNKNOWN_RELATION, GoldTree, TreeBatch, gold_trees, tree_batches
from firth.neural.models.parsers.biaffine_module import PARSED, BiaffineModule, PairScores
from firth.neural.models.tokens.reader import ReadSentence
from firth.neural.training.options import RunConfig
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.readers.conllu import DependencySentence


class BiaffineTask:
    """A biaffine parser with its sentences; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        sentences: to train on.
        held_out: that select the model.
        config: of the run; its `batch_size` counts words.
        loss: of the arcs, one of `arc_losses.LOSSES`.

    Attributes:
        module: as given.
        batches: of sentences.
        unit: "words".
        eval_predictions: words to parse.
    """

    def __init__(
        self,
        module: BiaffineModule,
        sentences: Sequence[DependencySentence],
        held_out: Sequence[DependencySentence],
        config: RunConfig,
        *,
        loss: str,
    ) -> None:
        self._parser, self.unit, self._loss = module, "words", loss
        self.module: torch.nn.Module = module
        vocabulary, lifted = module.vocabulary, loss == "projective"
        self.batches: Batches = tree_batches(
            vocabulary.reader, *self._read(sentences, lifted), words=config.training.batch_size, seed=config.seed
        )
        self._held_out = tree_batches(vocabulary.reader, *self._read(held_out, lifted), words=PARSED, shuffle=False)
        self.eval_predictions = sum(map(len, held_out))

    def step(self, batch: TreeBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of the words of a batch, their heads' and their labels'; see `Task.step`."""
        total = self._total(batch, self._parser(batch.inputs))
        words = int(batch.inputs.lengths.sum())
        return StepOutput(total / words, total.detach().double(), words)

    def evaluate(self) -> Mapping[str, float]:
        """Return nats per word, and the shares of words with a wrong head or label, and with a wrong head."""
        device = self._parser.root.device
        loss, heads, right, words = 0.0, 0, 0, 0
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            scores = self._parser(on_device.inputs)
            loss += self._total(on_device, scores).item()
            for row, (found, labels) in enumerate(self._parser.trees_of(scores, batch.inputs.lengths)):
                same = batch.heads[row, : len(found)].numpy() == found
                heads += int(same.sum())
                right += int((same & (batch.relations[row, : len(found)].numpy() == labels)).sum())
                words += len(found)
        return {"loss": loss / words, "error": 1 - right / words, "head_error": 1 - heads / words}

    def _total(self, batch: TreeBatch, scores: PairScores) -> torch.Tensor:
        """Return the sum of both losses in nats."""
        arcs = arc_loss(self._loss, scores.arcs, batch.heads, batch.inputs.lengths)
        labels = self._parser.label_scores(scores, batch.heads)
        gold = batch.relations[scores.real]
        return arcs + cross_entropy(labels, gold, ignore_index=UNKNOWN_RELATION, reduction="sum")

    def _read(self, sentences: Sequence[DependencySentence], lifted: bool) -> tuple[list[ReadSentence], list[GoldTree]]:
        vocabulary = self._parser.vocabulary
        read = [vocabulary.reader.read(sentence) for sentence in sentences]
        return read, gold_trees(sentences, vocabulary.relations, lifted=lifted)
