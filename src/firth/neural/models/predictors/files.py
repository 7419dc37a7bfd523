"""Latent predictor networks from their folders."""

from typing import Any

from firth.neural.models.predictors.predict import PredictorModel
from firth.neural.saved import read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> PredictorModel:
    """Return the network of a folder."""
    try:
        options: Any = read_options(content, __package__)
        fields = list(content.config["fields"])
        if not fields or not all(isinstance(name, str) for name in fields) or len(set(fields)) != len(fields):
            raise ValueError(f"{len(fields)} fields")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a latent predictor network ({error})") from error
    module = read_module(content, options, lambda: options.build(len(fields)))
    return PredictorModel(module, options, fields, content.metadata)
