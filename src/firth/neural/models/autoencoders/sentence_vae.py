"""Variational autoencoders of sentences: a latent code for each sentence, and a sentence for each code.

What
    An LSTM reads a sentence and gives the distribution of its code; another writes the sentence from a code. Codes are
    normal vectors, or slots with one of K categories: drawn by the Gumbel-softmax, or chosen by vector quantisation.
    With labels, the prior of the codes depends on the label, and both LSTMs read it: a conditional autoencoder.
Objective
    log p(x) >= E_q(z | x) log p(x | z) - KL(q(z | x) | p(z));   `module` says how the divergence counts in training
Source
    Bowman et al. 2016, "Generating sentences from a continuous space"; Sohn, Lee and Yan 2015 (conditional); Jang, Gu
    and Poole 2017 (Gumbel-softmax); van den Oord, Vinyals and Kavukcuoglu 2017 (vector quantisation).
Departures
    The decoder reads the code at each step, too, and not only at the start. Free bits are given by default: without
    them the code collapses more often. Other departures are in `codes`, `module` and `measures`.
Cost
    A step of two LSTMs and of the softmax over all words for each word.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

import torch

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, warn_caller
from firth.neural.layers.sequence_pooling import POOLINGS
from firth.neural.layers.state import State
from firth.neural.models.autoencoders.codes import Code, GaussianCode, GumbelCode, QuantisedCode
from firth.neural.models.autoencoders.data import Item, SentenceItems, Sentences, read_texts
from firth.neural.models.autoencoders.measures import AutoencoderScores, measure
from firth.neural.models.autoencoders.module import LaggingInference, SentenceAutoencoder, kl_weight
from firth.neural.models.autoencoders.predict import AutoencoderModel
from firth.neural.models.translation.units import Units, learn_units
from firth.neural.supervised import digest, split_rows
from firth.neural.training.devices import new_module, no_subnormals
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import check, option, options_class
from firth.timing import running_clock

ANNEALING = ("linear", "logistic", "none")
EVAL_BATCH = 64  # sentences
REMEDIES = (
    "let the KL rise more slowly (annealing_share), give it free_bits, drop more words (word_dropout), or train with "
    "lagging=True"
)
CODES = ("gaussian", "gumbel", "vq")


class AutoencoderTask:
    """A module with its sentences; implements `firth.neural.training.task.Task`.

    Attributes:
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
        return measure(self._model, self._held_out)

    def evaluate(self) -> Mapping[str, float]:
        """Return the objective at the full weight of the KL as the loss, and figures; see `Task.evaluate`.

        Without free bits it is -ELBO. With them, a code that spends them is as good as one that collapsed.
        """
        scores = self.scores()
        if self._lagging is not None:
            self._lagging.judge(scores.mutual_information)
        figures = {
            "loss": sum(max(nats, self._options.free_bits) for nats in scores.kl_by_unit) - scores.reconstruction,
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


@explained
def train_autoencoder(
    options: Any,
    texts: Any,
    labels: Any = None,
    *,
    held_out: Any = None,
    held_out_labels: Any = None,
    **run: Unpack[RunArguments],
) -> AutoencoderModel:
    """Train an autoencoder on sentences.

    Args:
        options: `firth.SentenceVAE`.
        texts: a file with a sentence per line, or a list of sentences, or of pairs (sentence, label). Empty ones are
            left out.
        labels: a label per sentence, for a conditional model; None for none.
        held_out: sentences that select the best epoch. Without them a tenth of the sentences is held out.
        held_out_labels: their labels.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best objective on held-out sentences: the ELBO, where free bits cost nothing. A code that
        collapsed is warned of.

    Raises:
        CorpusError: there are no sentences, or a label is missing or unknown.
        ArgumentTypeError: a sentence is no text.
        ShapeError: there are not as many labels as sentences.
        OptionError: an option is out of its range, held-out sentences lack labels, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    if options.lagging and (config.training.processes > 1 or config.training.accumulate > 1):
        raise OptionError("lagging=True: one part is trained at a time; expected processes=1 and accumulate=1")
    if held_out is None and held_out_labels is not None:
        raise OptionError("held_out_labels without held_out; expected both, or neither")
    with running_clock():
        given = read_texts(texts, labels)
        names = sorted(set(given.labels or ()))  # of all: the held-out part may have the only sentence of a label
        if held_out is None:
            name = f"texts: {len(given.texts)} sentence"
            rows, validation_rows = split_rows(len(given.texts), config.seed, name)
            given, validation = given.rows(rows), given.rows(validation_rows)
        else:
            validation = read_texts(held_out, held_out_labels, "held_out")
        if len(names) == 1:
            raise CorpusError(f"all sentences have the label {names[0]!r}; expected two labels or more, or none at all")
        units = learn_units(
            given.texts, options.units, options.max_size, min_count=options.min_count, lowercase=options.lowercase
        )
        items = SentenceItems(units, names, options.max_length)
        train, test = items.read(given), items.read(validation, warn=False)
        module: SentenceAutoencoder = new_module(config.seed, options.build, units, len(names), copies=2)
        task = AutoencoderTask(
            module, options, items, train, test, batch_size=config.training.batch_size, seed=config.seed
        )
        data = {"sentences": len(train), "text": _digest(train, test)}
        facts = fit_model(task, options, config, data, facts={"held_out_sentences": len(test)})
        task.finish()
        module.eval()
        with torch.no_grad(), no_subnormals():
            if isinstance(module.code, QuantisedCode):
                fit_prior(module, items, train)
            scores = task.scores()
    if scores.collapsed:
        warn_caller(collapse(scores))
    codes = {"kl": scores.kl, "active_units": scores.active_units, "mutual_information": scores.mutual_information}
    return AutoencoderModel(module, options, items, {"training": {**facts, "code": codes}})


def _digest(*parts: Sequence[Item]) -> str:
    """Return a digest of the data of a run."""
    return digest((str(len(items)), [(ids, label.to_bytes(4, "little")) for ids, label in items]) for items in parts)


def fit_prior(module: SentenceAutoencoder, items: SentenceItems, train: Sequence[Item]) -> None:
    """Set the prior of quantised codes to their shares among the training sentences."""
    assert isinstance(module.code, QuantisedCode)
    codes, labels = [], []
    device = next(module.parameters()).device
    for batch in items.batches(train, 256, shuffle=False).epoch(0):
        here = batch.to(device)
        codes.append(module.code.best(module.code.distribution(module.encoder(here))))
        labels.append(torch.zeros(len(codes[-1]), device=device) if here.labels is None else here.labels)
    module.code.fit_prior(torch.cat(codes), torch.cat(labels))


def collapse(scores: AutoencoderScores) -> str:
    """Return what is wrong with a collapsed code, and the remedies."""
    return (
        f"the code has collapsed: KL {scores.kl:.2f} nats per sentence, {scores.active_units} active units; sentences "
        f"do not depend on it. Remedies: {REMEDIES}"
    )


@options_class
class SentenceVAE:
    """A variational autoencoder of sentences.

    Raises:
        OptionError: an option is out of its range, or two contradict each other.

    Source:
        Bowman et al. 2016; the module's docstring has the formula and every departure.
    """

    train = train_autoencoder
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, lr=0.002, schedule="linear", clip_norm=5.0
    )

    code: str = option(
        "gaussian",
        "latent code: normal numbers, or categories by the Gumbel-softmax or vector quantisation",
        choices=CODES,
    )
    latent: int = option(32, "width of the code; of discrete codes the width of a category's vector", minimum=1)
    slots: int = option(1, "slots of a discrete code, each with one category", minimum=1)
    codes: int = option(16, "categories of each slot of a discrete code", minimum=2)
    dim: int = option(128, "width of word vectors", minimum=1)
    hidden: int = option(256, "width of the layers of encoder and decoder", minimum=1)
    layers: int = option(1, "layers of the encoder, and of the decoder", minimum=1)
    cell: str = option("lstm", "recurrent cell", choices=("lstm", "gru", "rnn"))
    pooling: str = option(
        "max", "what of the encoder's outputs gives the code; last is that of Bowman et al.", choices=POOLINGS
    )
    label_dim: int = option(16, "width of the vectors of labels, where sentences have labels", minimum=1)
    dropout: float = option(0.3, "dropout of the decoder's inputs and outputs", minimum=0, maximum=0.99)
    word_dropout: float = option(
        0.2, "word dropout: share of the words that the decoder reads which become unknown ones", minimum=0, maximum=1
    )
    annealing: str = option("linear", "KL annealing: how the weight of the divergence rises to 1", choices=ANNEALING)
    annealing_share: float = option(0.5, "part of the run in which it rises", minimum=0, maximum=1)
    free_bits: float = option(0.1, "free bits: nats of KL per dimension or slot that cost nothing", minimum=0)
    lagging: bool = option(
        False, "lagging encoder: aggressive updates of the encoder until the mutual information stops to rise"
    )
    encoder_updates: int = option(30, "most updates of a lagging encoder before one of the decoder", minimum=1)
    temperature: float = option(1.0, "first temperature of the Gumbel-softmax", minimum=0, exclusive=True)
    least_temperature: float = option(0.5, "last temperature of the Gumbel-softmax", minimum=0, exclusive=True)
    temperature_decay: float = option(0.0003, "decay of the temperature per update", minimum=0)
    hard: bool = option(False, "straight-through Gumbel-softmax: the decoder reads single categories in training")
    commitment: float = option(0.25, "weight of the commitment loss of vector quantisation", minimum=0)
    units: str = option("words", "what sentences are split into", choices=("words", "subwords"))
    max_size: int = option(10_000, "maximum number of words or subwords", minimum=1)
    min_count: int = option(2, "minimum count of a word; rarer ones are unknown", minimum=1)
    lowercase: bool = option(True, "whether sentences are read in lower case")
    max_length: int = option(50, "words of a sentence that are read; the rest is left out", minimum=1)

    def __post_init__(self) -> None:
        check(self)
        if self.least_temperature > self.temperature:
            raise OptionError(
                f"least_temperature={self.least_temperature}: expected at most temperature={self.temperature}"
            )
        if self.lagging and self.code == "vq":
            raise OptionError(
                "lagging=True with code='vq': its posterior has no divergence that could lag; leave it out"
            )

    def build(self, units: Units, labels: int) -> SentenceAutoencoder:
        """Return a module with random parameters from torch's default generator."""
        return SentenceAutoencoder(self, units, labels, self._build_code(labels))

    def _build_code(self, labels: int) -> Code:
        if self.code == "gaussian":
            return GaussianCode(self.latent, labels, self.label_dim)
        if self.code == "vq":
            return QuantisedCode(self.slots, self.codes, self.latent, labels, commitment=self.commitment)
        schedule = (self.temperature, self.least_temperature, self.temperature_decay)
        return GumbelCode(
            self.slots, self.codes, self.latent, labels, self.label_dim, hard=self.hard, schedule=schedule
        )
