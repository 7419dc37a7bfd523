"""Neural lattice language models: the probability of a text is the sum over its segmentations into chunks.

What: a unit is a token (a character, a word) or a frequent chunk of up to L tokens; each has K embeddings ("senses").
    An LSTM reads a text unit by unit and predicts the next unit. Segmentations share their states: where several units
    end at the same place, their states become one. With L = 1 this is a polysemy lattice, several embeddings per word;
    with L = K = 1 it is an LSTM language model.
Objective: with s_i the state of node i, between tokens i and i + 1, an edge e = (i, j, u, k) for each unit u that is
    the text between two nodes, and each sense k:

    p(e) = softmax(U h_i + b)[u, k]              log alpha_j = log sum_{e into j} alpha_i p(e),   p(text) = alpha_N
    s_j  = sum_{e into j} w_e LSTM(s_i, x_uk)                w_e = alpha_i p(e) / alpha_j           merge=expected
                                                             w = one edge drawn by w_e              merge=sampled
                                                             w = softmax((log w_e + g) / temperature)  merge=gumbel

    with g Gumbel's noise. A state depends on earlier tokens only, so that p is a distribution over texts, and
    p(x_t | x_1 .. x_{t-1}) counts the units that have begun and go on.
Source: Buckman and Neubig 2018, "Neural lattice language models": section 3.1 (lattices), section 3.3 (states:
    Monte Carlo, marginalised, Gumbel-softmax), section 4.1 (several embeddings), section 4.2 (chunks).
Departures:
- Chunks are the most frequent of the training text, each with an embedding and an output row of its own. Others have no
  edge: tokens spell them. (The paper composes the embeddings of others from their tokens.)
- With K > 1, row (u, k) of U and b is the sum of a row of the unit, which its senses share, and a difference of the
  sense, which starts at 0. Separate rows would split the examples of a unit among them
  (benchmarks/results/lattice.md).
- Drawn states (sampled, gumbel) are for training. Evaluation takes the expected state, which needs no random numbers.
- One LSTM layer: with more, each edge would need products of its own.
- The text is in parallel streams, as in the other language models, and chunks reach across the windows of
  back-propagation; gradients do not.
- In training a stream's loss is that of the paths that end at its last token, so that a chunk never goes past it.
- Dropout of an embedding has one mask per unit and batch.
Cost: per token the 8 H^2 multiplications of an LSTM (its products are those of nodes), (V + C) K H for the softmax over
    C chunks, and L K times the LSTM's element-wise arithmetic. benchmarks/results/lattice.md has the speed.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import torch

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.language.text import UNK, LanguageText, encode_sentences, held_out_text, training_text
from firth.neural.layers.state import State
from firth.neural.models.language.data import TextBatch, TextStream
from firth.neural.models.language.language_model import EVAL_BPTT, EVAL_STREAMS, StreamTask
from firth.neural.models.lattices.module import MERGES, Chunk, LatticeModule, Units, frequent_chunks
from firth.neural.models.lattices.predict import LatticeModel
from firth.neural.supervised import digest
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.neural.training.task import StepOutput
from firth.options import option, options_class, values_of
from firth.text.inputs import Text, check_items
from firth.timing import running_clock


def lattice_task(
    module: LatticeModule, text: LanguageText, held_out: LanguageText | None, *, batch_size: int, bptt: int
) -> StreamTask:
    """Return a lattice language model with its text as a task."""

    def losses(batch: TextBatch, state: State) -> tuple[torch.Tensor, State]:
        """Return the (B,) float64 losses of a batch's tokens, and the state after it."""
        reading = module(batch.targets, module.start(batch.inputs[:, 0]) if state is None else state)
        first = module.units.max_length - 1  # the node where the batch begins
        if batch.predicted is None:
            return -reading.nodes.totals[-1], reading.state
        ends = (first + batch.predicted.sum(1)).unsqueeze(0)
        return -reading.nodes.totals.gather(0, ends)[0], reading.state

    def loss(batch: TextBatch, state: State) -> StepOutput:
        nats, state = total(batch, state)
        tokens = batch.targets.numel() if batch.predicted is None else int(batch.predicted.sum())
        return StepOutput((nats / tokens).float(), nats.detach(), tokens, state)

    def total(batch: TextBatch, state: State) -> tuple[torch.Tensor, State]:
        parts, state = losses(batch, state)
        return parts.sum(), state

    test = None
    if held_out is not None:
        streams = min(EVAL_STREAMS, max(len(held_out) // EVAL_BPTT, 1))  # each costs its end's chunks
        test = TextStream(ids=held_out.ids, batch_size=streams, bptt=EVAL_BPTT, bos=module.bos)
    batches = TextStream(ids=text.ids, batch_size=batch_size, bptt=bptt, bos=module.bos)
    return StreamTask(module=module, batches=batches, unit=text.rules.unit, loss=loss, nats=total, held_out=test)


@explained(unknown=UNK, tokens="characters")
def train_lattice(
    options: Any,
    corpus: Corpus | LanguageText | Any,
    *,
    chunks: Sequence[Text] | None = None,
    held_out: Any = None,
    **arguments: Unpack[TextRunArguments],
) -> LatticeModel:
    """Train a lattice language model.

    Args:
        options: of the model.
        corpus: training text: a corpus built with `unknown="<unk>"` or with every word, a text that has been read, or
            anything that `Corpus.build` takes, which is read as characters unless `tokens` says otherwise.
        chunks: the chunks, each a string or a list of tokens; None for the most frequent ones of the text.
        held_out: text that selects the best epoch: anything that `Corpus.build` takes, or a text with the same
            vocabulary. Without it, the last epoch is kept.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no corpus yet.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Raises:
        CorpusError: the text is empty, the corpus has left words out, or no word of the held-out text is known.
        OptionError: an option is out of its range, a chunk is longer than allowed or has unknown tokens, or the
            checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = training_text(corpus, given, tokens="characters", progress=config.progress)
        if held_out is not None:
            held_out = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
        units, counts = _chunks(options, chunks, text)
        bos = text.unk_id if text.eos_id is None else text.eos_id
        module = new_module(config.seed, options.build, len(text.vocabulary), units, bos, copies=2)
        module.begin_at(torch.tensor([*text.vocabulary.counts.tolist(), *counts]))
        task = lattice_task(module, text, held_out, batch_size=config.training.batch_size, bptt=options.bptt)
        facts = fit_model(task, options, config, {"text": _digest(text, units), "words": len(text)})
    return LatticeModel(module, options, text.vocabulary, text.rules, {"training": facts})


def _chunks(options: Any, chunks: Sequence[Text] | None, text: LanguageText) -> tuple[list[Chunk], list[int]]:
    """Return the chunks of a model and their counts, of given ones the lowest that counts."""
    if chunks is not None:
        given = given_chunks(chunks, text)
        return given, [options.min_count] * len(given)
    counts = frequent_chunks(text, max_length=options.max_length, most=options.chunks, min_count=options.min_count)
    return list(counts), list(counts.values())


def given_chunks(chunks: Sequence[Text], text: LanguageText) -> list[Chunk]:
    """Return the token ids of chunks, read as the text was.

    Raises:
        OptionError: a chunk has tokens that are not in the vocabulary.
    """
    result = []
    for number, chunk in enumerate(check_items(chunks, "chunks")):
        read = encode_sentences([chunk], text.vocabulary, text.rules)
        ids = read.ids[: len(read) - (0 if text.eos_id is None else 1)]
        if (ids == text.unk_id).any():
            raise OptionError(f"chunk {number}, {chunk!r}, has tokens that the text lacks; expected known ones only")
        result.append(tuple(ids.tolist()))
    return result


def _digest(text: LanguageText, chunks: list[Chunk]) -> str:
    """Return a digest of a text and its chunks."""
    return digest(text.ids, "\n".join(text.vocabulary.words), repr(chunks))


@options_class
class LatticeLM:
    """Neural lattice language model, over characters or words and chunks of them.

    Source:
        Buckman and Neubig 2018; the module's docstring has the formula and every departure.
    """

    common_options: ClassVar = ("max_length", "chunks", "senses", "dim", "hidden")
    train = train_lattice
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=5, batch_size=32, lr=0.005, schedule="linear", clip_norm=1.0
    )

    max_length: int = option(4, "tokens of the longest chunk; 1 for none", minimum=1)
    chunks: int = option(700, "largest number of chunks of each length", minimum=0)
    min_count: int = option(20, "lowest count of a chunk in the training text", minimum=1)
    senses: int = option(1, "embeddings of each unit (polysemy lattice)", minimum=1)
    merge: str = option("expected", "how the states of a node become one in training", choices=MERGES)
    temperature: float = option(1.0, "of the Gumbel-softmax, with merge=gumbel", minimum=0, exclusive=True)
    dim: int = option(128, "width of embeddings", minimum=1)
    hidden: int = option(256, "width of the LSTM's state", minimum=1)
    dropout: float = option(0.1, "dropout of embeddings and of the LSTM's output", minimum=0, maximum=0.99)
    bptt: int = option(64, "truncated back-propagation through time: tokens per stream and batch", minimum=1)

    def build(self, tokens: int, chunks: Sequence[Chunk], bos: int) -> LatticeModule:
        """Return a module with random parameters from torch's default generator."""
        shared = values_of(self, "senses", "dim", "hidden", "dropout", "merge", "temperature")
        return LatticeModule(Units(tokens, chunks, self.max_length), bos=bos, **shared)
