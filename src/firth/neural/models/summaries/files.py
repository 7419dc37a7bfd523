"""Summarizers from their folders."""

from typing import Any

from firth.neural.models.summaries.predict import SummaryModel
from firth.neural.models.translation.files import restored
from firth.neural.saved import read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> SummaryModel:
    """Return the summarizer of a folder."""
    translator = restored(content, __package__, lambda options: options.translator)
    options: Any = read_options(content, __package__)
    return SummaryModel(translator, options)
