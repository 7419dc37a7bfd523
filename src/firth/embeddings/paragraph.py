"""ParagraphVectors: a vector per document, learned together with the words.

What: a document's vector is trained to predict the document's words, either alone (PV-DBOW, distributed bag of words)
or together with the context of each word (PV-DM, distributed memory).

Objective, for a document d with the words w_1 .. w_T, context words c_1 .. c_M of w_t, and K noise words n_k drawn from
counts^0.75:

    DBOW             sum_t [ log sigma(x_d . u_{w_t}) + sum_k log sigma(-x_d . u_{n_k}) ]
    DBOW with words  the same, and the skip-gram of `firth.embeddings.word2vec` over the same output vectors
    DM               sum_t [ log sigma(h_t . u_{w_t}) + sum_k log sigma(-h_t . u_{n_k}) ],
        mean         h_t = (x_d + sum_m v_{c_m}) / (M + 1)
        sum          h_t = x_d + sum_m v_{c_m}
        concatenate  h_t = [v_{c_-window}; ...; v_{c_window}; x_d], with u as wide

or, with objective="hierarchical", the path of a Huffman tree to w_t instead of noise words.

Source: Le and Mikolov 2014, "Distributed representations of sentences and documents", sections 2.2 (distributed memory,
concatenated or averaged) and 2.3 (distributed bag of words); Dai, Olah and Le 2015, "Document embedding with paragraph
vectors", section 2 (DBOW with word vectors).

Departures:
- The context is on both sides of the predicted word, as in gensim; in the paper it precedes the word.
- DBOW predicts `BLOCK` words of a document, each with its own noise words, before it updates the document's row. The
  other modes share noise words among `shared_windows` consecutive windows.
- Every row of a mean gets the whole gradient of h, as in word2vec.c's CBOW and in gensim. So does every row of a sum,
  which is the exact derivative; gensim divides it by M + 1.
- DBOW without word training has no input vectors of words. Its result has the output vectors as word vectors, the only
  ones it learns (zeros with a tree, whose output rows are nodes); gensim returns random numbers.
- Documents of more than 1,000 kept words are read in parts; no window crosses a border.
- A document without a known word has a zero vector, in training and in inference.
- Inferred vectors are longer than trained ones, as in gensim: output vectors begin at zero only in training.

Cost: 6 D (K + 1) flops per word for DBOW; DM adds 2 (M + 1) D per word; (V + R) input rows of D float32 for R
documents, V output rows, (2 window + 1) times as wide when vectors are concatenated.
"""

import dataclasses
import functools
import hashlib
import os
from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus, document_options
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.embeddings import window_options
from firth.embeddings.bags import bag_addresses, bag_work, train_bags
from firth.embeddings.matrices import Matrices, initial_matrices
from firth.embeddings.replicas import RowRates
from firth.embeddings.shards import Shard, TrainShard
from firth.embeddings.trainer import TrainingArguments, check_deterministic, check_start
from firth.embeddings.window_model import WindowModel, kept_shares, mean_contexts, output_rates, text_of, window_run
from firth.errors import OptionError, ShapeError, brief, warn_caller
from firth.kernels.compiled import compiled
from firth.kernels.documents import DBOW, Reading, document_addresses, document_work, read_piece, width_of
from firth.kernels.objectives import MERGE, Predictor, Scoring, merge_copies, most_outputs, own_copies, predictor
from firth.kernels.pieces import ShardState, Text, pieces
from firth.kernels.rows import aligned_rows
from firth.kernels.targets import Addresses, Workspace, addresses
from firth.kernels.threads import usable_threads
from firth.options import Preset, option, options_class
from firth.progress import Progress
from firth.randomness import generator
from firth.vectors.document_inference import reading, scoring_of
from firth.vectors.document_vectors import MOST, MOST_EPOCHS, DocumentVectors
from firth.vectors.lexicon import first_repeat
from firth.vectors.word_vectors import WordVectors


@options_class
class ParagraphVectors(WindowModel):
    """Paragraph vectors, PV-DM or PV-DBOW: the options, and `train`.

    Source:
        Le and Mikolov 2014; the module docstring has the formulas and all departures.
    """

    presets: ClassVar = {
        "paragraph": Preset("Paragraph vectors: a vector per document, PV-DM or PV-DBOW (Le and Mikolov 2014).")
    }
    common_options: ClassVar = ("architecture", "dim", "window", "negative", "epochs", "lr")
    model_name: ClassVar = "paragraph"

    architecture: str = option(
        "dm",
        "PV-DM (predict each word from document and context) or PV-DBOW (from the document alone)",
        choices=("dm", "dbow"),
    )
    combine: str = option(
        "mean",
        "hidden vector of dm: mean, sum or concatenation of document and context vectors",
        choices=("mean", "sum", "concatenate"),
    )
    words: bool = option(False, "train word vectors too with dbow, by skip-gram")
    objective: str = option("negative", "objective of a prediction", choices=("negative", "hierarchical"))
    dim: int = window_options.dim()
    window: int = window_options.window("words on each side of the predicted word", maximum=MOST)
    negative: int = window_options.negative(MOST)
    sample: float = window_options.sample(1e-3)
    epochs: int = window_options.epochs(10, maximum=MOST_EPOCHS)
    lr: float = window_options.lr(0.025)
    lr_end_factor: float = window_options.lr_end_factor(0.004)
    noise_exponent: float = window_options.noise_exponent()
    shrink_windows: bool = window_options.shrink_windows()
    shared_windows: int = window_options.shared_windows(1, maximum=MOST)

    def __post_init__(self) -> None:
        options.check(self)
        if self.words and self.architecture == "dm":
            raise OptionError("words=True: dm always trains word vectors; leave it out, or use architecture='dbow'")

    @explained(sentences="text", keep_empty=True)
    def train(
        self,
        corpus: Corpus | Any,
        *,
        names: Sequence[str] | None = None,
        share_names: bool = False,
        seed: int = 0,
        threads: int | None = None,
        start: WordVectors | None = None,
        progress: Progress = None,
        checkpoint: str | os.PathLike[str] | None = None,
        deterministic: bool = False,
        **text: Unpack[TextArguments],
    ) -> DocumentVectors:
        """Train on a corpus whose sentences are the documents; further arguments as for `firth.Word2Vec.train`.

        Returns a vector per document, and the model's words, which infer vectors of new documents. A document without
        words has a zero vector; a warning says how many there are.

        Args:
            corpus: encoded documents, or whatever `Corpus.build` takes: each text, row, cell or file is a document; of
                a single text file, each line. Build your own corpus with `sentences="text"` and `keep_empty=True`:
                documents without a known word are kept, so that the numbering does not change.
            names: one per document; by default "0", "1" and so on.
            share_names: whether documents of one name share a vector, as documents with one of gensim's tags do; they
                are read as one document, one after the other, so that windows reach from one into the next.
            seed: see `firth.Word2Vec.train`.
            threads: see `firth.Word2Vec.train`.
            start: initial vectors for words of the corpus; other words are ignored.
            progress: see `firth.Word2Vec.train`.
            checkpoint: see `firth.Word2Vec.train`.
            deterministic: see `firth.Word2Vec.train`.
            **text: see `firth.Word2Vec.train`.

        Raises:
            CorpusError: the text cannot be read, or has no words.
            OptionError: `threads` is below 1, the numbers of names and documents differ, a name occurs twice and is not
                shared, or the checkpoint belongs to another run.
            ArgumentTypeError: `start` is a path.
            ShapeError: `start` has another width.
            DivergenceError: the training diverged.
        """
        check_start(start)
        check_deterministic(deterministic)
        arguments = TrainingArguments(
            seed=seed, threads=usable_threads(threads), start=start, progress=progress, checkpoint=checkpoint,
            deterministic=deterministic,
        )  # fmt: skip
        corpus = as_corpus(
            corpus, text, defaults=document_options(corpus), threads=arguments.threads, progress=progress
        )
        document_names = _document_names(names, len(corpus), share_names)
        if len(set(document_names)) < len(document_names):
            corpus, document_names = _joined(corpus, document_names)
        matrices = self.initial_matrices(corpus, seed, start)
        layer = scoring_of(dataclasses.asdict(self), corpus.vocabulary.counts)
        trainer = functools.partial(self._shard_trainer, corpus, arguments, layer)
        finish = functools.partial(self._finish, corpus, document_names)
        return window_run(self, corpus, arguments, matrices, layer, trainer, finish, self._row_rates).train()

    @property
    def reading(self) -> Reading:
        """The settings with which a kernel reads a document."""
        return reading(dataclasses.asdict(self), frozen=False)

    def initial_matrices(self, corpus: Corpus, seed: int, start: WordVectors | None) -> Matrices:
        """Return initial matrices: input rows of words, if the mode has them, then of documents.

        Raises:
            ShapeError: `start` has another width, or its output vectors have.
        """
        reading = self.reading
        width = width_of(reading.mode, reading.window)
        common_start = (
            None if start is None else _known(start, corpus, outputs=self.objective == "negative" and width == 1)
        )
        matrices = initial_matrices(corpus, self.dim, seed=seed, start=common_start)
        words = 0 if reading.mode == DBOW else len(matrices.words)
        inputs = aligned_rows(words + len(corpus), self.dim)
        inputs[:words] = matrices.inputs[:words]
        random = generator(seed, "document vectors")
        for rows in np.array_split(inputs[words:], max(1, len(corpus) // 4096)):
            rows[:, : self.dim] = (random.random((len(rows), self.dim), dtype=np.float32) * 2 - 1) / self.dim
        outputs = (
            matrices.outputs if width == 1 else aligned_rows(len(matrices.words), matrices.inputs.shape[1] * width)
        )
        return dataclasses.replace(matrices, inputs=inputs, outputs=outputs)

    def _row_rates(self, corpus: Corpus, layer: Scoring) -> RowRates:
        """Return how often training changes each row; a document belongs to one shard."""
        kept_share, contexts, reading = kept_shares(self, corpus), mean_contexts(self), self.reading
        inputs = np.empty(0) if reading.mode == DBOW else kept_share * contexts
        return RowRates(inputs, output_rates(layer, kept_share) * (1 + contexts if self.words else 1))

    def _shard_trainer(
        self, corpus: Corpus, arguments: TrainingArguments[Any], layer: Scoring, matrices: Matrices
    ) -> TrainShard:
        """Return the function that trains one shard of `corpus`."""
        reading = self.reading
        text = text_of(self, corpus, arguments.shards)
        documents = len(matrices.inputs) - len(corpus)

        if reading.mode == DBOW and self.objective == "negative":
            work, bags = bag_work(self.negative, matrices.inputs.shape[1])
            at = addresses(work, matrices.inputs, matrices.outputs, dim=self.dim)
            tables = bag_addresses(at, bags)

            def train_shard_of_bags(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
                train_bags(text, layer.noise, self.negative, work, bags, at, *tables, shard.state(stop))

            return train_shard_of_bags
        work = document_work(reading, matrices.inputs.shape[1], most_outputs(layer))
        at, wide = document_addresses(work, matrices.inputs, matrices.outputs, reading)

        def train_shard(shard: Shard, stop: npt.NDArray[np.int64]) -> None:
            own = own_copies(layer, matrices.outputs, arguments.writers)  # kept alive while the kernel runs
            by_thread = predictor(layer, at, shard.loss, own)
            train_documents(text, documents, layer.noise, reading, work, by_thread, at, wide, shard.state(stop))

        return train_shard

    def _finish(
        self, corpus: Corpus, names: Sequence[str], matrices: Matrices, facts: dict[str, Any]
    ) -> DocumentVectors:
        m, reading = matrices, self.reading
        first = len(m.inputs) - len(corpus)
        parts = m.outputs.reshape(len(m.words), width_of(reading.mode, reading.window), -1)[:, :, : self.dim]
        outputs = parts.reshape(len(m.words), -1)
        vectors = m.inputs[first:, : self.dim]
        empty = np.diff(corpus.offsets) == 0
        vectors[empty] = 0
        if empty.any():
            warn_caller(
                f"{int(empty.sum()):,} of {len(empty):,} documents hold no word of the vocabulary: their vectors are "
                "zero; build the corpus with a lower min_count= to keep more words"
            )
        bag_of_paths = (
            reading.mode == DBOW and self.objective == "hierarchical"
        )  # its output rows are nodes, so there are no word vectors
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


def _document_names(names: Sequence[str] | None, documents: int, share: bool) -> Sequence[str]:
    if names is None:
        return list(map(str, range(documents)))
    names = list(names)
    if len(names) != documents:
        raise OptionError(
            f"{len(names):,} names for {documents:,} documents: expected one per document; a corpus leaves out "
            "documents without a known word unless it is built with keep_empty=True"
        )
    if not share and len(set(names)) < documents:
        first, second = first_repeat(names)
        raise OptionError(
            f"names: documents {first} and {second} are both called {brief(names[first])}; expected different names; "
            "with share_names=True documents of one name share a vector"
        )
    return names


def _joined(corpus: Corpus, names: Sequence[str]) -> tuple[Corpus, Sequence[str]]:
    """Return a corpus in which documents of one name are one, and the names in the order in which they first occur."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    owners = np.array([numbers[name] for name in names])
    order = np.argsort(owners, kind="stable")
    sizes = np.diff(corpus.offsets)
    ids = np.concatenate([corpus.ids[corpus.offsets[i] : corpus.offsets[i + 1]] for i in order])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owners, weights=sizes).astype(np.int64))])
    digest = hashlib.blake2b(f"{corpus.fingerprint} {owners.tolist()}".encode(), digest_size=16).hexdigest()
    return dataclasses.replace(corpus, ids=ids, offsets=offsets, fingerprint=digest, documents=None), list(numbers)


def _known(start: WordVectors, corpus: Corpus, *, outputs: bool) -> WordVectors:
    """Return the vectors of the words that are in the corpus."""
    rows = [row for row, word in enumerate(start.words) if word in corpus.vocabulary]
    output = start.output_vectors
    if output is not None and outputs and output.shape[1] != start.dim:
        raise ShapeError(f"start's output vectors have width {output.shape[1]}, expected {start.dim}")
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
    reading: Reading,
    work: Workspace,
    predictor: Predictor,
    at: Addresses,
    wide: Addresses,  # the same, for steps of rows as wide as the outputs
    state: ShardState,
) -> None:
    """Train a shard from its current position to its end or a stop."""
    # Numba counts a reference each time it reads a field of a tuple: read them once, outside the loop.
    sentence, sets, contexts, table, signs = work.sentence, work.noise, work.contexts, work.outputs, work.signs
    random, predictions = state.random, state.predictions
    for count, document, rate in pieces(text, work, state):
        merge_copies(predictor, at, count)
        row = at.inputs + (documents + document) * at.row_bytes
        predictions[0] += read_piece(
            sentence, count, row, rate, reading, predictor, at, wide, noise, random, sets, contexts, table, signs
        )
    merge_copies(predictor, at, MERGE)
