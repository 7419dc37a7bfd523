"""Transition parsers: a network chooses actions that build a dependency tree word by word.

What: a state of arc-standard or arc-eager is read as 48 features, each with a vector; one hidden layer scores the
    actions. Parsing takes the best allowed action of each state, until a tree is complete.
Objective: with s(c) the scores of the allowed actions in state c, and R(c) the right ones, the mean over states of

    -log sum_{a in R(c)} softmax(s(c))[a],    s = W_2 dropout(f(W_1 [words; tags; labels] + b_1)) + b_2,  f(x) = x^3

    where c are the states on the static oracle's way and R(c) its action; or, with a dynamic oracle, the states that
    the parser comes to after an epoch or more, and all actions that lose no gold arc.
Source: Chen and Manning 2014, "A fast and accurate dependency parser using neural networks"; Nivre 2008 for the
    systems; Goldberg and Nivre 2012 and Goldberg, Sartorio and Satta 2014 for the dynamic oracles; beams in
    `firth.parsing.search`.
Departures:
- Adam in place of Adagrad with L2, with batches of sentences in place of 10,000 states.
- Trees with crossing arcs are made projective; the authors leave them out.
- Arc-eager reads the children of the next word in place of those of the second of the stack: 6 LAS more on 2,000
  sentences of UD English EWT.
- The first product is done per word of a batch, not per state (`firth.parsing.feature_sums`); the sums are the same.
Cost: `firth.parsing.search` for parsing; training takes some four times that. `python -m benchmarks.parsers` measures
    both.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError
from firth.kernels.transition_states import FEATURES, FROM_ROOT, Ints, Labels, is_allowed
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.models.parsers.data import Sentences, TreeErrors
from firth.neural.models.parsers.parser import ParserOptions, train_parser
from firth.neural.models.parsers.size_defaults import transition_defaults
from firth.neural.models.parsers.transition_data import (
    NAMED,
    ParserBatch,
    ParserItem,
    TransitionVocabulary,
    learn_vocabulary,
    read_item,
    sentence_batches,
)
from firth.neural.models.parsers.transition_module import ACTIVATIONS, SYSTEMS, FirstLayer, TransitionModule
from firth.neural.models.tokens.embedders import Embedders
from firth.neural.supervised import SupervisedTask, mean_loss
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import StepOutput, Task
from firth.options import BY_SIZE, Preset, option, options_class
from firth.parsing.oracle_states import explored_states, static_states
from firth.storage.model_folder import ModelFolder
from firth.vectors.word_vectors import WordVectors

EVAL_BATCH = 100  # sentences per batch of an evaluation
TAGS = {"upos": ("upos",), "xpos": ("xpos",), "features": ("upos", "feats"), "none": ()}


class States(NamedTuple):
    """States of a batch of sentences, with their right actions.

    Attributes:
        features: (M, 48).
        targets: (M, K) numbers of the right actions; -1 for none.
        kinds: (M,) `firth.kernels.transition_states.allowed_kinds`.
    """

    features: Ints
    targets: Ints
    kinds: npt.NDArray[np.uint8]


def action_masks(actions: int, labels: Labels) -> torch.Tensor:
    """Return (32, A): 0 where the action is allowed, given the row as bits of `allowed_kinds`; else minus infinity."""
    allowed = [[is_allowed(action, bits, labels) for action in range(actions)] for bits in range(2 << FROM_ROOT)]
    return torch.where(torch.tensor(allowed), 0.0, -torch.inf)


def transition_task(
    module: TransitionModule,
    items: Sequence[ParserItem],
    held_out: Sequence[ParserItem],
    config: RunConfig,
    *,
    exploration: float = 0.0,
    explore_after: float = 1.0,
) -> SupervisedTask:
    """Return a module to train on sentences, with its loss per state and its figures.

    The evaluation scores the states on the way to gold trees, and the trees that the parser finds.
    """
    relations, masks = len(module.vocabulary.relations), action_masks(module.actions, module.labels_known)

    def losses(states: States, scores: torch.Tensor) -> torch.Tensor:
        """Return (M,) negative logarithms of the probability of the right actions together."""
        allowed = scores + masks[torch.from_numpy(states.kinds).long()]
        targets = torch.from_numpy(states.targets).long()
        right = allowed.gather(1, targets.clamp(min=0))
        if targets.shape[1] > 1:
            right = right.masked_fill(targets < 0, -torch.inf)
        return allowed.logsumexp(1) - right.logsumexp(1)

    def loss(batch: ParserBatch, progress: TrainingProgress) -> StepOutput:
        tables = module.first_layer(batch)
        explores = exploration and progress.epoch >= explore_after
        states = oracle_states(module, batch, tables if explores else None, exploration)
        return mean_loss(losses(states, module(states.features, tables)))

    def figures() -> dict[str, float]:
        total, count, errors = 0.0, 0, TreeErrors()
        for batch in evaluation.epoch(0):
            states = oracle_states(module, batch)
            scores = module(states.features, module.first_layer(batch))
            total += losses(states, scores).sum(dtype=torch.float64).item()
            count += len(scores)
        for item, tree in zip(held_out, module.parse_items(held_out, module.beam), strict=True):
            errors.add(tree, (item.heads[1:], item.relations[1:]))
        return {"loss": total / count, **errors.figures}

    evaluation = sentence_batches(held_out, relations, batch_size=EVAL_BATCH, shuffle=False)
    return SupervisedTask(
        module=module,
        batches=sentence_batches(items, relations, batch_size=config.training.batch_size, seed=config.seed),
        loss=loss,
        figures=figures,
        unit="states",
        eval_predictions=2 * sum(len(item.words) - 1 for item in held_out),
    )


def oracle_states(
    module: TransitionModule, batch: ParserBatch, tables: FirstLayer | None = None, follow: float = 0.0
) -> States:
    """Return the states on the static oracle's way; with tables, those that the parser comes to and all right actions.

    The parser follows its own action with the probability `follow`.
    """
    count, width = 2 * (len(batch.heads) - len(batch.sentences.starts) + 1), 1 if tables is None else 4
    features, targets = np.empty((count, FEATURES), np.int32), np.empty((count, width), np.int32)
    states = States(features, targets, np.empty(count, np.uint8))
    given = (module.system, batch.sentences, batch.heads, batch.relations, module.labels_known)
    if tables is None:
        written = static_states(*given, *states)
    else:
        random = torch.randint(2**62, (1,)).numpy().astype(np.uint64)
        written = explored_states(*given, module.tables(tables), module.activation, follow, random, *states)
    assert written == count
    return states


@options_class
class TransitionParser(ParserOptions):
    """Transition parser with a neural network.

    Source:
        Chen and Manning 2014; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"transition": Preset("Transition parser with one hidden layer (Chen and Manning 2014).")}
    common_options: ClassVar = ("system", "tag", "dim", "hidden", "dropout")
    train = train_parser
    predicts: ClassVar[tuple[str, ...]] = ("beam",)
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=BY_SIZE, batch_size=BY_SIZE, optimiser="adam", lr=BY_SIZE, schedule="linear", patience=0, device="cpu"
    )

    tag: str = option(
        BY_SIZE,
        "tags that are read: upos, xpos, features (upos with morphological features), or none; by default those that "
        "the treebank has",
        choices=tuple(TAGS),
        by_size=True,
    )
    system: str = option("arc-standard", "transition system", choices=tuple(SYSTEMS))
    oracle: str = option(
        "static",
        "training on the way to the gold tree (static), or from the parser's mistakes, too (dynamic)",
        choices=("static", "dynamic"),
    )
    exploration: float = option(
        0.9, "probability of going on with the parser's own action, with oracle=dynamic", minimum=0, maximum=1
    )
    explore_after: int = option(1, "epochs with the static oracle first, with oracle=dynamic", minimum=0)
    beam: int = option(BY_SIZE, "beam width of parsing; 1 for greedy search", minimum=1, maximum=1000, by_size=True)
    dim: int = option(50, "width of word vectors; given vectors decide it", minimum=1)
    tag_dim: int = option(50, "width of the vectors of tags and relations", minimum=1)
    hidden: int = option(200, "width of the hidden layer", minimum=1)
    activation: str = option("cube", "activation of the hidden layer", choices=tuple(ACTIVATIONS))
    dropout: float = option(0.5, "dropout of the hidden layer", minimum=0, maximum=0.99)
    word_dropout: float = option(
        0.25, "word dropout: a word of count n is read as unknown with probability a / (a + n); this is a", minimum=0
    )
    embedding: str = option("tuned", "word vectors: tuned, or static (given and kept)", choices=("tuned", "static"))
    lowercase: bool = option(True, "read words in lower case")
    spelling: bool = option(
        BY_SIZE, "read also how words are written: capitals and ends of two and three characters", by_size=True
    )
    min_count: int = option(2, "minimum count of a word; rarer ones are unknown", minimum=1)
    extra_words: int = option(
        50_000,
        "most frequent words of given vectors that are known, too, besides those of the training sentences",
        minimum=0,
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read; see `ParserOptions.columns`."""
        return TAGS[self.tag or "upos"]

    def size_defaults(self, sentences: Sentences) -> dict[str, Any]:
        """Return options for a treebank; see `ParserOptions.size_defaults`."""
        return transition_defaults(sentences)

    def vocabulary(
        self, sentences: Sentences, vectors: WordVectors | None, embedders: Embedders = ()
    ) -> TransitionVocabulary:
        """Return words, tags and relations; see `ParserOptions.vocabulary`."""
        if embedders:
            raise OptionError(
                "embed with TransitionParser, whose kernels read tables of words: expected firth.BiaffineParser "
                "(firth parse train --model biaffine)"
            )
        return learn_vocabulary(
            sentences,
            columns=self.columns,
            lowercase=self.lowercase,
            min_count=self.min_count,
            spelling=bool(self.spelling),
            vectors=vectors,
            extra_words=self.extra_words,
        )

    def vocabulary_of(self, content: ModelFolder) -> TransitionVocabulary:
        """Return the vocabulary of a folder; see `ParserOptions.vocabulary_of`."""
        words, tags, relations = (content.words(name) for name in ("vocab", "types", "labels"))
        pieces = content.words("attributes") if "attributes" in content.texts else []
        parts = bool(content.config.get("parts", False))  # those of older versions have none
        return TransitionVocabulary(words, tags, relations, self.columns, self.lowercase, parts=parts, pieces=pieces)

    def build(self, vocabulary: TransitionVocabulary, vectors: WordVectors | None = None) -> TransitionModule:
        """Return a module with random parameters; see `ParserOptions.build`."""
        frozen = self.embedding == "static"
        if vectors is None:
            words = WordEmbedding(NAMED + len(vocabulary.words), self.dim, frozen=frozen)
        else:
            words = WordEmbedding.from_vectors(vectors, vocabulary.table_words, frozen=frozen)
        return TransitionModule(
            vocabulary,
            words,
            system=self.system,
            tag_dim=self.tag_dim,
            hidden=self.hidden,
            activation=self.activation,
            dropout=self.dropout,
            beam=self.beam or 1,
            word_dropout=self.word_dropout,
        )

    def task(self, module: Any, sentences: Sentences, held_out: Sentences, config: RunConfig) -> Task:
        """Return the task; see `ParserOptions.task`."""
        train, validation = (
            [read_item(sentence, module.vocabulary) for sentence in part] for part in (sentences, held_out)
        )
        exploration = self.exploration if self.oracle == "dynamic" else 0.0
        return transition_task(
            module, train, validation, config, exploration=exploration, explore_after=self.explore_after
        )
