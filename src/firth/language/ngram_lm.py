"""N-gram models: a word's probability after the n - 1 words before it, from counts, smoothed.

What: the options of a model that counts, and `train`. How counts become probabilities is a smoothing, one in each of
the files that `SMOOTHINGS` names.

Objective: p(w_i | w_1 ... w_(i-1)) is taken to depend on the last n - 1 words alone. What was never seen is given its
share by a smoothing, in back-off form: p(w | h) for what was seen, b(h) p(w | h') for the rest, h' being h without its
first word.

Source: Jurafsky and Martin, "Speech and Language Processing", 3rd edition, chapter 3; each smoothing names its own.

Departures: none.

Cost: `firth.language.ngram_counts` counts; the smoothings say their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from firth import options
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.language import absolute, add_k, good_turing, jelinek_mercer, katz, kneser_ney
from firth.language.ngram_counts import Estimates, NgramCounts, count
from firth.language.ngram_model import NgramModel
from firth.language.text import LanguageText, training_text
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
    """An n-gram model: options that count.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Chen and Goodman 1998 for `smoothing="kneser-ney"`; the module of each smoothing names its own.
    """

    presets: ClassVar = {
        "kneser-ney": Preset(
            "Modified Kneser-Ney, usually the best n-gram model (Kneser and Ney 1995, Chen and Goodman 1998).",
            smoothing="kneser-ney",
        ),
        "absolute": Preset("Absolute discounting (Ney et al. 1994).", smoothing="absolute"),
        "katz": Preset("Katz back-off with Good-Turing discounts (Katz 1987).", smoothing="katz"),
        "jelinek-mercer": Preset("Jelinek-Mercer interpolation (Jelinek and Mercer 1980).", smoothing="jelinek-mercer"),
        "good-turing": Preset("Simple Good-Turing estimation (Gale and Sampson 1995).", smoothing="good-turing"),
        "add-k": Preset("Add-k smoothing; with k = 1 Laplace's (Lidstone 1920).", smoothing="add-k"),
    }
    common_options: ClassVar = ("order",)

    order: int = option(5, "words of the longest n-grams, the predicted one among them", minimum=1)
    smoothing: str = option("kneser-ney", "how counts become probabilities", choices=tuple(SMOOTHINGS))
    discounts: int = option(3, "discounts of an order: 3 (modified Kneser-Ney) or 1", minimum=1, maximum=3)
    interpolated: bool = option(True, "absolute: shorter contexts count for words that were seen, too")
    cutoff: int = option(5, "katz: the greatest count that is discounted", minimum=2)
    add: float = option(1.0, "add-k: what is added to the count of every word", minimum=0, exclusive=True)
    discount_fallback: bool = option(False, "fixed discounts where a small text does not let them be estimated")
    eos: bool = option(True, "predict the end of each sentence, </s>")

    def __post_init__(self) -> None:
        options.check(self)
        if self.discounts == 2:
            raise OptionError("discounts=2: expected 3 (modified Kneser-Ney) or 1")

    def train(
        self,
        corpus: Corpus | LanguageText | Any,
        *,
        threads: int | None = None,
        progress: Progress = None,
        **text: Any,
    ) -> NgramModel:
        """Count a corpus and return its model.

        Args:
            corpus: built with `unknown="<unk>"`, or with `min_count=1`; or a text that has been read, whose own rules
                say whether ends are predicted; or whatever `Corpus.build` takes, of which rare words become "<unk>".
            threads: how many count; by default one a processor. The model is the same for any number.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.
            **text: options of `Corpus.build` for a text that is no corpus yet, such as min_count=2, column="body".

        Raises:
            OptionError: `threads` is below 1, or the smoothing cannot be estimated from so little text.
            CorpusError: the corpus is empty, left words out, or holds the word `<s>` or `</s>`.
        """
        learned = training_text(corpus, text, eos=self.eos, progress=progress)
        with reporting(progress) as report:
            report(Status(stage="counting n-grams"))
            counts = count(learned, self.order, threads=threads)
            report(Status(stage="smoothing"))
            estimates = SMOOTHINGS[self.smoothing](counts, self)
            facts = {
                "model": "ngrams",
                "options": asdict(self),
                "tokens": len(learned),
                "sentences": len(learned.offsets) - 1,
            }
            return NgramModel.of_counts(learned, counts, estimates, {"training": facts})
