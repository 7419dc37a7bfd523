"""The method `train` of sentence autoencoders: read the sentences, create a module, run the training loop."""

from collections.abc import Sequence
from typing import Any, Unpack

import torch

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, warn_caller
from firth.neural.models.autoencoders.autoencoder_model import AutoencoderModel
from firth.neural.models.autoencoders.codes import QuantisedCode
from firth.neural.models.autoencoders.data import Item, SentenceItems, digest, read_texts
from firth.neural.models.autoencoders.measures import AutoencoderScores
from firth.neural.models.autoencoders.module import SentenceAutoencoder
from firth.neural.models.autoencoders.task import AutoencoderTask
from firth.neural.models.translation.units import learn_units
from firth.neural.training.devices import new_parameters, no_subnormals
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.timing import running_clock

REMEDIES = (
    "let the KL rise more slowly (annealing_share), give it free_bits, drop more words (word_dropout), or train with "
    "lagging=True"
)


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
        KindError: a sentence is no text.
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
            rows, judged_rows = split_rows(len(given.texts), config.seed, name)
            given, judged = given.rows(rows), given.rows(judged_rows)
        else:
            judged = read_texts(held_out, held_out_labels, "held_out")
        if len(names) == 1:
            raise CorpusError(f"all sentences have the label {names[0]!r}; expected two labels or more, or none at all")
        units = learn_units(
            given.texts, options.units, options.max_size, min_count=options.min_count, lowercase=options.lowercase
        )
        items = SentenceItems(units, names, options.max_length)
        train, test = items.read(given), items.read(judged, warn=False)
        with new_parameters(config.seed, 2):
            module: SentenceAutoencoder = options.build(units, len(names))
        task = AutoencoderTask(
            module, options, items, train, test, batch_size=config.training.batch_size, seed=config.seed
        )
        data = {"sentences": len(train), "text": digest(train, test)}
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
