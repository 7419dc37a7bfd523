"""Encoders of a few numbers, pretrained on sentences from a small grammar."""

import functools

import torch

import firth
from firth.text.wordpieces import WordPieces
from tests.unit.neural.models.sentences.encoders import sentences

NETWORK = {"dim": 16, "layers": 2, "heads": 2, "max_length": 24}
MODELS = {
    "masked": firth.MaskedLM(**NETWORK),
    "electra": firth.Electra(**{**NETWORK, "heads": 4}, embedding_dim=12),
    "coco": firth.CocoLM(**NETWORK),
}


def training(**options):
    return firth.TrainingOptions(**{"epochs": 2, "batch_size": 16, "lr": 0.01, "optimiser": "adamw", **options})


@functools.cache
def pieces():
    return WordPieces.train(sentences(), 120)


def objective(name, **changes):
    """A new objective without dropout."""
    options = type(MODELS[name])(**{**vars(MODELS[name]), "dropout": 0.0, **changes})
    torch.manual_seed(3)
    return options.build_objective(options.config(pieces()), pieces())


def spread(model):
    """The objective with large weights: new ones give all windows nearly the same states."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and "embeddings" not in name:
                parameter.mul_(20)
    return model


def window(rows=3):
    """Ids of a few windows of 14 tokens."""
    every = [row for text in pieces().encode(sentences(12)) for row in text]
    body = torch.tensor(every[: rows * 12]).reshape(rows, 12)
    ends = torch.tensor([[pieces().cls_id, pieces().sep_id]]).expand(rows, 2)
    return torch.cat((ends[:, :1], body, ends[:, 1:]), 1)


@functools.cache
def trained(name):
    lines = sentences()
    return MODELS[name].train(lines, held_out=lines[:20], training=training(), max_size=120)
