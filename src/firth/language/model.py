"""What every language model can do, whether it counts or learns."""

import abc
import os
from collections.abc import Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from firth.inference.beam_search import BeamSearch
from firth.inference.generation_options import GenerationOptions
from firth.inference.scorer import Scores
from firth.language.generation import Writer
from firth.language.perplexity import Perplexity, perplexity
from firth.language.scores import SentenceScore, by_sentence
from firth.language.text import LanguageText, TextRules, encoded, held_out_text
from firth.options import check_kind
from firth.progress import Progress
from firth.text.given import Text, several
from firth.vocabulary import Vocabulary


class LanguageModel(abc.ABC):
    """A probability for every next word: n-grams, neural models and mixtures of them answer to the same names.

    It is a `firth.inference.scorer.Scorer`, so that every search works with every model.

    Attributes:
        vocabulary: V words, `<unk>` among them, and `</s>` where sentence ends are predicted.
        rules: how it reads text.
        metadata: where it comes from; "training" tells of the run, and whether it was "interrupted".
        connected: whether a sentence is predicted from those before it, too.
        spells: whether words outside the vocabulary are read by their characters, so that the model tells them apart.
    """

    vocabulary: Vocabulary
    rules: TextRules
    metadata: dict[str, Any]
    connected: bool = True
    spells: bool = False

    @abc.abstractmethod
    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of each token of a text, given all before it that count.

        Args:
            text: read with this model's vocabulary and rules.
            progress: how to show progress; see `firth.progress`.

        Returns:
            (N,) float64, in nats, none above 0.
        """

    @abc.abstractmethod
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores and state after each prompt; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """Return scores and state after one more id each; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some sequences; see `firth.inference.scorer.Scorer`."""

    @abc.abstractmethod
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a folder, which `firth.load` opens.

        Raises:
            OptionError: the path is a folder of something else, which is never replaced, or the metadata is not JSON.
            OSError: the folder cannot be written.
        """

    @final
    def read(self, source: Any, *, progress: Progress = None) -> LanguageText:
        """Read held-out text as this model reads it; see `firth.language.text.held_out_text`."""
        return held_out_text(source, self.vocabulary, self.rules, progress=progress)

    @final
    def encode(self, sentences: Sequence[Text]) -> LanguageText:
        """Return sentences, strings or lists of words, as this model reads them; see `firth.language.text.encoded`."""
        return encoded(sentences, self.vocabulary, self.rules)

    @final
    def score(self, sentences: Text | Sequence[Text]) -> list[SentenceScore]:
        """Return how likely sentences are, each by itself, as if nothing stood before it.

        Args:
            sentences: strings or lists of words; a single string is a list of one.

        Raises:
            KindError: they are none of these, but a table, say.
        """
        given = [sentences] if isinstance(sentences, str) else list(several(sentences, "sentences"))
        texts = [self.encode([one]) for one in given] if self.connected else [self.encode(given)] if given else []
        return [score for text in texts for score in by_sentence(text, self.log_probs(text))]

    @final
    def perplexity(self, source: Any, *, progress: Progress = None) -> Perplexity:
        """Return how well the model predicts a text, with an account of what was counted.

        Args:
            source: held-out text; see `firth.language.text.held_out_text`.
            progress: how to show progress; see `firth.progress`.

        Raises:
            CorpusError: there is no text, or no word of it is known.
        """
        text = self.read(source, progress=progress)
        return perplexity(text, self.log_probs(text, progress=progress))

    @final
    def generate(
        self,
        prompt: str = "",
        n: int = 1,
        options: GenerationOptions | None = None,
        search: str | BeamSearch = "sample",
        *,
        seed: int = 0,
        unknown: bool = False,
    ) -> list[str]:
        """Return texts that begin with a prompt, as the model writes them: words between spaces, pieces joined.

        Args:
            prompt: how the texts begin; words that the model does not know are warned of, unless it `spells`.
            n: how many; beam search may find fewer.
            options: lengths, temperature, and whatever else is wished for.
            search: "sample", "greedy", "beam", or beam search with options of one's own.
            seed: one seed gives the same texts.
            unknown: whether `<unk>` may be written.

        Raises:
            OptionError: there is no such search, or it cannot do what is asked.
        """
        if options is not None:
            check_kind("options", options, GenerationOptions)
        writer = Writer(self, self.vocabulary, self.rules, self.spells)
        words = writer.prompt(prompt)
        found = writer.continuations(words, n, options or GenerationOptions(), search, seed=seed, unknown=unknown)
        return [writer.text(words, each.ids) for each in found]

    @final
    def next_words(self, prompt: str = "", topn: int = 10) -> list[tuple[str, float]]:
        """Return the likeliest words after a prompt, with their probabilities, best first; `</s>` is an end.

        Args:
            prompt: what stands before, from the beginning of a sentence.
            topn: how many.

        Raises:
            OptionError: `topn` is below 1.
        """
        writer = Writer(self, self.vocabulary, self.rules, self.spells)
        return writer.next_words(writer.prompt(prompt), topn)
