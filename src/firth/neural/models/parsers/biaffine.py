"""Biaffine parsers: every word chooses its head by the product of their vectors, and trees are decoded from that.

What: a BiLSTM over words, tags and characters; for each word a vector as a head and as a dependent, once for arcs and
    once for labels; scores of all arcs of a sentence by a biaffine product; the best tree of the scores; the best label
    of each of its arcs.
Objective: with x_d the vector of word d, y_d that of BiLSTMs over x_1 .. x_n, and y_0 a parameter (the root),

    h_d = f(W_h y_d + b_h),  e_d = f(W_e y_d + b_e),  s(h, d) = h_h' U e_d + u' h_h,     labels alike, with all terms

    loss: the mean over words of -log softmax_h(s(h, d))[head of d] - log softmax_l(s_l(head of d, d))[label of d];
    `arc_loss` has sums over whole trees for the first term.
Source: Dozat and Manning 2017, "Deep biaffine attention for neural dependency parsing"; Dozat, Qi and Manning 2017,
    "Stanford's graph-based neural dependency parser at the CoNLL 2017 shared task", for characters; Chu and Liu 1965
    and Edmonds 1967, or Eisner 1996, for the best tree.
Departures:
- The root is a vector of its own beside the BiLSTM's outputs, not a word that the BiLSTM reads.
- No dropout of recurrent connections, so that the LSTM's steps run in torch's kernels; all other dropout is the
  authors', with one mask per sentence.
- Vectors of words are one table, given or trained; the authors add a trained table to a given one (`embedding=static`
  does that, too).
- Adam with beta 2 = 0.999 in place of 0.9, and a learning rate that falls to zero within the time or epochs given.
- Labels are trained and predicted for one head of each word: those of all other arcs are never computed.
Cost: 16 H (D + H) operations per word and layer of the BiLSTM, three times that in training; n^2 per sentence for arcs
    and for the best tree (n^3 at worst; n^3 / 3 if projective). `python -m benchmarks.biaffine` measures words per
    second.
"""

from collections import Counter
from typing import Any, ClassVar, Unpack

import torch
from torch.nn.functional import cross_entropy

from firth.neural.layers.initialise import initialise
from firth.neural.layers.masks import inside_of
from firth.neural.models.parsers.biaffine_module import (
    PARSED,
    UNKNOWN_RELATION,
    BiaffineModule,
    BiaffineVocabulary,
    PairScores,
    TreeBatch,
    gold_trees,
    tree_batches,
)
from firth.neural.models.parsers.data import Sentences, TreeErrors, ranked_relations
from firth.neural.models.parsers.parser import ParserOptions, train_parser
from firth.neural.models.parsers.size_defaults import biaffine_defaults
from firth.neural.models.parsers.transition import TAGS
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import Embedders
from firth.neural.models.tokens.options import TokenOptions
from firth.neural.models.tokens.reader import restored_reader
from firth.neural.structs.matrix_tree import tree_log_partition
from firth.neural.structs.projective_trees import projective_total
from firth.neural.structs.semirings import LOG
from firth.neural.supervised import SupervisedTask, loss_per_token, on_device
from firth.neural.training.batching import BatchOptions
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.task import Batches, Task
from firth.options import BY_SIZE, Preset, option, options_class
from firth.storage.model_folder import ModelFolder
from firth.vectors.word_vectors import WordVectors

LOSSES = ("cross-entropy", "matrix-tree", "projective")


def arc_loss(kind: str, arcs: torch.Tensor, heads: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Return the loss of the heads of all words, a sum in nats.

    Args:
        kind: one of `LOSSES`; "projective" needs projective gold trees.
        arcs: (B, n + 1, n + 1) scores of arcs from head to dependent; 0 is the root.
        heads: (B, n) int64 gold heads, anything at padding.
        lengths: (B,) int64, words of each sentence.
    """
    lengths = lengths.to(arcs.device)
    real = inside_of(heads, lengths)  # (B, n)
    if kind == "cross-entropy":
        return _cross_entropy(arcs, heads, real)
    total = tree_log_partition(arcs, lengths) if kind == "matrix-tree" else projective_total(arcs, lengths, LOG)
    gold = arcs[:, :, 1:].gather(1, heads.unsqueeze(1)).squeeze(1)  # (B, n)
    return total.sum() - gold[real].sum()


def _cross_entropy(arcs: torch.Tensor, heads: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    rows, words = real.nonzero(as_tuple=True)
    scores = arcs[rows, :, words + 1]  # (N, n + 1)
    nodes = torch.arange(arcs.shape[1], device=arcs.device)
    no_head = (nodes > real.sum(1)[rows].unsqueeze(1)) | (nodes == (words + 1).unsqueeze(1))
    return cross_entropy(scores.masked_fill(no_head, -torch.inf), heads[rows, words], reduction="sum")


def biaffine_task(
    module: BiaffineModule, sentences: Sentences, held_out: Sentences, config: RunConfig, kind: str
) -> SupervisedTask:
    """Return a module to train on sentences, with its loss per word: that of heads, one of `LOSSES`, and of labels."""
    vocabulary = module.vocabulary

    def batches(part: Sentences, **options: Unpack[BatchOptions]) -> Batches:
        trees = gold_trees(part, vocabulary.relations, lifted=kind == "projective")
        return tree_batches(vocabulary.reader, list(map(vocabulary.reader.read, part)), trees, **options)

    def total(batch: TreeBatch, scores: PairScores) -> torch.Tensor:
        arcs = arc_loss(kind, scores.arcs, batch.heads, batch.inputs.lengths)
        labels, gold = module.label_scores(scores, batch.heads), batch.relations[scores.real]
        return arcs + cross_entropy(labels, gold, ignore_index=UNKNOWN_RELATION, reduction="sum")

    def figures() -> dict[str, float]:
        loss, words, errors = 0.0, 0, TreeErrors()
        for batch in on_device(evaluation, module):
            scores = module(batch.inputs)
            loss += total(batch, scores).item()
            for row, tree in enumerate(module.trees_of(scores, batch.inputs.lengths)):
                heads, relations = (side[row, : len(tree[0])].cpu().numpy() for side in (batch.heads, batch.relations))
                errors.add(tree, (heads, relations))
                words += len(heads)
        return {"loss": loss / words, **errors.figures}

    evaluation = batches(held_out, batch_size=PARSED, tokens=True, shuffle=False)
    return SupervisedTask(
        module=module,
        batches=batches(sentences, batch_size=config.training.batch_size, tokens=True, seed=config.seed),
        loss=lambda batch, progress: loss_per_token(
            total(batch, module(batch.inputs)), int(batch.inputs.lengths.sum())
        ),
        figures=figures,
        unit="words",
        eval_predictions=sum(map(len, held_out)),
    )


@options_class
class BiaffineParser(ParserOptions, TokenOptions):
    """Biaffine parser over a BiLSTM. In its training options, `batch_size` counts words.

    Source:
        Dozat and Manning 2017; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"biaffine": Preset("Biaffine parser over a BiLSTM (Dozat and Manning 2017).")}
    common_options: ClassVar = ("tag", "dim", "hidden", "layers", "loss", "projective", "dropout")
    own_words: ClassVar[bool] = True
    train = train_parser
    predicts: ClassVar[tuple[str, ...]] = ("precision",)
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=BY_SIZE, batch_size=BY_SIZE, optimiser="adam", lr=BY_SIZE, schedule="linear", clip_norm=5.0
    )

    tag: str = option(
        BY_SIZE,
        "tags that are read: upos, xpos, features (upos and, apart, the morphological features), or none; by default "
        "those that the treebank has",
        choices=tuple(TAGS),
        by_size=True,
    )
    hidden: int = option(200, "width of the state of each LSTM", minimum=1)
    layers: int = option(3, "layers of the BiLSTM", minimum=1)
    arc_width: int = option(300, "width of the vectors that arcs are scored by", minimum=1)
    label_width: int = option(100, "width of the vectors that labels are scored by", minimum=1)
    loss: str = option(
        "cross-entropy",
        "loss of arcs: cross-entropy (of each word's head), matrix-tree (of all trees), projective (of trees without "
        "crossing arcs, which parsing then has none of, either)",
        choices=LOSSES,
    )
    projective: bool = option(False, "parse without crossing arcs (Eisner's algorithm in place of Chu-Liu/Edmonds)")
    dropout: float = option(0.33, "dropout of units, one mask per sentence", minimum=0, maximum=0.99)
    part_dropout: float = option(
        0.33, "dropout of a word's form, tag and characters, independently of each other", minimum=0, maximum=0.99
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read; see `ParserOptions.columns`."""
        return TAGS[self.tag or "upos"]

    def size_defaults(self, sentences: Sentences) -> dict[str, Any]:
        """Return options for a treebank; see `ParserOptions.size_defaults`."""
        return biaffine_defaults(sentences)

    def vocabulary(
        self, sentences: Sentences, vectors: WordVectors | None, embedders: Embedders = ()
    ) -> BiaffineVocabulary:
        """Return words, characters, tags and relations; see `ParserOptions.vocabulary`."""
        reader = self.learn_reader(sentences, vectors, columns=self.columns, embedders=embedders)
        counts = Counter(relation for sentence in sentences for relation in sentence.relations)
        return BiaffineVocabulary(reader, ranked_relations(counts))

    def vocabulary_of(self, content: ModelFolder) -> BiaffineVocabulary:
        """Return the vocabulary of a folder; see `ParserOptions.vocabulary_of`."""
        return BiaffineVocabulary(restored_reader(content), content.words("labels"))

    def build(self, vocabulary: BiaffineVocabulary, vectors: WordVectors | None = None) -> BiaffineModule:
        """Return a module with random parameters; see `ParserOptions.build`."""
        module = BiaffineModule(
            vocabulary,
            TokenEmbedder(self, vocabulary.reader, vectors),
            hidden=self.hidden,
            layers=self.layers,
            arc_width=self.arc_width,
            label_width=self.label_width,
            dropout=self.dropout,
            part_dropout=self.part_dropout,
            projective=self.projective or self.loss == "projective",
        )
        seed = int(torch.randint(2**31, ()))
        for part in (module.encoder, module.projections):
            initialise(part, weights="orthogonal", recurrent="orthogonal", seed=seed)
        return module

    def task(self, module: Any, sentences: Sentences, held_out: Sentences, config: RunConfig) -> Task:
        """Return the task; see `ParserOptions.task`."""
        return biaffine_task(module, sentences, held_out, config, self.loss)
