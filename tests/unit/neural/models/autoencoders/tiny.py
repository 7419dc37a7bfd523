"""Small autoencoders and sentences for tests."""

import itertools
from dataclasses import replace

import firth
from firth.neural.models.autoencoders.data import SentenceItems
from firth.neural.models.autoencoders.predict import AutoencoderModel
from firth.neural.models.translation.units import learn_units
from firth.neural.training.devices import new_parameters

SENTENCES = [
    f"the {animal} {verb}{place}"
    for animal, verb, place in itertools.product(("dog", "cat", "bird"), ("runs", "sleeps", "eats"), (" here", "", "!"))
]
LABELS = ["short" if len(text.split()) < 4 and text[-1] != "!" else "long" for text in SENTENCES]
SMALL = {"dim": 6, "hidden": 8, "latent": 3, "label_dim": 2, "codes": 4, "slots": 2, "min_count": 1, "max_length": 9}


def untrained(*, labels=False, seed=0, **options):
    """An autoencoder with random parameters that are large enough to matter."""
    kind = firth.SentenceVAE(**{**SMALL, **options})
    units = learn_units(SENTENCES, kind.units, min(kind.max_size, 300), lowercase=True)
    names = sorted(set(LABELS)) if labels else []
    with new_parameters(seed):
        module = kind.build(units, len(names))
        for parameter in module.parameters():
            parameter.data.mul_(2.0)
    return AutoencoderModel(module, kind, SentenceItems(units, names, kind.max_length))


def trained(labels=None, *, epochs=2, copies=1, lr=0.002, run=None, **options):
    """An autoencoder after some epochs on so many copies of the sentences."""
    kind = firth.SentenceVAE(**{**SMALL, **options})
    training = replace(kind.training, epochs=epochs, batch_size=8, lr=lr)
    judged = slice(0, 27, 3)
    return kind.train(
        SENTENCES * copies,
        None if labels is None else labels * copies,
        held_out=SENTENCES[judged],
        held_out_labels=None if labels is None else labels[judged],
        training=training,
        progress=False,
        **(run or {}),
    )
