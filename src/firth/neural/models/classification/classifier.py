"""Options that all models of texts with labels share."""

import abc
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch.nn.functional import log_softmax

from firth.classify.class_weights import class_weights_option
from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.label_heads import LabelHead, PairHead
from firth.neural.models.classification.data import LabelBatch
from firth.neural.models.classification.reader import PAD, UNKNOWN, TextReader
from firth.neural.models.tokens.features import ContextualVectors
from firth.neural.supervised import SupervisedTask, mean_loss, on_device
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


def extra_words_option(unit: str = "texts") -> Any:
    """Return the field for the words that given vectors add to the vocabulary."""
    help = f"most frequent words of given vectors that are known, too, besides those of the training {unit}"
    return option(50_000, help, minimum=0)


def pairs_option(unit: str = "texts") -> Any:
    """Return the field for what is asked of pairs."""
    help = (
        f"what is asked of pairs of {unit}: entailment (a label, the order matters), paraphrase (a label, it does "
        f"not), relatedness (a score); default: single {unit} with labels"
    )
    return option(None, help, choices=PAIRS)


def pair_hidden_option() -> Any:
    """Return the field for the hidden layer over pairs."""
    return option(50, "width of the hidden layer over pairs", minimum=1)


def min_count_option() -> Any:
    """Return the field for the minimum count of a word."""
    help = "minimum count of a word; rarer ones are unknown; default: by the size of the text"
    return option(None, help, minimum=1)


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
    def gives_scores(self) -> bool:
        """Whether pairs have a score in place of a label."""
        return self.pairs == "relatedness"

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
    """Options of a model of texts with labels: what all of them have."""

    pairs: str | None = pairs_option()
    pair_hidden: int = pair_hidden_option()
    lowest: int = option(1, "lowest score of pairs, with pairs=relatedness", minimum=-1000)
    highest: int = option(5, "highest score of pairs, with pairs=relatedness", maximum=1000)
    min_count: int | None = min_count_option()
    class_weights: str | None = class_weights_option()

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


def label_task(
    module: torch.nn.Module,
    batches: Batches,
    held_out: Batches,
    *,
    predictions: int,
    by_error: bool = True,
    unit: str = "texts",
    roots: Callable[[LabelBatch], torch.Tensor] | None = None,
    class_weights: torch.Tensor | None = None,
) -> SupervisedTask:
    """Return a module to train on `LabelBatch`es, with its loss and its figures.

    The cross entropy of labels rises again while the error still falls: Kim 2014 selects models by accuracy, too. The
    error is that of all targets; with `roots`, that of the roots of trees, as in Tai et al. 2015, and "node_error" that
    of all.

    Args:
        module: returns (R, L) scores of the inputs of a batch with R targets.
        held_out: batches that select the model.
        predictions: targets in `held_out`.
        by_error: whether the error selects the model, as for labels, or the cross entropy, as for scores.
        roots: returns the rows of a batch that are roots; without one, all nodes select the model.
        class_weights: (L,) factors of the labels in the loss, not in the figures; None for 1.
    """

    def loss(batch: LabelBatch, progress: TrainingProgress) -> StepOutput:
        if isinstance(module, LabelModule):
            module.encoder.advance(progress)
        targets = batch.targets if class_weights is None else batch.targets * class_weights.to(batch.targets.device)
        return mean_loss(cross_entropy(module(batch.inputs), targets))

    def figures() -> dict[str, float]:
        total, hits, root_hits = 0.0, list[bool](), list[bool]()
        for batch in on_device(held_out, module):
            scores = module(batch.inputs).float()
            total += cross_entropy(scores, batch.targets).sum(dtype=torch.float64).item()
            right = has_best_label(scores, batch.targets)
            hits += right.tolist()
            root_hits += [] if roots is None else right[roots(batch)].tolist()
        error = 1 - sum(hits) / len(hits)
        if not by_error:
            return {"loss": total / len(hits)}
        if roots is None:
            return {"loss": total / len(hits), "error": error}
        of_roots = 1 - sum(root_hits) / len(root_hits) if root_hits else error
        return {"loss": total / len(hits), "error": of_roots, "node_error": error}

    return SupervisedTask(
        module=module, batches=batches, loss=loss, figures=figures, unit=unit, eval_predictions=predictions
    )


def has_best_label(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return (R,) whether the label with the highest of (R, L) scores is a best one of R targets, (R, L)."""
    chosen = targets.gather(1, scores.argmax(1, keepdim=True)).squeeze(1)
    return chosen == targets.amax(1)


def cross_entropy(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return (R,) cross entropies in nats between (R, L) distributions, perhaps weighted, and the softmax of scores."""
    return -(targets * log_softmax(scores, 1)).sum(1)
