"""The label of a text as a function of its word embeddings, for `firth.explain`."""

from typing import Any

import torch

from firth.errors import OptionError, brief
from firth.neural.explainable import EmbeddedText
from firth.neural.models.texts.reader import Sequences, split
from firth.text.batches import warn_truncated


def explainable_text(model: Any, text: str, target: str | None) -> EmbeddedText:
    """Return a text as attribution methods need it.

    Args:
        model: a `LabelModel`.
        text: the text; tokens beyond the limit are not read, and a warning says so.
        target: a label; None for the most probable one.

    Raises:
        OptionError: there is no such label, the text has no known word, or the model is one of pairs.
    """
    module, reader = model.module, model.reader
    if model.options.pairs:
        raise OptionError(f"{model!r} reads pairs: only models of single texts can be explained")
    if reader.embedders:
        raise OptionError(f"{model!r} has embedders, whose vectors are not those of words: expected a model without")
    if reader.pieces is not None:
        raise OptionError(f"{model!r} reads word pieces: only models of words and characters can be explained")
    ids = reader.read(text)
    if not reader.is_known(ids):
        raise OptionError(f"text={brief(text)}: expected at least one word that the model knows")
    warn_truncated(int(reader.is_long(ids)), 1, reader.max_length, model.unit)
    tokens = list(split(text, reader.tokens))[: reader.max_length]
    device = next(module.parameters()).device

    def log_probs(ids: torch.Tensor) -> torch.Tensor:
        lengths = torch.full((len(ids),), ids.shape[1], dtype=torch.int64, device=ids.device)
        result: torch.Tensor = module(Sequences(ids, lengths)).log_softmax(1)
        return result

    inputs = reader.collate([reader.shorten(ids)]).ids[0].to(device)
    if target is None:
        with torch.no_grad():
            number = int(log_probs(inputs[None])[0].argmax())
    elif target in model.labels:
        number = model.labels.index(target)
    else:
        raise OptionError(f"target={brief(target)}: expected a label of the model: {', '.join(model.labels[:10])}")
    return EmbeddedText(
        module,
        module.encoder.embeddings,
        inputs,
        tokens,
        model.labels[number],
        lambda ids: log_probs(ids)[:, number],
        from_last=False,
    )
