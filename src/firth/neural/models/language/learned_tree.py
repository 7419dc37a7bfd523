"""Output trees that are learned: a model with a random tree comes first, and its contexts part the words.

What: words whose contexts are alike should hang near each other, so that a decision is made once for all of them. What
a context is, a model has to learn: so a short training with a random tree goes before, the mean of its hidden vectors
before each word says where the word belongs, and the model proper begins anew with the tree made of that.

Objective: see `firth.neural.layers.output.learned_codes`.

Source: Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4.

Departures: any model may have such a tree, not the log-bilinear one alone.

Cost: `bootstrap` passes over the text with a random tree, whose paths are the longer ones, and one without gradients.
Where a training has its minutes, a quarter of them goes into this.
"""

import torch

from firth import options
from firth.language.text import LanguageText
from firth.neural.layers.output.codes import WordCodes
from firth.neural.layers.output.learned_codes import RULES, ContextMeans, Cutting, learned_codes
from firth.neural.layers.output.tree import TreeSoftmax
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.reader import TextReader
from firth.options import option, options_class
from firth.randomness import torch_seed
from firth.vocabulary import Vocabulary

STREAMS, STEPS = 64, 16  # of the pass that finds the means


@options_class
class LearnedTree:
    """How a tree is learned: what stands behind `output="tree:tree=learned"`, such as `:overlap=0.1`.

    Raises:
        OptionError: one of them is out of its range.
    """

    bootstrap: int = option(2, "passes of the model with a random tree that comes first", minimum=1)
    rule: str = option("adaptive", "how words are parted", choices=RULES)
    overlap: float = option(0.0, "how far from even odds a word may be and go to both sides", minimum=0, maximum=0.49)
    most: float = option(4.0, "codes a word on average, at most", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)

    def codes(self, module: LanguageModule, text: LanguageText, seed: int) -> WordCodes:
        """Return a tree in which words hang together that a model expects in like contexts.

        Args:
            module: of a model that has learned the text.
            text: the same.
            seed: of the directions that parting begins with.
        """
        cutting = Cutting(rule=self.rule, overlap=self.overlap, most=self.most)
        return learned_codes(_means(module, text).means(), cutting=cutting, seed=seed)


@torch.no_grad()
def _means(module: LanguageModule, text: LanguageText) -> ContextMeans:
    means, state = ContextMeans(module.output.width, len(text.vocabulary)), None
    reader = TextReader(module.eval(), text, batch_size=STREAMS, steps=STEPS)
    device = next(module.parameters()).device
    for batch in reader.stream.epoch(0):
        here = batch.to(device)
        hidden, state = reader.hidden(here, state)
        means.add(*here.chosen(hidden))
    return means


def hang(module: LanguageModule, codes: WordCodes, vocabulary: Vocabulary, seed: int) -> None:
    """Give a module a new output layer over a tree; torch's own generator is left as it was.

    Args:
        module: whose tree is taken away.
        codes: the tree.
        vocabulary: V words with their counts.
        seed: of the layer's weights.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed, "weights of a learned tree"))
        module.output = TreeSoftmax(module.output.width, len(vocabulary), counts=vocabulary.counts, tree=codes)
