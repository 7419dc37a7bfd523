"""Learned output trees: a first model with a random tree; its hidden states cluster the words.

What: words in similar contexts should be close in the tree, so that a decision is learned once for all of them. A first
    model is trained briefly with a random tree. The mean of its hidden states before each word represents the word, and
    recursive clustering of these means gives the tree of the final model.
Objective: see `firth.neural.layers.output.learned_codes`.
Source: Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4.
Departures: any model may have such a tree, not only the log-bilinear one.
Cost: `bootstrap` epochs with a random tree, whose paths are longer, and one pass without gradients. Under a limit in
    minutes, the first model has a quarter of them.
"""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import torch

from firth.language.text import LanguageText
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.codes import WordCodes
from firth.neural.layers.output.learned_codes import ClusteringOptions, ContextMeans, learned_codes
from firth.neural.layers.output.tree import TreeSoftmax
from firth.neural.models.language.language_model import (
    LanguageModule,
    LanguageOptions,
    LearnedTree,
    TextReader,
    learned_tree,
    new_module,
)
from firth.neural.models.language.predict import NeuralLanguageModel
from firth.neural.training.options import RunConfig
from firth.randomness import torch_seed
from firth.storage.checkpoints import checkpoint_of
from firth.vocabulary import Vocabulary

STREAMS, BPTT = 64, 16  # of the pass that computes the means
FIRST_MODEL = 0.25  # the first model's fraction of a limit in minutes


class LanguageRun(NamedTuple):
    """A training run of a language model."""

    options: LanguageOptions
    module: LanguageModule
    text: LanguageText
    held_out: LanguageText | None
    config: RunConfig
    start: NeuralLanguageModel | None = None


Trainer = Callable[[LanguageRun], NeuralLanguageModel]


def with_learned_tree(train: Trainer) -> Trainer:
    """Wrap the training of a model: if its output is a learned tree, train the first model and build the tree."""

    def train_twice(run: LanguageRun) -> NeuralLanguageModel:
        options, module, text, _, config, _ = run
        tree = learned_tree(options.output)
        if tree is None:
            return train(run)
        whole = checkpoint_of(config.checkpoint)
        checkpoint = whole and whole.below("random-tree")
        first_config = dataclasses.replace(_limited(config, FIRST_MODEL), checkpoint=checkpoint, callbacks=())
        first_config = first_config.with_training(epochs=tree.bootstrap, patience=0)
        first_options = dataclasses.replace(options, output="tree:tree=random")
        first_module = new_module(first_options, text.vocabulary, module.bos, config.seed, copies=2)
        first = train(LanguageRun(first_options, first_module, text, None, first_config))
        codes = cluster_words(first.module, text, tree, config.seed)
        set_tree(module, codes, text.vocabulary, config.seed)
        return train(run._replace(config=_limited(config, 1 - FIRST_MODEL)))

    return train_twice


def _limited(config: RunConfig, fraction: float) -> RunConfig:
    minutes = config.training.minutes
    return config if minutes is None else config.with_training(minutes=minutes * fraction)


def cluster_words(module: LanguageModule, text: LanguageText, tree: LearnedTree, seed: int) -> WordCodes:
    """Return a tree in which words are close if the hidden states before them are similar."""
    clustering = ClusteringOptions(rule=tree.rule, overlap=tree.overlap, max_codes=tree.max_codes)
    return learned_codes(_context_means(module, text).means(), clustering=clustering, seed=seed)


@torch.no_grad()
def _context_means(module: LanguageModule, text: LanguageText) -> ContextMeans:
    means, state = ContextMeans(module.output.width, len(text.vocabulary)), None
    reader = TextReader(module.eval(), text, batch_size=STREAMS, bptt=BPTT)
    device = next(module.parameters()).device
    for batch in reader.stream.epoch(0):
        on_device = batch.to(device)
        hidden, state = reader.hidden(on_device, state)
        means.add(*on_device.predicted_rows(hidden))
    return means


def set_tree(module: LanguageModule, codes: WordCodes, vocabulary: Vocabulary, seed: int) -> None:
    """Replace a module's output layer by a new one over a tree; torch's own random state is kept."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed, "weights of a learned tree"))
        config = OutputConfig(module.output.width, len(vocabulary), counts=vocabulary.counts)
        module.output = TreeSoftmax(config, tree=codes)
