"""Interface of a neural language model's module: ids and state in, hidden states and state out, and an output layer."""

import abc
import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import torch

from firth.language.text import LanguageText
from firth.neural.layers.output.base import OutputConfig, OutputLayer
from firth.neural.layers.output.learned_codes import RULES
from firth.neural.layers.output.registry import OUTPUTS, make_output, options_of
from firth.neural.layers.state import State
from firth.neural.models.language.data import TextBatch, TextReader
from firth.neural.models.language.module import LanguageModule
from firth.neural.training.devices import new_module as built
from firth.neural.training.options import TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import check, option, options_class, parse_spec
from firth.vocabulary import Vocabulary

_WORDS = {"yes": True, "true": True, "no": False, "false": False}
WINDOW_TRAINING = TrainingOptions(  # of models that read a window of words: feed-forward and log-bilinear
    epochs=6, batch_size=128, lr=0.003, schedule="linear", patience=2, optimiser="adam"
)
EVAL_STREAMS, EVAL_BPTT = 20, 64  # of held-out text during training


def bptt_option(default: int) -> Any:
    """Return the field for the length of truncated back-propagation through time."""
    return option(default, "truncated back-propagation through time: words per stream and batch", minimum=1)


@options_class
class LanguageOptions(abc.ABC):
    """Options of a neural language model: what all of them have.

    A model inherits this class, adds its own options and sets `train`.

    Attributes:
        training: default training options.

    Raises:
        OptionError: an option is out of its range.
    """

    training: ClassVar[TrainingOptions]

    output: str = option("full", f"output layer: {', '.join(OUTPUTS)}; its options follow after colons")
    bptt: int = bptt_option(35)
    vary_bptt: bool = option(False, "random bptt, drawn anew for each batch; the learning rate is in proportion")

    def __post_init__(self) -> None:
        check(self)
        parse_output(self.output)

    @property
    def spells(self) -> bool:
        """Whether the model reads characters, so that the vocabulary limits only what it predicts."""
        return False

    @property
    def default_tokens(self) -> str:
        """How text is read unless told otherwise: as subwords, or as words by a model that reads their characters."""
        return "words" if self.spells else "subwords"

    @abc.abstractmethod
    def build_module(self, vocabulary: Vocabulary, bos: int) -> LanguageModule:
        """Return a module with random parameters from torch's default generator."""


@options_class
class LearnedTree:
    """Options of a learned output tree, as in `output="tree:tree=learned:overlap=0.1"`.

    Raises:
        OptionError: a value is out of its range.
    """

    bootstrap: int = option(2, "epochs of the first model, which has a random tree", minimum=1)
    rule: str = option("adaptive", "rule that splits a set of words", choices=RULES)
    overlap: float = option(
        0.0, "words with a probability this close to 0.5 go to both sides of a split", minimum=0, maximum=0.49
    )
    most: float = option(4.0, "maximum mean number of codes per word", minimum=1)

    def __post_init__(self) -> None:
        check(self)


def parse_output(spec: str) -> tuple[str, dict[str, Any]]:
    """Return the kind of an output layer and its options."""
    kind = spec.partition(":")[0]
    names = options_of(kind)
    is_learned = kind == "tree" and "tree=learned" in spec.split(":")
    if is_learned:
        names = ["tree", *(field.name for field in dataclasses.fields(LearnedTree))]
    options = {name: _value(value) for name, value in parse_spec(spec, names).items()}
    if is_learned:
        options = {"tree": LearnedTree(**{name: value for name, value in options.items() if name != "tree"})}
    return kind, options


def learned_tree(spec: str) -> LearnedTree | None:
    """Return the options of a learned output tree, or None for any other output."""
    tree = parse_output(spec)[1].get("tree")
    return tree if isinstance(tree, LearnedTree) else None


def new_module(
    options: LanguageOptions, vocabulary: Vocabulary, bos: int, seed: int, *, copies: int = 1
) -> LanguageModule:
    """Return a module with random parameters; torch's own random state is kept.

    A learned output tree starts as a Huffman tree.
    """
    if learned_tree(options.output) is not None:
        options = dataclasses.replace(options, output="tree")
    return built(seed, options.build_module, vocabulary, bos, copies=copies)


def output_layer(spec: str, width: int, vocabulary: Vocabulary, tied: torch.nn.Parameter | None = None) -> OutputLayer:
    """Return a new output layer.

    Args:
        spec: a name of `firth.neural.layers.output.registry.OUTPUTS`, with its options after colons.
        width: D, of the hidden states.
        vocabulary: V words with their counts.
        tied: (V, E) weight of an embedding to share.
    """
    kind, options = parse_output(spec)
    seed = int(torch.randint(2**31, ()))
    return make_output(kind, OutputConfig(width, len(vocabulary), vocabulary.counts, tied, seed), **options)


def _value(text: str) -> Any:
    if "," in text:
        return [_value(part) for part in text.split(",")]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return _WORDS.get(text.lower(), text)


class LanguageTask:
    """A language model with its text; implements `firth.neural.training.task.Task`.

    Attributes:
        batches: the text in parallel streams.
        unit: what the text is read in, such as "subwords".
        eval_predictions: words of the held-out text.
    """

    def __init__(
        self,
        module: LanguageModule,
        text: LanguageText,
        held_out: LanguageText | None = None,
        *,
        batch_size: int,
        bptt: int,
        vary_bptt: bool = False,
        seed: int = 0,
    ) -> None:
        self.module: torch.nn.Module = module
        self.unit = text.rules.unit
        self._output = module.output
        self._text = TextReader(module, text, batch_size=batch_size, bptt=bptt, vary_bptt=vary_bptt, seed=seed)
        self.batches: Batches = self._text.stream
        self._held_out = None
        if held_out is not None:
            self._held_out = TextReader(module, held_out, batch_size=EVAL_STREAMS, bptt=EVAL_BPTT)
        self.eval_predictions = 0 if held_out is None else len(held_out)

    def step(self, batch: TextBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch's words; see `Task.step`."""
        hidden, state = self._text.hidden(batch, state)  # (B, T, D)
        losses = self._output.loss(*batch.predicted_rows(hidden))  # (N,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses), state)

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per word, and the perplexity, of the held-out text; see `Task.evaluate`.

        The text is read in a few streams at once, and each begins without context. A trained model reads it in one
        stream (`NeuralLanguageModel.log_probs`), which gives a slightly lower perplexity. Losses are summed in float64
        over all words.
        """
        if self._held_out is None:
            return {}
        stream, total, state = self._held_out.stream, 0.0, None
        device = next(self.module.parameters()).device
        with torch.no_grad():
            for batch in stream.epoch(0):
                on_device = batch.to(device)
                hidden, state = self._held_out.hidden(on_device, state)
                total -= self._output.log_prob_of(*on_device.predicted_rows(hidden)).sum(dtype=torch.float64).item()
        loss = total / len(stream.ids)
        return {"loss": loss, "perplexity": math.exp(min(loss, 700.0))}
