"""ParagraphVectors: a vector a document, learned together with the words.

What: a document's vector is trained to predict the document's words: alone (PV-DBOW, distributed bag of words), or
together with the words around each of them (PV-DM, distributed memory).

Objective, for a document d with the words w_1 .. w_T, context words c_1 .. c_M of w_t, and K noise words n_k drawn from
counts^0.75:

    DBOW             sum_t [ log sigma(x_d . u_{w_t}) + sum_k log sigma(-x_d . u_{n_k}) ]
    DBOW with words  the same, and the skip-gram of `firth.embeddings.word2vec` over the same output vectors
    DM               sum_t [ log sigma(h_t . u_{w_t}) + sum_k log sigma(-h_t . u_{n_k}) ],
        mean         h_t = (x_d + sum_m v_{c_m}) / (M + 1)
        sum          h_t = x_d + sum_m v_{c_m}
        concatenate  h_t = [v_{c_-window}; ...; v_{c_window}; x_d], with u as wide

or, with objective="hierarchical", the path of Huffman's tree to w_t in the place of noise words.

Source: Le and Mikolov 2014, "Distributed representations of sentences and documents", sections 2.2 (distributed memory,
concatenated or averaged) and 2.3 (distributed bag of words); Dai, Olah and Le 2015, "Document embedding with paragraph
vectors", section 2 (word vectors trained beside the bag of words).

Departures:
- The context stands on both sides of the predicted word, as in gensim; in the paper it stands before it.
- DBOW predicts `BLOCK` words of a document, each against noise words of its own, before the document's row is updated.
  The other modes share noise words between `shared_windows` windows in a row.
- Every row of a mean gets the whole gradient of h, as in word2vec.c's CBOW and in gensim; a sum likewise, which is its
  derivative, where gensim divides it by M + 1.
- DBOW without word training has no input vectors of words. The word vectors of its result are the output vectors, the
  only ones that it learns (with a tree, whose outputs are nodes, they are zero); gensim returns random numbers.
- Documents of more than 1,000 kept words are read in pieces; no window reaches over a border.
- A document without a word of the vocabulary has the vector zero, and so has what is inferred from none.
- What is inferred is longer than what was trained, as in gensim: outputs begin at zero in training alone.

Cost: 6 D (K + 1) flops a word for DBOW; DM adds 2 (M + 1) D a word; (V + R) rows of D float32 for R documents, V for
the outputs, (2 window + 1) times as wide where vectors are concatenated.
"""

import dataclasses
import os
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from firth import options
from firth.corpus.as_corpus import as_corpus, document_options
from firth.corpus.encoded import Corpus
from firth.embeddings.bags import bag_addresses, bag_work, train_bags
from firth.embeddings.training import (
    LearningRate,
    Matrices,
    Run,
    Shard,
    TrainShard,
    initial_matrices,
    text_of,
    usable_threads,
)
from firth.errors import OptionError, ShapeError
from firth.kernels.compiled import compiled
from firth.kernels.documents import DBOW, Reading, document_addresses, document_work, read_piece, width_of
from firth.kernels.objectives import (
    MERGE,
    Predictor,
    Scoring,
    merge_copies,
    most_outputs,
    own_copies,
    predictor,
    untrained_loss,
)
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.rows import aligned_rows
from firth.kernels.targets import Addresses, Work, addresses
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.randomness import generator
from firth.vectors.document_inference import reading, scoring_of
from firth.vectors.document_vectors import MOST, MOST_EPOCHS, DocumentVectors
from firth.vectors.word_vectors import WordVectors


@options_class
class ParagraphVectors:
    """Paragraph vectors, PV-DM or PV-DBOW: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Le and Mikolov 2014; the module's docstring gives the formulas and every departure.
    """

    presets: ClassVar = {
        "paragraph": Preset("Paragraph vectors: a vector per document, PV-DM or PV-DBOW (Le and Mikolov 2014)."),
    }
    common_options: ClassVar = ("architecture", "dim", "window", "negative", "epochs", "lr")

    architecture: str = option(
        "dm", "predict each word from the document and its context, or from the document alone", choices=("dm", "dbow")
    )
    combine: str = option(
        "mean",
        "how dm puts the vectors of document and context together",
        choices=("mean", "sum", "concatenate"),
    )
    words: bool = option(False, "whether dbow trains word vectors too, by skip-gram")
    objective: str = option("negative", "how a prediction is scored", choices=("negative", "hierarchical"))
    dim: int = option(100, "width of the vectors, in numbers", minimum=1)
    window: int = option(5, "words on each side of the predicted word", minimum=1, maximum=MOST)
    negative: int = option(5, "noise words a prediction", minimum=1, maximum=MOST)
    sample: float = option(
        1e-3, "relative frequency above which words are thinned out; 0 keeps all", minimum=0, maximum=1
    )
    epochs: int = option(10, "passes over the corpus", minimum=1, maximum=MOST_EPOCHS)
    lr: float = option(0.025, "learning rate at the start", minimum=0, exclusive=True)
    lr_end_factor: float = option(0.004, "share of lr that is left at the end", minimum=0, maximum=1)
    noise_exponent: float = option(0.75, "power of the counts that noise words are drawn by", minimum=-10, maximum=10)
    shrink_windows: bool = option(True, "draw each window's size from 1 to the window's width")
    shared_windows: int = option(1, "windows in a row that share their noise words", minimum=1, maximum=MOST)

    def __post_init__(self) -> None:
        options.check(self)
        if self.words and self.architecture == "dm":
            raise OptionError("words=True: dm always trains word vectors; leave words at False, or use 'dbow'")

    def train(
        self,
        corpus: Corpus | Any,
        *,
        names: Sequence[str] | None = None,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        **text: Any,
    ) -> DocumentVectors:
        """Train vectors on a corpus of which each sentence is a document.

        Args:
            corpus: the encoded documents, or whatever `Corpus.build` takes: each text, row, cell or file is then a
                document, and of a single file of text each line. Build a corpus of your own with `sentences="text"`
                and `keep_empty=True`, which keeps documents without a word of the vocabulary, so that none is moved.
            names: one a document, all different; by default "0", "1" and so on.
            seed: of every random draw; with one thread it decides every bit of the result.
            threads: how many; by default one a processor.
            start: vectors for the words of the corpus to begin with; other words of theirs are left out.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            checkpoint: a folder in which the state is kept every five minutes, and after each epoch where that takes
                no more than a twentieth of the time; a later call with
                the same corpus, options, seed and threads goes on from it.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Returns:
            One vector a document, and the model's words, from which vectors of further documents can be inferred. A
            document without words has the vector zero; a warning says how many there are.

        Raises:
            CorpusError: the text cannot be read, or leaves no words.
            OptionError: `threads` is below one, there are not as many names as documents, or the checkpoint is of
                another run.
            ShapeError: `start` has another width.
            DivergenceError: numbers or loss grew as no learning could make them.
        """
        count = usable_threads(threads)
        corpus = as_corpus(corpus, text, defaults=document_options(corpus), progress=progress)
        called = _names(names, len(corpus))
        matrices = self.initial(corpus, seed, start)
        facts = dataclasses.asdict(self)
        by = scoring_of(facts, corpus.vocabulary.counts)
        run = Run(
            corpus=corpus,
            matrices=matrices,
            train_shard=self.shard_trainer(corpus, matrices, by, count),
            options={"model": "paragraph", **facts},
            epochs=self.epochs,
            rate=self.rate,
            untrained_loss=untrained_loss(by, corpus.vocabulary.kept_shares(self.sample)),
            seed=seed,
            sampled=True,
            threads=count,
            finish=lambda made, told: self._finish(corpus, made, told, called),
        )
        return run.train(progress=progress, checkpoint=checkpoint)

    @property
    def rate(self) -> LearningRate:
        """The learning rate."""
        return LearningRate(self.lr, self.lr_end_factor)

    @property
    def reading(self) -> Reading:
        """How the kernel reads a document."""
        return reading(dataclasses.asdict(self), frozen=False)

    def initial(self, corpus: Corpus, seed: int, start: WordVectors | None) -> Matrices:
        """Return matrices to train: the rows of documents, behind those of words where a mode has them.

        Args:
            corpus: its vocabulary gives the words, its sentences are the documents.
            seed: of the random vectors.
            start: vectors for words to begin with, or None.

        Raises:
            ShapeError: `start` has another width, or its output vectors have.
        """
        how = self.reading
        width = width_of(how.mode, how.window)
        known = None if start is None else _known(start, corpus, outputs=self.objective == "negative" and width == 1)
        made = initial_matrices(corpus, self.dim, seed=seed, start=known)
        words = 0 if how.mode == DBOW else len(made.words)
        inputs = aligned_rows(words + len(corpus), self.dim)
        inputs[:words] = made.inputs[:words]
        random = generator(seed, "document vectors")
        for rows in np.array_split(inputs[words:], max(1, len(corpus) // 4096)):
            rows[:, : self.dim] = (random.random((len(rows), self.dim), dtype=np.float32) * 2 - 1) / self.dim
        outputs = made.outputs if width == 1 else aligned_rows(len(made.words), made.inputs.shape[1] * width)
        return dataclasses.replace(made, inputs=inputs, outputs=outputs)

    def shard_trainer(self, corpus: Corpus, matrices: Matrices, by: Scoring, threads: int) -> TrainShard:
        """Return the function that trains one shard.

        Args:
            corpus: the encoded documents.
            matrices: what is trained.
            by: the objective.
            threads: how many share the corpus.
        """
        how = self.reading
        text = text_of(corpus, sample=self.sample, rate=self.rate, epochs=self.epochs, threads=threads)
        documents = len(matrices.inputs) - len(corpus)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work = document_work(how, matrices.inputs.shape[1], most_outputs(by))
            at, joined = document_addresses(work, matrices.inputs, matrices.outputs, how)
            own = own_copies(by, matrices.outputs, threads)  # alive for as long as the kernel runs
            by_thread = predictor(by, at, shard.loss, own)
            train_documents(text, documents, by.noise, how, work, by_thread, at, joined, shard.state(stop))

        def train_shard_of_bags(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            work, bags = bag_work(self.negative, matrices.inputs.shape[1])
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim)
            places = bag_addresses(at, bags)
            train_bags(text, by.noise, self.negative, work, bags, at, *places, shard.state(stop))

        return train_shard_of_bags if how.mode == DBOW and self.objective == "negative" else train_shard

    def _finish(
        self, corpus: Corpus, matrices: Matrices, facts: dict[str, Any], names: Sequence[str]
    ) -> DocumentVectors:
        m, how = matrices, self.reading
        first = len(m.inputs) - len(corpus)
        parts = m.outputs.reshape(len(m.words), width_of(how.mode, how.window), -1)[:, :, : self.dim]
        outputs = parts.reshape(len(m.words), -1)
        vectors = m.inputs[first:, : self.dim]
        empty = np.diff(corpus.offsets) == 0
        vectors[empty] = 0
        if empty.any():
            warnings.warn(
                f"{int(empty.sum()):,} of {len(empty):,} documents hold no word of the vocabulary: their vectors are "
                "zero; build the corpus with a smaller min_count to keep more words",
                stacklevel=5,
            )
        bag_of_paths = how.mode == DBOW and self.objective == "hierarchical"  # its outputs are nodes: no words at all
        words = m.inputs[:first, : self.dim] if first else np.zeros_like(outputs) if bag_of_paths else outputs
        return DocumentVectors(
            names,
            vectors,
            words=WordVectors(m.words, words, counts=corpus.vocabulary.counts),
            outputs=outputs,
            options=dataclasses.asdict(self),
            tokens=corpus.options.described()["tokens"],
            metadata={"training": facts},
        )


def _names(names: Sequence[str] | None, documents: int) -> Sequence[str]:
    if names is None:
        return list(map(str, range(documents)))
    called = list(names)
    if len(called) != documents:
        raise OptionError(
            f"{len(called):,} names for {documents:,} documents: expected one a document; a corpus leaves out "
            "documents without a known word unless it is built with keep_empty=True"
        )
    return called


def _known(start: WordVectors, corpus: Corpus, *, outputs: bool) -> WordVectors:
    """Return the vectors of those words that the corpus has."""
    rows = [row for row, word in enumerate(start.words) if word in corpus.vocabulary]
    output = start.output_vectors
    if output is not None and outputs and output.shape[1] != start.dim:
        raise ShapeError(f"start's output vectors are {output.shape[1]} wide, expected {start.dim}")
    return WordVectors(
        [start.words[row] for row in rows],
        start.vectors[rows].reshape(len(rows), start.dim),
        output_vectors=output[rows] if output is not None and outputs else None,
    )


@compiled
def train_documents(
    text: Text,
    documents: int,  # the first document's row among the inputs
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    how: Reading,
    work: Work,
    by: Predictor,
    at: Addresses,
    joined: Addresses,  # the same for steps of rows as wide as the outputs
    state: ShardState,
) -> None:
    """Train on a shard from where it stands."""
    # A field of a tuple is counted as a reference each time it is read: outside the loop, once.
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, document, rate in pieces(text, work, state):
        merge_copies(by, at, count)
        row = at.inputs + (documents + document) * at.row_bytes
        predictions[0] += read_piece(
            sentence, count, row, rate, how, by, at, joined, noise, random, sets, contexts, table, signs
        )
    merge_copies(by, at, MERGE)
