"""Document vectors (paragraph vectors): queries, inference for new documents, saving and loading."""

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import OptionError, ShapeError, brief, warn_caller
from firth.hints import no_attribute
from firth.progress import Progress
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.batches import TextsWarning, encoded_in_batches
from firth.text.inputs import Text, check_items, token_lists
from firth.text.tokenise import tokeniser_named
from firth.training_facts import with_training_facts
from firth.vectors.html import table
from firth.vectors.io.table import check_fits
from firth.vectors.queries import Unknown, rows_of
from firth.vectors.word_vectors import WordVectors

KIND = "firth-documents"
MOST = 10_000  # limit of window, negative and shared_windows
MOST_EPOCHS = 100_000
BATCH = 10_000  # texts that `encode` infers at once
# The options that inference uses, with the values that are valid in a saved folder.
CHOICES = {
    "architecture": ("dm", "dbow"),
    "combine": ("mean", "sum", "concatenate"),
    "objective": ("negative", "hierarchical"),
    "words": (False, True),
    "shrink_windows": (False, True),
}
WHOLE = {"dim": 2**31, "window": MOST, "negative": MOST, "shared_windows": MOST, "epochs": MOST_EPOCHS}  # at least 1
NUMBERS = {"sample": (0, 1), "lr": (0, 1e9), "lr_end_factor": (0, 1), "noise_exponent": (-10, 10)}
Tokenise = Callable[[str], Sequence[str]]


class DocumentVectors:
    """Vectors of documents with the model that learned them.

    Args:
        names: R distinct document names.
        vectors: (R, D) float32.
        words: the V words with their vectors and counts.
        outputs: (V, Q) float32, output vectors of words or of tree nodes; Q is D, or (2 window + 1) D.
        options: options of the model.
        tokens: name of the tokeniser that split the texts. With a name that firth does not know, `infer` expects
            token lists.
        metadata: facts to save with the vectors, serialisable as JSON.

    Attributes:
        documents: the documents as `WordVectors`, with document names as the words. This object answers all of its
            queries, too (`similarity`, `distances` ...).
        words: the words. Where the model trains no input vectors of words, their output vectors, which lie in the
            same space as the documents.

    Raises:
        ShapeError: the shapes of the arrays do not fit each other.
        FormatError: a name occurs twice.
    """

    def __init__(
        self,
        names: Sequence[str],
        vectors: npt.ArrayLike,
        *,
        words: WordVectors,
        outputs: npt.ArrayLike,
        options: Mapping[str, Any],
        tokens: str = "words",
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.documents = WordVectors(names, vectors)
        self.words = words
        self.outputs = np.asarray(outputs, dtype=np.float32)
        self.options = dict(options)
        self.tokens = tokens
        if words.lexicon.tokens is None:
            words.lexicon.read_by(tokens)
        self.metadata: dict[str, Any] = with_training_facts(metadata)
        width = self.dim * (2 * self.options["window"] + 1 if self._concatenates else 1)
        if words.dim != self.dim or self.outputs.shape != (len(words), width):
            raise ShapeError(
                f"{len(words)} words x {words.dim}, output vectors {self.outputs.shape}, documents of width "
                f"{self.dim}: expected words of width {self.dim} and output vectors ({len(words)}, {width})"
            )

    @property
    def _concatenates(self) -> bool:
        return bool(self.options["architecture"] == "dm" and self.options["combine"] == "concatenate")

    def __getattr__(self, name: str) -> Any:
        # Called for names that this class lacks: the queries of word vectors.
        if name.startswith("_") or name == "documents":
            raise AttributeError(name)
        if not hasattr(self.documents, name):
            raise no_attribute(self, name, self.documents)
        return getattr(self.documents, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.documents)})

    def __len__(self) -> int:
        return len(self.documents)

    def __contains__(self, name: object) -> bool:
        return name in self.documents

    def __getitem__(self, names: Any) -> npt.NDArray[Any]:
        return self.documents[names]

    def __repr__(self) -> str:
        return f"<DocumentVectors: {len(self):,} documents x {self.dim}, {len(self.words):,} words>"

    def _repr_html_(self) -> str:
        return table(self.documents, words="document", more=f"; {len(self.words):,} words")

    @property
    def names(self) -> list[str]:
        """Document names, one per row."""
        return self.documents.words

    @property
    def vectors(self) -> npt.NDArray[Any]:
        """Document vectors, (R, D)."""
        return self.documents.vectors

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.documents.dim

    @explained
    def most_similar(
        self, positive: Any = None, negative: Any = None, topn: int | None = 10, clip_start: int = 0,
        clip_end: int | None = None, restrict_vocab: int | None = None, indexer: Any = None, *,
        unknown: Unknown = "raise",
    ) -> Any:  # fmt: skip
        """Return the documents with the highest cosine to the query, as in `WordVectors.most_similar`.

        Names stand for words; a vector may be that of a new document, from `infer`.

        Returns:
            [(name, cosine), ...], best first; for a batch a list of such lists.
        """
        return self.documents.most_similar(
            positive, negative, topn, clip_start, clip_end, restrict_vocab, indexer, unknown=unknown
        )

    @explained
    def infer(
        self,
        documents: Any,
        *,
        epochs: int | None = None,
        lr: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        tokenise: Tokenise | None = None,
    ) -> npt.NDArray[np.float32]:
        """Return vectors for new documents. The model stays unchanged.

        The same words and seed give the same vector, for any other documents and any number of threads. A document
        without a known word gets a zero vector; a warning gives the number of such documents.

        Args:
            documents: a text, a list of texts, or a list of token lists.
            epochs: passes over each document; default: those of training.
            lr: initial learning rate; default: that of training.
            threads: number of threads; default: one per processor.
            tokenise: the function that splits a text into tokens, for a model trained with a custom tokeniser.

        Returns:
            (R, D) float32, or (D,) for a single text.

        Raises:
            OptionError: an argument is out of its range, or the texts cannot be split into words.
        """
        if isinstance(documents, str):
            batch = self.infer([documents], epochs=epochs, lr=lr, seed=seed, threads=threads, tokenise=tokenise)
            return np.asarray(batch[0])
        options = {**self.options, "epochs": _at_least_one(epochs, self.options["epochs"])}
        if lr is not None:
            options["lr"] = _positive(lr)
        ids = self._ids(self._tokens(documents, tokenise))
        empty = sum(not len(document) for document in ids)
        if empty:
            warn_caller(f"{empty:,} of {len(ids):,} documents have no known word: their vectors are zero")
        return self._inferred(ids, options, seed=seed, threads=threads)

    @explained
    def encode(
        self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None
    ) -> npt.NDArray[np.float32]:
        """Return vectors for new documents, inferred with the options of training and seed 0; see `infer`.

        Args:
            texts: N texts, each a string or its tokens.
            batch_size: texts inferred at once; None for 10,000.

        Returns:
            (N, D) float32; zeros for a text without a known word, with a warning.

        Raises:
            OptionError: strings cannot be split into words, because the model was trained with a custom tokeniser; or
                `batch_size` is below 1.
            ArgumentTypeError: `texts` is one string, or no list of texts.
        """
        unknown = 0

        def inferred(batch: list[Text]) -> npt.NDArray[np.float32]:
            nonlocal unknown
            split = self._splitter(None) if any(isinstance(text, str) for text in batch) else str.split
            ids = self._ids([split(text) if isinstance(text, str) else text for text in batch])
            unknown += sum(not len(document) for document in ids)
            return self._inferred(ids, self.options, seed=0, threads=None)

        size = BATCH if batch_size is None else batch_size
        vectors = encoded_in_batches(texts, inferred, self.dim, model=self, batch_size=size, progress=progress)
        if unknown:
            warn_caller(TextsWarning(unknown, len(vectors), "have no known word: their vectors are zero"))
        return vectors

    def _ids(self, documents: Sequence[Sequence[str]]) -> list[npt.NDArray[np.int32]]:
        index = {word: i for i, word in enumerate(dict.fromkeys(chain.from_iterable(documents)))}
        rows = rows_of(self.words, list(index)).astype(np.int32)
        id_lists = (rows[[index[token] for token in tokens]] if len(tokens) else rows[:0] for tokens in documents)
        return [ids[ids >= 0] for ids in id_lists]

    def _inferred(
        self, ids: Sequence[npt.NDArray[np.int32]], options: Mapping[str, Any], *, seed: int, threads: int | None
    ) -> npt.NDArray[np.float32]:
        from firth.kernels.threads import usable_threads
        from firth.vectors.document_inference import infer

        counts = self.words.counts
        assert counts is not None
        return infer(
            ids,
            options=options,
            counts=counts,
            words=np.asarray(self.words.vectors, dtype=np.float32),
            outputs=self.outputs,
            seed=seed,
            threads=usable_threads(threads),
        )

    def _tokens(self, documents: Any, tokenise: Tokenise | None) -> Sequence[Sequence[str]]:
        documents = list(check_items(documents, "documents"))
        texts = [isinstance(document, str) for document in documents]
        if not any(texts):
            return token_lists(documents, str.split, "documents")
        if not all(isinstance(document, str | list | tuple) for document in documents):
            token_lists(documents, str.split, "documents")  # raises
        if not all(texts):
            raise OptionError("documents mix texts and token lists: expected one kind")
        split = self._splitter(tokenise)
        return [split(text) for text in documents]

    def _splitter(self, tokenise: Tokenise | None) -> Tokenise:
        split = tokenise or tokeniser_named(self.tokens)
        if split is None:
            raise OptionError(
                f"the corpus was split by {brief(self.tokens)}, which a saved model does not include: pass it as "
                "tokenise=, or pass lists of tokens"
            )
        return split

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save documents and model as a folder that `firth.load` maps into memory.

        Raises:
            OptionError: the path is a folder with other content, or the metadata is not JSON.
            FormatError: a vector is not finite.
            OSError: the folder cannot be written.
        """
        for names, matrix in ((self.names, self.vectors), (self.words.words, self.words.vectors)):
            check_fits(names, matrix, matrix.dtype)
        arrays = {
            "documents": self.vectors,
            "words": self.words.vectors,
            "outputs": self.outputs,
            "counts": np.asarray(self.words.counts, dtype=np.int64),
        }
        content = ModelFolder(
            kind=KIND,
            arrays=arrays,
            texts={"vocab": self.words.words, "names": self.names},
            config={"options": self.options, "tokens": self.tokens, "count": len(self), "dim": self.dim},
            metadata=self.metadata,
            card=self._card(),
        )
        model_folder.write(path, content)

    def _card(self) -> str:
        model = f"{self.options['architecture']}, window {self.options['window']}, {self.options['objective']}"
        return (
            f"# Paragraph vectors\n\n{len(self):,} documents x {self.dim}, {len(self.words):,} words ({model}); "
            'made by [firth](https://pypi.org/project/firth/): `firth.load("this folder")`.\n'
        )


def restore(content: ModelFolder) -> DocumentVectors:
    """Return the document vectors of a saved folder.

    Raises:
        FormatError: the folder is damaged.
    """
    options, tokens = content.config.get("options"), content.config.get("tokens")
    if not isinstance(options, dict) or not isinstance(tokens, str):
        raise content.damaged("no options of the model in config.json")
    if wrong := _wrong_option(options):
        raise content.damaged(f"the option {wrong}={options.get(wrong)!r} in config.json is out of range")
    options = {**options, **{name: float(options[name]) for name in NUMBERS}}  # with an int, kernels compile again
    vocab, names = content.words(), content.words("names")
    dim = options["dim"]
    documents = content.array("documents", (len(names), dim))
    try:
        return DocumentVectors(
            names,
            documents,
            words=WordVectors(
                vocab, content.array("words", (len(vocab), dim)), counts=content.counts("counts", len(vocab), 1)
            ),
            outputs=content.array("outputs", (len(vocab), None)),
            options=options,
            tokens=tokens,
            metadata=content.metadata,
        )
    except ShapeError as error:
        raise content.damaged(str(error)) from None


def _wrong_option(options: Mapping[str, Any]) -> str | None:
    """Return the name of an option that is missing or out of range, or None."""
    for name, choices in CHOICES.items():
        if type(value := options.get(name)) is not type(choices[0]) or value not in choices:
            return name
    for name, most in WHOLE.items():
        whole: Any = options.get(name)
        if type(whole) is not int or not 1 <= whole <= most:
            return name
    for name, (low, high) in NUMBERS.items():
        number: Any = options.get(name)
        if type(number) not in (int, float) or not low <= number <= high:
            return name
    return None


def _at_least_one(epochs: int | None, default: int) -> int:
    if epochs is None:
        return default
    if isinstance(epochs, bool) or not isinstance(epochs, int) or epochs < 1:
        raise OptionError(f"epochs={epochs!r}: expected a whole number of at least 1")
    return epochs


def _positive(lr: float) -> float:
    if not 0 < lr < float("inf"):
        raise OptionError(f"lr={lr!r}: expected a finite number above 0")
    return float(lr)
