"""Neural language models from their folders, which `NeuralLanguageModel.save` writes.

Besides the module and its options (`firth.neural.saved`), a folder holds:

model.safetensors    "counts" (V,) int64
vocab.json           the V words
config.json          how text is read, the id before a text, and the caller's metadata
README.md            a model card
"""

from firth.language.text import TextRules, check_readable
from firth.neural.models.language.language_model import new_module
from firth.neural.models.language.predict import COUNTS, NeuralLanguageModel
from firth.neural.saved import read_module, read_options
from firth.storage.former_names import NEURAL_CONFIG, current_names
from firth.storage.model_folder import ModelFolder
from firth.vocabulary import Vocabulary

TREE = ("output.inner_nodes", "output.leaf_words", "output.weight", "output.bias")  # a learned tree has other shapes


def restore(content: ModelFolder) -> NeuralLanguageModel:
    """Return the model of a folder."""
    words = content.words()
    try:
        facts = current_names(content.config, ("bos",), NEURAL_CONFIG)
        rules = TextRules.from_config(facts["rules"])
        bos, total = int(facts["bos"]), int(facts["total"])
        options = read_options(content, __package__)
        vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), total)
        check_readable(vocabulary, rules)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json does not describe a language model ({error})") from error
    if not 0 <= bos < len(words):
        raise content.damaged(f"config.json says bos={bos}, expected the number of one of {len(words):,} words")
    module = read_module(
        content, options, lambda: new_module(options, vocabulary, bos, seed=0), other=(COUNTS,), resized=TREE
    )
    return NeuralLanguageModel(module, options, vocabulary, rules, content.metadata)
