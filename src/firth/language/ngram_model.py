"""Trained n-gram models in back-off form: scoring, states for generation, saving and loading."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.corpus.options import GIVEN
from firth.errors import FormatError, OptionError, warn_caller
from firth.inference.scorer import Scores
from firth.language import arpa, ngram_trie
from firth.language.model import LanguageModel
from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.ngram_tables import trie_from_tables
from firth.language.ngram_trie import Trie
from firth.language.ngram_validation import find_damage
from firth.language.text import EOS, LanguageText, TextRules, check_readable, tokens_of
from firth.progress import Progress
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.storage.snapshots import snapshot
from firth.text.subwords import Subwords
from firth.training_facts import with_training_facts
from firth.vocabulary import Vocabulary

KIND = "firth-ngrams"
ARRAYS = ("words", "nodes", "leaves", "sizes")

States = npt.NDArray[np.int64]


class NgramModel(LanguageModel):
    """An n-gram language model; its states are rows of its trie, (B,) int64.

    Args:
        vocabulary: V words.
        rules: how text is tokenised.
        trie: n-grams and their probabilities.
        metadata: how it was made; JSON values.

    Attributes:
        vocabulary: V words.
        rules: how text is tokenised.
        trie: n-grams and their probabilities.
        metadata: how it was made.
        connected: False: n-grams do not cross sentence boundaries.
    """

    connected = False

    def __init__(
        self, vocabulary: Vocabulary, rules: TextRules, trie: Trie, metadata: Mapping[str, Any] | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.rules = rules
        self.trie = trie
        self.metadata = with_training_facts(metadata)

    @classmethod
    def from_counts(
        cls, text: LanguageText, counts: NgramCounts, estimates: Estimates, metadata: Mapping[str, Any] | None = None
    ) -> "NgramModel":
        """Return the model of counts and their smoothed estimates.

        Args:
            text: the text that was counted; the model takes its vocabulary and rules.
            counts: the n-grams of the text.
            estimates: probabilities and back-off weights by a smoothing method.
            metadata: how the model was made; JSON values.
        """
        log_probs, log_backoffs = zip(*estimates, strict=True)
        trie = ngram_trie.build_trie(counts.last, counts.contexts, counts.suffixes, log_probs, log_backoffs)
        return cls(text.vocabulary, text.rules, trie, metadata)

    @classmethod
    @names_files
    def from_arpa(cls, path: str | os.PathLike[str], *, tokens: str | Subwords | None = None) -> "NgramModel":
        """Read a model from an ARPA file, plain or packed with gzip (`.gz`).

        The words are sorted alphabetically. Their counts are 0, because the format has none. A file that firth wrote
        says how text is split into them; for others "whitespace" is assumed, with a warning.

        Args:
            path: the file.
            tokens: how text is split, as in `Corpus.build`, for a file that does not say.

        Raises:
            FormatError: the file is truncated or inconsistent, or a line is invalid; the message names the line.
            OptionError: the rule for tokens does not exist, or is not that of the file.
            OSError: the file cannot be read.

        Source:
            The format is described in `firth.language.arpa`.
        """
        content = snapshot(Path(path), arpa.read)
        chosen = tokens_of(str(path), content.rules, tokens)
        vocabulary = Vocabulary(content.words, np.zeros(len(content.words), np.int64), 0)
        rules = replace(content.rules or TextRules(), tokens=chosen or GIVEN, eos=EOS in vocabulary)
        trie = trie_from_tables(content.tables, str(path))
        if damage := find_damage(trie, content.words):
            raise FormatError(f"{path}: {damage}; fetch the file or write it again")
        if chosen is None:
            warn_caller(
                f"{path}: the file does not say how its text was split into words; tokens='whitespace' is assumed. "
                "Another rule is named by tokens=, such as tokens='words' for words in lower case without punctuation"
            )
        return cls(vocabulary, rules, trie, {"training": {"model": "arpa", "file": str(path)}})

    def to_arpa(self, path: str | os.PathLike[str]) -> None:
        """Write an ARPA file, compressed with gzip if the name ends in ".gz".

        Numbers have nine digits, so that `from_arpa` restores the same model. The first line, a comment, holds the text
        rules; KenLM and SRILM skip it.

        Raises:
            OptionError: a word is empty, contains white space, or is `<s>`.
            OSError: the file cannot be written.
        """
        arpa.write(path, self.vocabulary.words, self.trie, self.rules)

    @property
    def order(self) -> int:
        """n, the length of the longest n-grams."""
        return self.trie.order

    def __repr__(self) -> str:
        return f"<NgramModel: order {self.order}, {len(self.vocabulary):,} words, {len(self.trie.words):,} n-grams>"

    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return the log-probability of each token of a text; see `LanguageModel.log_probs`."""
        trie, log_probs = self.trie, np.empty(len(text))
        ngram_trie.score(text.ids, text.offsets, *trie.arrays, trie.initial_state, log_probs)
        return log_probs

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, States]:
        """Return scores and states after each prompt; see `firth.inference.scorer.Scorer`."""
        states = np.full(len(prompts), self.trie.initial_state, np.int64)
        for position in range(max(map(len, prompts), default=0)):
            rows = np.array([i for i, prompt in enumerate(prompts) if position < len(prompt)])
            states[rows] = self._advance(
                states[rows], np.array([prompts[i][position] for i in rows.tolist()], np.int64)
            )
        return self._scores(states), states

    def advance(self, state: States, ids: npt.NDArray[np.int64]) -> tuple[Scores, States]:
        """Return scores and states after one more id each; see `firth.inference.scorer.Scorer`."""
        states = self._advance(state, ids)
        return self._scores(states), states

    def reorder(self, state: States, rows: npt.NDArray[np.int64]) -> States:
        """Return the states of some sequences; see `firth.inference.scorer.Scorer`."""
        return state[rows]

    def _advance(self, states: States, ids: npt.NDArray[np.int64]) -> States:
        states, ids = states.copy(), np.asarray(ids, np.int64)
        ngram_trie.advance_states(states, ids, self.trie.words, self.trie.nodes, self.trie.leaves)
        if self.rules.eos:  # a new sentence starts after `EOS`
            states[ids == self.vocabulary.ids[EOS]] = self.trie.initial_state
        return states

    def _scores(self, states: States) -> Scores:
        trie, scores = self.trie, np.empty((len(states), len(self.vocabulary)))
        ngram_trie.score_next(states, *trie.arrays, trie.order, scores)
        return scores

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model as a folder, which `firth.load` opens.

        Raises:
            OptionError: the path is a folder with other content, which is never replaced, or the metadata is not JSON.
            OSError: the folder cannot be written.
        """
        arrays = {name: np.asarray(getattr(self.trie, name)) for name in ARRAYS}
        arrays["counts"] = np.asarray(self.vocabulary.counts, np.int64)
        facts = {"rules": self.rules.described(), "tokens": self.vocabulary.total}
        texts = {"vocab": list(self.vocabulary.words)}
        model_folder.write(
            path,
            ModelFolder(kind=KIND, arrays=arrays, texts=texts, config=facts, metadata=self.metadata, card=_card(self)),
        )


def restore(content: ModelFolder) -> NgramModel:
    """Return the model of a folder."""
    words, trie = _trie_in(content)  # checked by `check_trie` when it was read
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


def check_trie(content: ModelFolder) -> None:
    """Check that the trie of a folder is valid."""
    words, trie = _trie_in(content)
    if damage := find_damage(trie, words):
        raise content.damaged(damage)


def _trie_in(content: ModelFolder) -> tuple[list[str], Trie]:
    """Return the words and the unchecked trie of a folder."""
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
