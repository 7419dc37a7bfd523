"""Models of trees with labels from their folders, which `TreeModel.save` writes.

Besides the module and its options (`firth.neural.module_files`), a folder holds:

model.safetensors    "label_counts" (L,) int64
vocab.json           the V words
labels.json          the L labels
config.json          how many words were counted, and the caller's metadata
README.md            a model card
"""

from firth.classify.labels import LabelSet
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.trees.options import TreeOptions, new_module
from firth.neural.models.trees.train import NO_LIMIT
from firth.neural.models.trees.tree_model import COUNTS, TreeModel
from firth.neural.module_files import read_module, read_options
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> TreeModel:
    """Return the model of a folder.

    Raises:
        FormatError: the folder is damaged, or holds a model that this version does not know.
    """
    words, names = content.words(), content.words("labels")
    try:
        options: TreeOptions = read_options(content, __package__)
        facts = {name: int(content.config[name]) for name in ("min_count", "counted")}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a model of trees ({error})") from error
    if len(names) < 2 or len(set(names)) != len(names) or len(set(words)) != len(words):
        raise content.damaged(f"{len(words):,} words and {len(names):,} labels; expected two labels and no duplicates")
    labels = LabelSet(names, content.counts(COUNTS, len(names)))
    reader = TextReader(words, "whitespace", NO_LIMIT, **facts)
    module = read_module(content, options, lambda: new_module(options, reader, len(names), seed=0), other=(COUNTS,))
    return TreeModel(module, options, reader, labels, content.metadata)
