"""Documents and their vectors, the words they were learned with, and vectors for documents that come later."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError, brief
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import check_items, token_lists
from firth.text.tokenise import REFERENCES
from firth.vectors.io.table import check_fits
from firth.vectors.word_vectors import WordVectors

KIND = "firth-documents"
MOST = 10_000  # words of a window and the like
MOST_EPOCHS = 100_000
# What inference reads of a model's options, and what these may be in a folder.
CHOICES = {
    "architecture": ("dm", "dbow"),
    "combine": ("mean", "sum", "concatenate"),
    "objective": ("negative", "hierarchical"),
    "words": (False, True),
    "shrink_windows": (False, True),
}
WHOLE = {"dim": 2**31, "window": MOST, "negative": MOST, "shared_windows": MOST, "epochs": MOST_EPOCHS}  # from 1 on
NUMBERS = {"sample": (0, 1), "lr": (0, 1e9), "lr_end_factor": (0, 1), "noise_exponent": (-10, 10)}
Tokenise = Callable[[str], Sequence[str]]


class DocumentVectors:
    """A vector a document, and the model that made them.

    Args:
        names: R distinct names of documents.
        vectors: (R, D) float32.
        words: the V words with their vectors and counts.
        outputs: (V, Q) float32, output vectors of words or of a tree's nodes; Q is D, or (2 window + 1) D.
        options: of the model.
        tokens: the name of the tokeniser of the texts; one that firth does not know means that token lists are
            expected.
        metadata: facts to keep with the vectors, which JSON can hold.

    Attributes:
        documents: the documents as `WordVectors`, with names in the place of words: every question that can be asked
            of words can be asked of documents, also by its name on this object (`similarity`, `distances` ...).
        words: the words; where the model trains no input vectors of words, their output vectors, which lie in the
            documents' space.
        outputs: as given.
        options: as given.
        tokens: as given.
        metadata: as given.

    Raises:
        ShapeError: the shapes of the arrays do not fit each other.
        FormatError: a name stands there twice.
    """

    def __init__(
        self,
        names: Sequence[str],
        vectors: npt.ArrayLike,
        *,
        words: WordVectors,
        outputs: npt.ArrayLike,
        options: Mapping[str, Any],
        tokens: str = "unicode",
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.documents = WordVectors(names, vectors)
        self.words = words
        self.outputs = np.asarray(outputs, dtype=np.float32)
        self.options = dict(options)
        self.tokens = tokens
        self.metadata: dict[str, Any] = dict(metadata or {})
        width = self.dim * (2 * self.options["window"] + 1 if self._concatenates else 1)
        if words.dim != self.dim or self.outputs.shape != (len(words), width):
            raise ShapeError(
                f"{len(words)} words x {words.dim}, output vectors {self.outputs.shape}, documents {self.dim} wide: "
                f"expected words {self.dim} wide and output vectors ({len(words)}, {width})"
            )

    @property
    def _concatenates(self) -> bool:
        return bool(self.options["architecture"] == "dm" and self.options["combine"] == "concatenate")

    def __getattr__(self, name: str) -> Any:
        # Only what is not found here comes here: the questions of word vectors, asked of documents.
        if name.startswith("_") or name == "documents":
            raise AttributeError(name)
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

    @property
    def names(self) -> list[str]:
        """The documents' names, row by row."""
        return self.documents.words

    @property
    def vectors(self) -> npt.NDArray[Any]:
        """(R, D) the documents' vectors."""
        return self.documents.vectors

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.documents.dim

    def most_similar(self, positive: Any = None, negative: Any = None, topn: int | None = 10, **how: Any) -> Any:
        """Return the documents whose vectors point most nearly where the query does.

        Args:
            positive: names, rows or vectors (such as `infer` returns), one or a list, as in `WordVectors.most_similar`.
            negative: the same, to be unlike.
            topn: how many documents; None returns the cosine with every one.
            **how: the further arguments of `WordVectors.most_similar`.

        Returns:
            [(name, cosine), ...], best first; for a batch a list of such lists.
        """
        return self.documents.most_similar(positive, negative, topn, **how)

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
        """Return vectors for documents that the model has not seen; its words stay as they are.

        The same words and seed give the same vector, whatever stands beside them and however many threads there are. A
        document without a known word gets the vector zero, and a warning says how many those are.

        Args:
            documents: a text, a list of texts, or a list of token lists.
            epochs: passes over each document; by default as many as training made.
            lr: learning rate at the start; by default that of training.
            seed: of the random numbers.
            threads: how many; by default one a processor.
            tokenise: a function from a text to its tokens, where the corpus was split by one that firth cannot know.

        Returns:
            (R, D) float32, or (D,) for a single text.

        Raises:
            OptionError: an argument is out of its range, or the texts cannot be split into words.
        """
        from firth.kernels.threads import usable_threads
        from firth.vectors.document_inference import infer

        if isinstance(documents, str):
            alone = self.infer([documents], epochs=epochs, lr=lr, seed=seed, threads=threads, tokenise=tokenise)
            return np.asarray(alone[0])
        how = {**self.options, "epochs": _at_least_one(epochs, self.options["epochs"])}
        if lr is not None:
            how["lr"] = _positive(lr)
        rows = self.words.key_to_index
        known = [
            np.array([rows[token] for token in tokens if token in rows], dtype=np.int32)
            for tokens in self._tokens(documents, tokenise)
        ]
        empty = sum(not len(ids) for ids in known)
        if empty:
            warnings.warn(
                f"{empty:,} of {len(known):,} documents hold no word that the model knows: their vectors are zero",
                stacklevel=2,
            )
        counts = self.words.counts
        assert counts is not None
        return infer(
            known,
            options=how,
            counts=counts,
            words=np.asarray(self.words.vectors, dtype=np.float32),
            outputs=self.outputs,
            seed=seed,
            threads=usable_threads(threads),
        )

    def _tokens(self, documents: Any, tokenise: Tokenise | None) -> Sequence[Sequence[str]]:
        given = list(check_items(documents, "documents"))
        texts = [isinstance(document, str) for document in given]
        if not any(texts):
            return token_lists(given, str.split, "documents")
        if not all(isinstance(document, str | list | tuple) for document in given):
            token_lists(given, str.split, "documents")  # which says what is wrong
        if not all(texts):
            raise OptionError("texts among token lists: expected all documents to be of one kind")
        split = tokenise or REFERENCES.get(self.tokens)
        if split is None:
            raise OptionError(
                f"the corpus was split by {brief(self.tokens)}, which a saved model cannot hold: pass it as tokenise=, "
                "or pass lists of tokens"
            )
        return [split(text) for text in given]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write documents and model as a folder that `firth.load` maps.

        Raises:
            OptionError: the path is a folder of something else, or the metadata is not JSON.
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
    """Return the documents that a folder holds.

    Raises:
        FormatError: it does not hold what it should.
    """
    options, tokens = content.config.get("options"), content.config.get("tokens")
    if not isinstance(options, dict) or not isinstance(tokens, str):
        raise content.damaged("no options of the model in config.json")
    if "final_lr" in options:  # what earlier versions called it
        options = {**options, "lr_end_factor": options["final_lr"]}
    if wrong := _wrong_option(options):
        raise content.damaged(f"the option {wrong}={options.get(wrong)!r} in config.json, which is out of its range")
    options = {**options, **{name: float(options[name]) for name in NUMBERS}}  # a whole number compiles kernels anew
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
    """Return the name of an option that is missing or out of its range, or None."""
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
