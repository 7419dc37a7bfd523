"""Models that count, in back-off form: what a text was seen to hold, and weights for the rest."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.inference.scorer import Scores
from firth.language import arpa, ngram_trie
from firth.language.model import LanguageModel
from firth.language.ngram_check import damage_of
from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.ngram_tables import trie_of
from firth.language.ngram_trie import Trie
from firth.language.text import EOS, LanguageText, TextRules, check_readable
from firth.progress import Progress
from firth.storage import model_folder
from firth.storage.integrity import verify
from firth.storage.model_folder import ModelFolder
from firth.text.tokenise import tokeniser
from firth.vocabulary import Vocabulary

KIND = "firth-ngrams"
ARRAYS = ("words", "nodes", "leaves", "sizes")

States = npt.NDArray[np.int64]


class NgramModel(LanguageModel):
    """A probability for every word after every n - 1 words; its states are rows of its trie, (B,) int64.

    Args:
        vocabulary: V words.
        rules: how it reads text.
        trie: n-grams and their probabilities.
        metadata: how it was made; what JSON can hold.

    Attributes:
        vocabulary: V words.
        rules: how it reads text.
        trie: n-grams and their probabilities.
        metadata: how it was made.
        connected: False, for n-grams do not cross sentences.
    """

    connected = False

    def __init__(
        self, vocabulary: Vocabulary, rules: TextRules, trie: Trie, metadata: Mapping[str, Any] | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.rules = rules
        self.trie = trie
        self.metadata = dict(metadata or {})

    @classmethod
    def of_counts(
        cls, text: LanguageText, counts: NgramCounts, estimates: Estimates, metadata: Mapping[str, Any] | None = None
    ) -> "NgramModel":
        """Return the model of a text that was counted and smoothed.

        Args:
            text: whose vocabulary and rules are the model's.
            counts: of its n-grams.
            estimates: what a smoothing made of them.
            metadata: how.
        """
        log_probs, log_backoffs = zip(*estimates, strict=True)
        trie = ngram_trie.assembled(counts.last, counts.contexts, counts.suffixes, log_probs, log_backoffs)
        return cls(text.vocabulary, text.rules, trie, metadata)

    @classmethod
    def from_arpa(cls, path: str | os.PathLike[str], *, tokens: str = "whitespace") -> "NgramModel":
        """Read a model from an ARPA file, plain or packed with gzip (`.gz`).

        Its words are sorted by their spelling, for the file says nothing of their counts, which are 0.

        Args:
            path: the file.
            tokens: what a word is in text that the model will read: a name of `firth.text.tokenise`.

        Raises:
            FormatError: the file is cut short, its counts do not add up, or a line is not what it should be; the
                message names the line.
            OptionError: there is no such rule for words.
            OSError: the file cannot be read.

        Source:
            The format is described in `firth.language.arpa`.
        """
        tokeniser(tokens)
        found = arpa.read(path)
        vocabulary = Vocabulary(found.words, np.zeros(len(found.words), np.int64), 0)
        rules = TextRules(tokens=tokens, eos=EOS in vocabulary)
        trie = trie_of(found.tables, str(path))
        if wrong := damage_of(trie, found.words):
            raise FormatError(f"{path}: {wrong}; fetch the file or write it again")
        return cls(vocabulary, rules, trie, {"training": {"model": "arpa", "file": str(path)}})

    def to_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write the model as an ARPA file, packed with gzip where the name ends in ".gz".

        Numbers have nine digits, so that `from_arpa` gives the same model back.

        Raises:
            OptionError: a word is empty, holds white space, or is `<s>`.
            OSError: the file cannot be written.
        """
        arpa.write(path, self.vocabulary.words, self.trie)

    @property
    def order(self) -> int:
        """The length n of the longest n-grams."""
        return self.trie.order

    def __repr__(self) -> str:
        return f"<NgramModel: order {self.order}, {len(self.vocabulary):,} words, {len(self.trie.words):,} n-grams>"

    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of each token of a text; see `LanguageModel.log_probs`."""
        trie, found = self.trie, np.empty(len(text))
        ngram_trie.score(text.ids, text.offsets, *trie.arrays, trie.first, found)
        return found

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, States]:
        """Return what follows each prompt, and the states there; see `firth.inference.scorer.Scorer`."""
        states = np.full(len(prompts), self.trie.first, np.int64)
        for place in range(max(map(len, prompts), default=0)):
            rows = np.array([i for i, prompt in enumerate(prompts) if place < len(prompt)])
            states[rows] = self._moved(states[rows], np.array([prompts[i][place] for i in rows.tolist()], np.int64))
        return self._scores(states), states

    def advance(self, state: States, ids: npt.NDArray[np.int64]) -> tuple[Scores, States]:
        """Return what follows one more word each; see `firth.inference.scorer.Scorer`."""
        states = self._moved(state, ids)
        return self._scores(states), states

    def reorder(self, state: States, rows: npt.NDArray[np.int64]) -> States:
        """Return some of the states; see `firth.inference.scorer.Scorer`."""
        return state[rows]

    def _moved(self, states: States, ids: npt.NDArray[np.int64]) -> States:
        moved, ids = states.copy(), np.asarray(ids, np.int64)
        ngram_trie.follow(moved, ids, self.trie.words, self.trie.nodes, self.trie.leaves)
        if self.rules.eos:  # behind the end of a sentence stands the beginning of the next
            moved[ids == self.vocabulary.ids[EOS]] = self.trie.first
        return moved

    def _scores(self, states: States) -> Scores:
        trie, found = self.trie, np.empty((len(states), len(self.vocabulary)))
        ngram_trie.spread(states, *trie.arrays, trie.order, found)
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a folder, which `firth.load` opens.

        Raises:
            OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
            OSError: the folder cannot be written.
        """
        arrays = {name: np.asarray(getattr(self.trie, name)) for name in ARRAYS}
        arrays["counts"] = np.asarray(self.vocabulary.counts, np.int64)
        facts = {"rules": vars(self.rules), "tokens": self.vocabulary.total}
        texts = {"vocab": list(self.vocabulary.words)}
        model_folder.write(
            path,
            ModelFolder(kind=KIND, arrays=arrays, texts=texts, config=facts, metadata=self.metadata, card=_card(self)),
        )


def restore(content: ModelFolder) -> NgramModel:
    """Return the model that a folder holds.

    Raises:
        FormatError: the folder is damaged.
    """
    words, trie = _trie_in(content)
    verify(content.path, check=check_trie)
    facts = content.config
    tokens = facts.get("tokens", 0)
    vocabulary = Vocabulary(words, content.counts("counts", len(words)), tokens if type(tokens) is int else 0)
    try:
        rules = TextRules.from_config(facts["rules"])
        if type(tokens) is not int:
            raise TypeError(f"tokens {tokens!r}: expected a whole number")
        check_readable(vocabulary, rules)
    except (KeyError, TypeError, OptionError) as error:
        raise content.damaged(f"config.json does not describe a language model ({error})") from None
    return NgramModel(vocabulary, rules, trie, content.metadata)


def check_trie(folder: Path) -> None:
    """Check all that compiled code follows in the folder of a model; it is remembered for a folder that stays the same.

    Raises:
        FormatError: something leads out of its array, or is no probability.
    """
    content = model_folder.read(folder)
    words, trie = _trie_in(content)
    if found := damage_of(trie, words):
        raise content.damaged(found)


def _trie_in(content: ModelFolder) -> tuple[list[str], Trie]:
    """Return the words and the n-grams of a folder, whose numbers nobody has looked at."""
    words, sizes = content.words(), content.array("sizes", (None,), "i").tolist()
    if not sizes or min(sizes) < 0 or sizes[0] != len(words) + 1:
        raise content.damaged(f"{sizes} n-grams by order for {len(words):,} words")
    rows, lower = sum(sizes), sum(sizes[:-1])
    shapes = {"words": (rows,), "nodes": (lower + 1, 4), "leaves": (rows - lower, 2)}
    arrays = {name: content.array(name, shape, "i", dtype=np.int32) for name, shape in shapes.items()}
    trie = Trie(**arrays, sizes=np.array(sizes, np.int64))
    return words, trie


def _card(model: NgramModel) -> str:
    sizes = ", ".join(f"{size:,}" for size in model.trie.sizes)
    return (
        f"# N-gram language model of order {model.order}\n\n"
        f"{len(model.vocabulary):,} words; n-grams by order: {sizes}. Made by firth; open it with\n\n"
        "```python\nimport firth\n\nmodel = firth.load('this folder')\n```\n"
    )
