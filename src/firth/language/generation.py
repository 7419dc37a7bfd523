"""Text generation from a prompt, with any language model and any search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from firth.errors import OptionError, warn_caller
from firth.inference.constraints import Constraints, check_constraints
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.sampling import greedy_search, sample
from firth.inference.scorer import Prompt, Scorer, as_float64, words_of
from firth.inference.search import BeamSearch, beam_search
from firth.language.text import EOS, UNK, TextRules
from firth.text.inputs import check_text
from firth.text.tokenise import tokeniser
from firth.vocabulary import Vocabulary

SEARCHES = ("sample", "greedy", "beam")
_NAMED = 3  # unknown words named in a warning


@dataclass(frozen=True)
class TextGenerator:
    """A scorer of ids together with the vocabulary and text rules of its model.

    Attributes:
        vocabulary: the words of its ids.
        spells: whether the model reads words outside the vocabulary by their characters.
        continued: whether the model was trained on other text since its words were counted.
    """

    scorer: Scorer
    vocabulary: Vocabulary
    rules: TextRules
    spells: bool = False
    continued: bool = False

    @classmethod
    def of(cls, model: Any) -> "TextGenerator":
        """Return the generator of a `LanguageModel`."""
        return cls(model, model.vocabulary, model.rules, model.spells, "start" in model.metadata)

    def prompt(self, text: str) -> Prompt:
        """Tokenise a prompt; unknown words get the id of `<unk>`, with a warning unless the model `spells`.

        Spaces at the end are left out if the tokens are subwords, which begin with the space before a word.
        """
        check_text(text, "prompt")
        if self.rules.unit == "subwords":
            text = text.rstrip(" ")
        words = tokeniser(self.rules.tokens)(text)
        unknown = list(dict.fromkeys(word for word in words if word not in self.vocabulary))
        if unknown and not self.spells:
            names = ", ".join(map(repr, unknown[:_NAMED])) + (", ..." if len(unknown) > _NAMED else "")
            warn_caller(f"prompt: {names} not in the vocabulary; read as {UNK}")
        ids = [self.vocabulary.ids.get(word, self.vocabulary.ids[UNK]) for word in words]
        return Prompt(tuple(ids), tuple(words))

    def text(self, prompt: Prompt, ids: Sequence[int]) -> str:
        """Return a prompt, as the model read it, and its continuation as text; see `TextRules.join`."""
        return self.rules.join([*self.tokens(prompt), *self.tokens(ids)])

    def tokens(self, ids: Sequence[int]) -> list[str]:
        """Return the tokens of a prompt, as the model read it, or of a continuation."""
        words = words_of(ids) if self.spells else ()
        return list(words or (self.vocabulary.words[i] for i in ids))

    def continuations(
        self,
        prompt: Sequence[int],
        n: int,
        options: GenerationOptions,
        search: str | BeamSearch,
        *,
        seed: int,
        unknown: bool,
        forced: Sequence[str] = (),
    ) -> list[Continuation]:
        """Generate continuations of prompt ids; other arguments as in `LanguageModel.generate`.

        Raises:
            OptionError: as in `LanguageModel.generate`.
        """
        kind = _search_kind(n, options, search)
        if forced and kind != "beam":
            raise OptionError(f"forced={list(forced)} with search={kind!r}: expected search='beam' or a BeamSearch")
        ids = self.vocabulary.ids
        banned = [] if unknown else [ids[UNK], *self._unseen()]
        limits: dict[str, Any] = {"stop": [ids[EOS]] if self.rules.eos else [], "banned": banned}
        if kind == "sample":
            return sample(self.scorer, [prompt] * n, options, **limits, seed=seed)
        if kind == "greedy":
            return greedy_search(self.scorer, [prompt], options, **limits)
        constraints = Constraints(phrases=tuple(map(self._phrase, forced)))
        processor = LogitsProcessor(options, tuple(limits["stop"]), tuple(banned))
        check_constraints(constraints, prompt, processor, len(self.vocabulary), name=self._quoted)
        if not isinstance(search, BeamSearch):
            search = BeamSearch(beams=max(n, BeamSearch().beams, 1 + sum(map(len, constraints.phrases))))
        (texts,) = beam_search(self.scorer, [prompt], options, search, n, **limits, constraints=[constraints])
        if not all(text.met for text in texts):
            warn_caller(f"forced={list(forced)}: no text with all of these found; other constraints prevent them")
        return texts

    def _phrase(self, text: str) -> tuple[int, ...]:
        """Return the ids of a forced phrase; the first of its subwords begins with a space."""
        check_text(text, "forced phrase")
        words = tokeniser(self.rules.tokens)(f" {text.strip(' ')}" if self.rules.unit == "subwords" else text)
        unknown = [word for word in words if word not in self.vocabulary]
        if unknown or not words:
            problem = f"{unknown[0]!r} is not in the vocabulary" if unknown else "it has no words"
            raise OptionError(f"forced phrase {text!r}: {problem}; expected words that the model can write")
        return tuple(self.vocabulary.ids[word] for word in words)

    def _quoted(self, ids: Sequence[int]) -> str:
        return repr(self.rules.join(self.tokens(ids)).strip(" "))

    def _unseen(self) -> list[int]:
        """Ids of the bytes and subwords that the training text lacks: they would write broken text."""
        if self.rules.unit == "words" or self.continued or not self.vocabulary.total:  # ARPA files have no counts
            return []
        special = {self.vocabulary.ids[UNK], self.vocabulary.ids.get(EOS)}
        return [i for i in np.flatnonzero(np.asarray(self.vocabulary.counts) == 0).tolist() if i not in special]

    def next_words(self, prompt: Sequence[int], topn: int) -> list[tuple[str, float]]:
        """Return the most probable next words after a prompt, with their probabilities, best first.

        Subwords are shown as text; see `TextRules.shown`.

        Args:
            prompt: token ids.

        Raises:
            OptionError: `topn` is below 1.
        """
        if topn < 1:
            raise OptionError(f"topn={topn}: expected at least 1")
        scores = as_float64(self.scorer.start([prompt])[0])[0]
        order = np.argsort(-scores, kind="stable")[:topn]
        words = self.rules.shown([self.vocabulary.words[i] for i in order.tolist()])
        return list(zip(words, np.exp(scores[order]).tolist(), strict=True))


def _search_kind(n: int, options: GenerationOptions, search: str | BeamSearch) -> str:
    kind = "beam" if isinstance(search, BeamSearch) else search
    if kind not in SEARCHES:
        raise OptionError(f"search={search!r}: expected one of {', '.join(SEARCHES)}, or a BeamSearch")
    if n < 1:
        raise OptionError(f"n={n}: expected at least 1 text")
    if kind == "greedy" and n > 1:
        raise OptionError(f"n={n} with search='greedy': greedy search gives one text; use sample or beam")
    if kind != "greedy" and options.temperature == 0:
        raise OptionError(
            f"temperature=0 with search={kind!r}: expected search='greedy', which selects the most probable word"
        )
    if kind != "sample" and options.samples:
        raise OptionError(
            f"temperature, top_k, top_p or min_p with search={kind!r}: these are options of sampling; "
            "use search='sample'"
        )
    return kind
