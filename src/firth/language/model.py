"""The interface of all language models, and the scores of a sentence."""

import abc
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import brief
from firth.finite import not_finite
from firth.hints import Hinted
from firth.inference.generation_options import GenerationOptions
from firth.inference.scorer import Scores
from firth.inference.search import BeamSearch
from firth.language.generation import TextGenerator
from firth.language.perplexity import Perplexity, perplexity
from firth.language.text import LanguageText, TextRules, encode_sentences, held_out_text
from firth.options import check_kind
from firth.progress import Progress
from firth.text.inputs import Text, check_items
from firth.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class SentenceScore:
    """The log-probabilities of a sentence.

    Attributes:
        tokens: the predicted tokens: `<unk>` for words outside the vocabulary, and `</s>` if the model predicts it.
        log_probs: (n,) natural logarithm of the probability of each token given the tokens before it.
    """

    tokens: tuple[str, ...]
    log_probs: npt.NDArray[np.float64]

    @property
    def total(self) -> float:
        """The natural logarithm of the probability of the sentence."""
        return float(self.log_probs.sum())

    @property
    def perplexity(self) -> float:
        """The perplexity of the sentence; NaN if it has no tokens."""
        with np.errstate(over="ignore"):
            return float(np.exp(-self.log_probs.mean())) if len(self.tokens) else float("nan")


def check_log_probs(log_probs: npt.NDArray[np.float64], text: LanguageText, model: Any) -> npt.NDArray[np.float64]:
    """Return log-probabilities of the tokens of a text, (N,) or (..., N); 0 has the logarithm -inf."""
    right = log_probs < np.inf  # NaN is not below infinity
    if not right.all():
        token = int(np.argmin(right.reshape(-1, len(text)).all(axis=0)))
        sentence = int(np.searchsorted(text.offsets, token, "right")) - 1
        words = [text.vocabulary.words[i] for i in text.ids[text.offsets[sentence] : token + 1].tolist()]
        raise not_finite(f"sentence {sentence}, token {len(words) - 1} ({brief(' '.join(words))})", model)
    return log_probs


def split_sentences(text: LanguageText, log_probs: npt.NDArray[np.float64]) -> list[SentenceScore]:
    """Return the scores of a text, one per sentence.

    Args:
        log_probs: (N,) log-probabilities of its tokens.
    """
    words, offsets = text.vocabulary.words, text.offsets.tolist()
    return [
        SentenceScore(tuple(words[i] for i in text.ids[start:stop].tolist()), log_probs[start:stop])
        for start, stop in pairwise(offsets)
    ]


class LanguageModel(Hinted, abc.ABC):
    """A probability distribution over the next word: n-gram models, neural models and mixtures.

    Every language model is a `firth.inference.scorer.Scorer`, so that every search works with it.

    Attributes:
        vocabulary: V words, including `<unk>`, and `</s>` if sentence ends are predicted.
        metadata: how it was made; "training" describes the run, and whether it was "interrupted".
        connected: whether the context of a token includes earlier sentences.
        spells: whether words outside the vocabulary are read by their characters, so that the model tells them apart.
    """

    vocabulary: Vocabulary
    rules: TextRules
    metadata: dict[str, Any]
    connected: bool = True
    spells: bool = False

    @abc.abstractmethod
    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of each token of a text given its context.

        Args:
            text: a text with the vocabulary and rules of this model, as returned by `read` and `token_ids`.

        Returns:
            (N,) float64, in nats, none above 0.
        """

    @abc.abstractmethod
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores and states after each prompt; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """Return scores and states after one more id each; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the states of some sequences; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model as a folder, which `firth.load` opens."""

    @final
    def read(self, source: Any, *, progress: Progress = None) -> LanguageText:
        """Tokenise and encode a held-out text; see `firth.language.text.held_out_text`."""
        return held_out_text(source, self.vocabulary, self.rules, progress=progress)

    @final
    def token_ids(self, sentences: Sequence[Text]) -> LanguageText:
        """Return the token ids of sentences; see `firth.language.text.encode_sentences`."""
        return encode_sentences(sentences, self.vocabulary, self.rules)

    @final
    @explained
    def score(self, sentences: Text | Sequence[Text]) -> list[SentenceScore]:
        """Return the log-probabilities of sentences, each without the others as context.

        Args:
            sentences: strings or lists of words; a single string is one sentence.

        Raises:
            ArgumentTypeError: the sentences are something else, such as a table.
        """
        batch = [sentences] if isinstance(sentences, str) else list(check_items(sentences, "sentences"))
        texts = (
            [self.token_ids([text]) for text in batch] if self.connected else [self.token_ids(batch)] if batch else []
        )
        return [score for text in texts for score in split_sentences(text, self.log_probs(text))]

    @final
    @explained
    def perplexity(self, source: Any, *, progress: Progress = None) -> Perplexity:
        """Return the perplexity on a text, with the counts behind it.

        Args:
            source: held-out text; see `firth.language.text.held_out_text`.

        Raises:
            CorpusError: the text is empty, or all its words are unknown.
        """
        text = self.read(source, progress=progress)
        return perplexity(text, self.log_probs(text, progress=progress))

    @final
    @explained
    def generate(
        self,
        prompt: str = "",
        n: int = 1,
        options: GenerationOptions | None = None,
        search: str | BeamSearch = "sample",
        *,
        seed: int = 0,
        unknown: bool = False,
        forced: Sequence[str] = (),
    ) -> list[str]:
        """Generate texts that start with a prompt; subwords give text as it is written, words are joined by spaces.

        Args:
            prompt: start of the texts; unknown words give a warning, unless the model `spells`.
            n: number of texts; beam search may find fewer.
            options: lengths, temperature and other generation options.
            search: "sample", "greedy", "beam", or a `BeamSearch`.
            unknown: whether `<unk>` may be generated.
            forced: words and phrases that each text contains, in any order; beam search only. With a `BeamSearch`, its
                beams should outnumber the forced words. A phrase of subwords begins a word, and may go on in it.

        Raises:
            OptionError: the search is unknown, or does not fit `n` or the options; or a forced phrase has words that
                the model cannot write.
        """
        check_items(forced, "forced")
        if options is not None:
            check_kind("options", options, GenerationOptions)
        generator = TextGenerator.of(self)
        words = generator.prompt(prompt)
        continuations = generator.continuations(
            words, n, options or GenerationOptions(), search, seed=seed, unknown=unknown, forced=forced
        )
        return [generator.text(words, continuation.ids) for continuation in continuations]

    @final
    @explained
    def next_words(self, prompt: str = "", topn: int = 10) -> list[tuple[str, float]]:
        """Return the most probable next words after a prompt, with their probabilities; `</s>` ends the sentence.

        Raises:
            OptionError: `topn` is below 1.
        """
        generator = TextGenerator.of(self)
        return generator.next_words(generator.prompt(prompt), topn)
