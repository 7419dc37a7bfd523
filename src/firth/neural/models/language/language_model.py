"""What neural language models share: options, the interface of their modules, output layers, the task."""

import abc
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Unpack, cast

import numpy as np
import numpy.typing as npt
import torch

from firth.language.text import LanguageText
from firth.neural.layers.output.base import OutputConfig, OutputLayer
from firth.neural.layers.output.learned_codes import RULES
from firth.neural.layers.output.registry import OUTPUTS, make_output, options_of
from firth.neural.layers.state import State
from firth.neural.models.language.data import StreamOptions, TextBatch, TextStream
from firth.neural.supervised import mean_loss, on_device, perplexity_of
from firth.neural.training.devices import new_module as built
from firth.neural.training.options import TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import check, option, options_class, parse_spec
from firth.vocabulary import Vocabulary


class SpellingEmbedding(Protocol):
    """An embedding that composes word vectors from characters, for words outside the vocabulary too."""

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) character ids of n words, the input of a forward pass for words outside the vocabulary."""
        ...

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, D) vectors of n words."""
        ...


class LanguageModule(torch.nn.Module, abc.ABC):
    """The module of a language model. Training, scoring, saving and decoding are elsewhere.

    Attributes:
        embedding: (...) ids to (..., D) vectors.
        output: (N, D) hidden states to losses and log-probabilities.
        bos: id before a fresh text: the end of a sentence, or the unknown word if sentence ends are not predicted.
        spells: whether the embedding reads characters.
    """

    embedding: torch.nn.Module
    output: OutputLayer
    bos: int
    spells: bool = False

    @property
    def spelling(self) -> SpellingEmbedding | None:
        """The embedding, if it reads characters; else None."""
        return cast("SpellingEmbedding", self.embedding) if self.spells else None

    def inputs_of(self, text: LanguageText) -> tuple[npt.NDArray[np.int32], torch.Tensor | None]:
        """Return the module's input for a text of N tokens with U distinct unknown words.

        Returns:
            (N,) ids, and (U, C) character ids of the unknown words for `forward`; None if every id is below V, because
            the text has no unknown word or the module reads all of them as `<unk>`.
        """
        if self.spelling is None or not text.unknown_words:
            return text.ids, None
        return text.input_ids, self.spelling.character_ids(text.unknown_words)

    @abc.abstractmethod
    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return (B, T, D) hidden states and the state after the last.

        Args:
            ids: (B, T) int64; with `unknown`, V + i stands for unknown word i.
            state: from the call for the preceding ids; None at the start of a text.
            unknown: (U, C) character ids of unknown words, from `inputs_of`.
        """


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
    max_codes: float = option(4.0, "maximum mean number of codes per word", minimum=1)


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


class TextReader:
    """Runs a module over the batches of a text.

    Attributes:
        stream: the batches of the text.
    """

    def __init__(self, module: LanguageModule, text: LanguageText, **options: Unpack[StreamOptions]) -> None:
        inputs, self._unknown = module.inputs_of(text)
        self.stream = TextStream(ids=text.ids, inputs=inputs, bos=module.bos, **options)
        self._module = module

    def hidden(self, batch: TextBatch, state: State) -> tuple[torch.Tensor, State]:
        """Return (B, T, D) hidden states of a batch on the module's device, and the state after it."""
        if self._unknown is not None:
            self._unknown = self._unknown.to(batch.inputs.device)
        hidden, state = self._module(batch.inputs, state, self._unknown)
        return hidden, state


@dataclasses.dataclass(eq=False, kw_only=True)
class StreamTask:
    """A model that carries its state through the streams of a text; implements `firth.neural.training.task.Task`.

    Attributes:
        loss: returns the mean loss of a batch, given the state before it.
        nats: returns the sum of the losses of a batch, a float64 scalar, and the state after it.
        held_out: read in a few streams at once, each of which begins without context. A trained model reads it in one
            stream (`log_probs`), which gives a slightly lower perplexity.
    """

    module: torch.nn.Module
    batches: Batches
    unit: str
    loss: Callable[[TextBatch, State], StepOutput]
    nats: Callable[[TextBatch, State], tuple[torch.Tensor, State]]
    held_out: TextStream | None
    eval_predictions: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.eval_predictions = 0 if self.held_out is None else len(self.held_out.ids)

    def step(self, batch: TextBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch; see `Task.step`."""
        return self.loss(batch, state)

    @torch.no_grad()
    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per token, and the perplexity, of the held-out text; see `Task.evaluate`."""
        if self.held_out is None:
            return {}
        total, state = 0.0, None
        for batch in on_device(self.held_out, self.module):
            nats, state = self.nats(batch, state)
            total += nats.item()
        loss = total / self.eval_predictions
        return {"loss": loss, "perplexity": perplexity_of(loss)}


def language_task(
    module: LanguageModule, text: LanguageText, held_out: LanguageText | None = None, **options: Unpack[StreamOptions]
) -> StreamTask:
    """Return a language model with its text as a task; options of `TextStream`."""
    reader = TextReader(module, text, **options)
    test = None if held_out is None else TextReader(module, held_out, batch_size=EVAL_STREAMS, bptt=EVAL_BPTT)

    def loss(batch: TextBatch, state: State) -> StepOutput:
        hidden, state = reader.hidden(batch, state)  # (B, T, D)
        return dataclasses.replace(mean_loss(module.output.loss(*batch.predicted_rows(hidden))), state=state)

    def nats(batch: TextBatch, state: State) -> tuple[torch.Tensor, State]:
        assert test is not None
        hidden, state = test.hidden(batch, state)
        return -module.output.log_prob_of(*batch.predicted_rows(hidden)).sum(dtype=torch.float64), state

    return StreamTask(
        module=module,
        batches=reader.stream,
        unit=text.rules.unit,
        loss=loss,
        nats=nats,
        held_out=None if test is None else test.stream,
    )
