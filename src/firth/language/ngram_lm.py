"""N-gram language models: the probability of a word given the n - 1 words before it, from smoothed counts.

What: the options and `train`. A smoothing method turns counts into probabilities; `SMOOTHINGS` names one file each.

Objective: p(w_i | w_1 ... w_(i-1)) depends on the last n - 1 words only. Smoothing gives unseen n-grams their share, in
back-off form: p(w | h) for n-grams that were seen, b(h) p(w | h') for the others, where h' is h without its first word.

Source: Jurafsky and Martin, "Speech and Language Processing", 3rd edition, chapter 3; each smoothing names its own.

Departures: none.

Cost: see `firth.language.ngram_counts` for counting, and the file of the smoothing method.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Unpack

from firth import options
from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.corpus.options import TextArguments
from firth.errors import OptionError
from firth.language import absolute, add_k, good_turing, jelinek_mercer, katz, kneser_ney
from firth.language.ngram_counts import Estimates, NgramCounts, count
from firth.language.ngram_model import NgramModel
from firth.language.text import UNK, LanguageText, training_text
from firth.options import Preset, option, options_class
from firth.progress import Progress, Status, reporting

SMOOTHINGS: Mapping[str, Callable[[NgramCounts, Any], Estimates]] = {
    "kneser-ney": kneser_ney.estimate,
    "absolute": absolute.estimate,
    "katz": katz.estimate,
    "jelinek-mercer": jelinek_mercer.estimate,
    "good-turing": good_turing.estimate,
    "add-k": add_k.estimate,
}


@options_class
class NgramLM:
    """Options of an n-gram language model.

    Source:
        Chen and Goodman 1998 for `smoothing="kneser-ney"`; see the module of each smoothing method.
    """

    presets: ClassVar = {
        "kneser-ney": Preset(
            "Modified Kneser-Ney, usually the best n-gram model (Kneser and Ney 1995, Chen and Goodman 1998).",
            smoothing="kneser-ney",
            unused=("interpolated", "cutoff", "add"),
        ),
        "absolute": Preset(
            "Absolute discounting (Ney et al. 1994).", smoothing="absolute", unused=("discounts", "cutoff", "add")
        ),
        "katz": Preset(
            "Katz back-off with Good-Turing discounts (Katz 1987).",
            smoothing="katz",
            unused=("discounts", "interpolated", "add"),
        ),
        "jelinek-mercer": Preset(
            "Jelinek-Mercer interpolation (Jelinek and Mercer 1980).",
            smoothing="jelinek-mercer",
            unused=("discounts", "interpolated", "cutoff", "add", "discount_fallback"),
        ),
        "good-turing": Preset(
            "Simple Good-Turing estimation (Gale and Sampson 1995).",
            smoothing="good-turing",
            unused=("discounts", "interpolated", "cutoff", "add"),
        ),
        "add-k": Preset(
            "Add-k smoothing; with k = 1 Laplace's (Lidstone 1920).",
            smoothing="add-k",
            unused=("discounts", "interpolated", "cutoff", "discount_fallback"),
        ),
    }
    common_options: ClassVar = ("order",)
    counts_in_pieces: ClassVar = True

    order: int = option(5, "order n: length of the longest n-grams, the predicted word included", minimum=1)
    smoothing: str = option("kneser-ney", "smoothing method", choices=tuple(SMOOTHINGS))
    discounts: int = option(3, "kneser-ney: discounts per order, 3 (modified Kneser-Ney) or 1", minimum=1, maximum=3)
    interpolated: bool = option(True, "absolute: interpolate with lower orders instead of backing off")
    cutoff: int = option(5, "katz: largest count that is discounted", minimum=2)
    add: float = option(1.0, "add-k: number k added to the count of every word", minimum=0, exclusive=True)
    discount_fallback: bool = option(False, "use fixed discounts where the text is too small to estimate them")
    eos: bool = option(True, "predict the end of each sentence, </s>")

    def __post_init__(self) -> None:
        options.check(self)
        if self.discounts == 2:
            raise OptionError("discounts=2: expected 3 (modified Kneser-Ney) or 1")

    @explained(unknown=UNK)
    def train(
        self,
        corpus: Corpus | LanguageText | Any,
        *,
        threads: int | None = None,
        progress: Progress = None,
        **text: Unpack[TextArguments],
    ) -> NgramModel:
        """Count the n-grams of a text and return the smoothed model.

        Args:
            corpus: any source that `Corpus.build` takes, whose rare words become "<unk>"; or a corpus built with
                `unknown="<unk>"` or `min_count=1`; or a `LanguageText`, whose own rules replace `eos`.
            threads: number of threads for counting; by default one per processor. It does not change the model.
            **text: options of `Corpus.build`, such as min_count=2 or column="body", for a source that is not a corpus.

        Raises:
            OptionError: `threads` is below 1, or the text is too small for the smoothing method.
            CorpusError: the corpus is empty, lacks words of its text, or holds the word `<s>` or `</s>`.
        """
        language_text = training_text(corpus, text, eos=self.eos, progress=progress)
        with reporting(progress) as report:
            report(Status(stage="counting n-grams"))
            counts = count(language_text, self.order, threads=threads)
            report(Status(stage="smoothing"))
            estimates = SMOOTHINGS[self.smoothing](counts, self)
            facts = {
                "model": "ngrams",
                "options": asdict(self),
                "tokens": len(language_text),
                "sentences": len(language_text.offsets) - 1,
            }
            return NgramModel.from_counts(language_text, counts, estimates, {"training": facts})
