"""Text that goes on from a prompt, by any model and any search."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from firth.errors import OptionError
from firth.inference.beam_search import BeamSearch, beam_search
from firth.inference.continuation import Continuation
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search, sample
from firth.inference.scorer import Prompt, Scorer
from firth.language.text import EOS, UNK, TextRules
from firth.text.given import check_text
from firth.text.tokenise import tokeniser
from firth.vocabulary import Vocabulary

SEARCHES = ("sample", "greedy", "beam")
_TOLD = 3  # unknown words of a prompt that a warning names


@dataclass(frozen=True)
class Writer:
    """A model with the words that its numbers stand for.

    Attributes:
        scorer: the model.
        vocabulary: its words.
        rules: how it reads a prompt.
        spells: whether it reads words outside the vocabulary by their characters.
    """

    scorer: Scorer
    vocabulary: Vocabulary
    rules: TextRules
    spells: bool = False

    def prompt(self, text: str) -> Prompt:
        """Return a prompt for the model; unknown words have the id of `<unk>`, with a warning if it reads them so."""
        check_text(text, "prompt")
        words = tokeniser(self.rules.tokens)(text)
        unknown = list(dict.fromkeys(word for word in words if word not in self.vocabulary))
        if unknown and not self.spells:
            named = ", ".join(map(repr, unknown[:_TOLD])) + (", ..." if len(unknown) > _TOLD else "")
            warnings.warn(f"the model does not know {named} of the prompt and reads {UNK}", stacklevel=3)
        ids = [self.vocabulary.ids.get(word, self.vocabulary.ids[UNK]) for word in words]
        return Prompt(tuple(ids), tuple(words))

    def text(self, prompt: Prompt, ids: Sequence[int]) -> str:
        """Return a prompt as the model read it and what follows as a text; see `TextRules.joined`."""
        words = prompt.words if self.spells else [self.vocabulary.words[i] for i in prompt]
        return self.rules.joined([*words, *(self.vocabulary.words[i] for i in ids)])

    def continuations(
        self,
        prompt: Sequence[int],
        n: int,
        options: GenerationOptions,
        search: str | BeamSearch,
        *,
        seed: int,
        unknown: bool,
    ) -> list[Continuation]:
        """Return what is written after a prompt.

        Args:
            prompt: ids.
            n: how many texts; beam search may find fewer.
            options: the user's wishes.
            search: "sample", "greedy", "beam", or beam search with options of one's own.
            seed: of what is drawn.
            unknown: whether `<unk>` may be written.

        Raises:
            OptionError: there is no such search, or it cannot do what is asked.
        """
        kind = _checked(n, options, search)
        ids = self.vocabulary.ids
        ends = {
            "stop": [ids[EOS]] if self.rules.eos else [],
            "banned": [] if unknown else [ids[UNK]],
        }
        if kind == "sample":
            return sample(self.scorer, [prompt] * n, options, **ends, seed=seed)
        if kind == "greedy":
            return greedy_search(self.scorer, [prompt], options, **ends)
        how = search if isinstance(search, BeamSearch) else BeamSearch(beams=max(n, BeamSearch().beams))
        return beam_search(self.scorer, [prompt], options, how, n, **ends)[0]

    def next_words(self, prompt: Sequence[int], topn: int) -> list[tuple[str, float]]:
        """Return the likeliest words after a prompt, with their probabilities, best first.

        Args:
            prompt: ids.
            topn: how many.

        Raises:
            OptionError: `topn` is below 1.
        """
        if topn < 1:
            raise OptionError(f"topn={topn}: expected at least 1")
        scores = self.scorer.start([prompt])[0][0].astype(np.float64)
        order = np.argsort(-scores, kind="stable")[:topn]
        return [(self.vocabulary.words[i], float(np.exp(scores[i]))) for i in order.tolist()]


def _checked(n: int, options: GenerationOptions, search: str | BeamSearch) -> str:
    """Return the kind of search, after a look at what is asked of it."""
    kind = "beam" if isinstance(search, BeamSearch) else search
    if kind not in SEARCHES:
        raise OptionError(f"search={search!r}: expected one of {', '.join(SEARCHES)}, or a BeamSearch")
    if n < 1:
        raise OptionError(f"n={n}: expected at least 1 text")
    if kind == "greedy" and n > 1:
        raise OptionError(f"n={n} with search='greedy': expected 1, for it writes one text; take sample or beam")
    if kind != "sample" and options.draws:
        raise OptionError(
            f"temperature, top_k, top_p or min_p with search={kind!r}: expected none of them, for nothing is drawn; "
            "take search='sample'"
        )
    return kind
