"""Models of coreference from their folders."""

from typing import Any

from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.coreference.predict import CoreferenceModel
from firth.neural.models.coreference.span_predict import SpanCoreferenceModel
from firth.neural.models.coreference.spans import SpanCoreference
from firth.neural.models.tokens.reader import COUNTS, restored_reader
from firth.neural.saved import describing, read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> CoreferenceModel | SpanCoreferenceModel:
    """Return the model of a folder."""
    tokens = restored_reader(content)
    with describing(content, "a model of coreference"):
        options: Any = read_options(content, __package__)
    module = read_module(content, options, lambda: options.build(tokens, 0), other=(COUNTS,))
    if isinstance(options, SpanCoreference):
        return SpanCoreferenceModel(module, options, tokens, content.metadata)
    return CoreferenceModel(module, options, PairReader(tokens, options.nearest, options.matching), content.metadata)
