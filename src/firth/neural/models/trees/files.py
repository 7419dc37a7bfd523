"""Models of trees with labels from their folders, which are like those of texts."""

from firth.neural.models.texts.files import restored
from firth.neural.models.trees.predict import TreeModel
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> TreeModel:
    """Return the model of a folder; see `firth.neural.models.texts.files.restored`."""
    return restored(content, TreeModel, __package__)
