"""Options that all models of texts with labels share."""

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch.nn.functional import log_softmax

from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.label_heads import LabelHead, PairHead
from firth.neural.layers.state import State
from firth.neural.models.classification.data import LabelBatch
from firth.neural.models.classification.reader import PAD, UNKNOWN, TextReader
from firth.neural.models.tokens.features import ContextualVectors
from firth.neural.training.devices import new_parameters
from firth.neural.training.options import TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import check, option, options_class
from firth.vectors.word_vectors import WordVectors

PAIRS = ("entailment", "paraphrase", "relatedness")
SPREAD = 0.25  # of random word vectors: Kim 2014, section 3.1
WORD_TOKENS = ("words", "unicode", "whitespace", "cased")


def max_length_option(default: int, unit: str) -> Any:
    """Return the field for the limit on the length of a text."""
    return option(default, f"{unit} that are read of a text, the first ones", minimum=1, maximum=10_000)


def extra_words_option() -> Any:
    """Return the field for the words that given vectors add to the vocabulary."""
    return option(
        50_000,
        "most frequent words of given vectors that are known, too, besides those of the training texts",
        minimum=0,
    )


class LabelledOptions(abc.ABC):
    """What options of models of texts and of trees with labels share; their fields are those of the subclasses.

    A model sets `train`, and `training` to its default training options.
    """

    training: ClassVar[TrainingOptions]
    embed_places: ClassVar[tuple[str, ...]] = ()  # where vectors of embedders join the network
    pairs: str | None
    pair_hidden: int
    lowest: int
    highest: int
    min_count: int | None

    def __post_init__(self) -> None:
        check(self)
        if self.lowest >= self.highest:
            raise OptionError(f"lowest={self.lowest}, highest={self.highest}: expected lowest to be below highest")

    @property
    @abc.abstractmethod
    def reads(self) -> tuple[str, int]:
        """How texts are split, a name of `TOKENS` in `reader.py`, and how many tokens are read."""

    @property
    def symmetric(self) -> bool:
        """Whether the order of a pair does not matter."""
        return self.pairs in ("paraphrase", "relatedness")

    @abc.abstractmethod
    def build_encoder(self, reader: TextReader, vectors: WordVectors | None) -> "Encoder":
        """Return an encoder with random parameters from torch's default generator."""

    def build_head(self, width: int, labels: int) -> LabelHead | PairHead:
        """Return a head with random parameters for L labels over vectors of width D."""
        rate = float(getattr(self, "dropout", 0.0))
        if self.pairs:
            return PairHead(width, labels, symmetric=self.symmetric, hidden=self.pair_hidden, dropout=rate)
        return LabelHead(width, labels, dropout=rate, max_norm=float(getattr(self, "max_norm", 0.0)))


@options_class
class LabelOptions(LabelledOptions):
    """Options of a model of texts with labels: what all of them have.

    Raises:
        OptionError: an option is out of its range.
    """

    pairs: str | None = option(
        None,
        "what is asked of pairs of texts: entailment (a label, the order matters), paraphrase (a label, it does not), "
        "relatedness (a score); default: single texts with labels",
        choices=PAIRS,
    )
    pair_hidden: int = option(50, "width of the hidden layer over pairs", minimum=1)
    lowest: int = option(1, "lowest score of pairs, with pairs=relatedness", minimum=-1000)
    highest: int = option(5, "highest score of pairs, with pairs=relatedness", maximum=1000)
    min_count: int | None = option(
        None, "minimum count of a word; rarer ones are unknown; default: by the size of the text", minimum=1
    )

    @property
    def reads(self) -> tuple[str, int]:
        """Words, or characters where there is no option for tokens; see `LabelledOptions.reads`."""
        return getattr(self, "tokens", "characters"), self.max_length  # type: ignore[attr-defined]  # each has its own


def new_module(
    options: LabelledOptions,
    reader: TextReader,
    labels: int,
    seed: int,
    vectors: WordVectors | None = None,
    *,
    copies: int = 1,
) -> "LabelModule":
    """Return a module with random parameters; torch's own random state is kept."""
    with new_parameters(seed, copies):
        encoder = options.build_encoder(reader, vectors)
        return LabelModule(encoder, options.build_head(encoder.width, labels))


def contextual_vectors(reader: TextReader) -> ContextualVectors | None:
    """Return the vectors of a reader's embedders; None if there are none."""
    return ContextualVectors(reader.embedders) if reader.embedders else None


def word_table(
    reader: TextReader, dim: int, vectors: WordVectors | None, *, frozen: bool = False, seed: int = 0
) -> WordEmbedding:
    """Return the table of a reader's words; padding and the unknown word begin with zeros."""
    if vectors is None:
        table = WordEmbedding(len(reader), dim, frozen=frozen)
        torch.nn.init.uniform_(table.weight, -SPREAD, SPREAD)
    else:
        table = WordEmbedding.from_vectors(vectors, reader.table_words, frozen=frozen, seed=seed)
    with torch.no_grad():
        table.weight[[PAD, UNKNOWN]] = 0.0
    return table


class Encoder(torch.nn.Module, abc.ABC):
    """Texts to vectors.

    Attributes:
        width: D.
    """

    width: int

    @property
    def embeddings(self) -> tuple[torch.nn.Module, ...]:
        """The modules that give tokens their vectors; of several, a token's vector is all of theirs."""
        return (self.get_submodule("embedding"),)

    @abc.abstractmethod
    def forward(self, inputs: Any) -> torch.Tensor:
        """Return (B, D) vectors of B texts, each of its own text only, whatever else is in the batch."""

    def advance(self, progress: TrainingProgress) -> None:
        """Note the position in the training run, before each step; most encoders need not know."""


class LabelModule(torch.nn.Module):
    """An encoder and a head."""

    def __init__(self, encoder: Encoder, head: LabelHead | PairHead) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def forward(self, inputs: Any) -> torch.Tensor:
        """Return (B, L) scores of B texts or nodes, or of B pairs: the first of all pairs, then the second ones."""
        vectors: torch.Tensor = self.encoder(inputs)
        scores: torch.Tensor = self.head(*vectors.chunk(2)) if isinstance(self.head, PairHead) else self.head(vectors)
        return scores


class LabelTask:
    """A module with its examples; implements `firth.neural.training.task.Task`.

    Args:
        module: to train; it returns (R, L) scores of the inputs of a batch with R targets.
        batches: `LabelBatch`es to train on.
        held_out: batches that select the model.
        predictions: targets in `held_out`.
        by_error: whether the error selects the model, as for labels, or the cross entropy, as for scores.

    Attributes:
        unit: "texts".
    """

    def __init__(
        self, module: torch.nn.Module, batches: Batches, held_out: Batches, *, predictions: int, by_error: bool = True
    ) -> None:
        self.module, self.batches, self.unit = module, batches, "texts"
        self._held_out, self.eval_predictions, self._by_error = held_out, predictions, by_error

    def step(self, batch: LabelBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean cross entropy of a batch; see `Task.step`."""
        if isinstance(self.module, LabelModule):
            self.module.encoder.advance(progress)
        losses = cross_entropy(self.module(batch.inputs), batch.targets)  # (R,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per target and, for labels, the share of targets whose label is missed.

        The cross entropy of labels rises again while the error still falls: Kim 2014 selects models by accuracy, too.
        """
        device = next(self.module.parameters()).device
        loss, right, count = 0.0, 0, 0
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            scores, targets = self.module(on_device.inputs).float(), on_device.targets
            loss += cross_entropy(scores, targets).sum(dtype=torch.float64).item()
            right += best_labels(scores, targets)
            count += len(targets)
        return {"loss": loss / count, **({"error": 1 - right / count} if self._by_error else {})}


def best_labels(scores: torch.Tensor, targets: torch.Tensor) -> int:
    """Return how many of R targets, (R, L), have the label with the highest of (R, L) scores as their best."""
    chosen = targets.gather(1, scores.argmax(1, keepdim=True)).squeeze(1)
    return int((chosen == targets.amax(1)).sum())


def cross_entropy(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return (R,) cross entropies in nats between (R, L) distributions and the softmax of (R, L) scores."""
    return -(targets * log_softmax(scores, 1)).sum(1)
