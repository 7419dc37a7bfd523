"""Summarizers from their folders."""

from typing import Any

from firth.neural.models.summaries.summary_model import SummaryModel
from firth.neural.models.translation.files import restored
from firth.neural.saved import read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> SummaryModel:
    """Return the summarizer of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a summarizer that this version does not know.
    """
    translator = restored(content, __package__, lambda options: options.translator)
    options: Any = read_options(content, __package__)
    return SummaryModel(translator, options)
