"""A trained context2vec model: vectors of contexts, substitutes of a word in its sentence."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from firth.arguments import explained
from firth.errors import ArgumentTypeError, CorpusError, OptionError, brief
from firth.evaluation.rankings import evaluate_rankings
from firth.evaluation.report import EvaluationReport
from firth.language.text import EOS, UNK, TextRules
from firth.neural.saved import SavedModel, text_fields
from firth.neural.training.batching import pad
from firth.neural.training.devices import no_subnormals
from firth.readers.words_in_context import Occurrence
from firth.resampling import Floats
from firth.text.forms import place_of
from firth.text.inputs import check_items, read_place
from firth.text.tokenise import tokeniser
from firth.vectors.cosine import Matrix, unit
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

BATCH = 64  # sentences that are read together
MEASURES = ("context", "mult")
Sentence = str | Sequence[str]


class ContextModel(SavedModel):
    """A trained model of contexts, as `firth.Context2Vec(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the model.
        vocabulary: V words, `<unk>` and `</s>` among them.
        rules: how the model reads text.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-context2vec"
    what: ClassVar = "context2vec"
    saved_fields: ClassVar = text_fields(needed=(UNK, EOS))
    vocabulary: Vocabulary
    rules: TextRules
    _targets: WordVectors | None = None

    def __repr__(self) -> str:
        return f"<ContextModel: {len(self.vocabulary):,} words, {self.dim:,} numbers per context>"

    @property
    def dim(self) -> int:
        """D, the width of the vectors of words and contexts."""
        width: int = self.module.width
        return width

    def context_vector(self, sentence: Sentence, position: int | None = None) -> Matrix:
        """Return the vector of the place of a word in a sentence; the word itself does not matter.

        Args:
            sentence: a text with `[]` in place of the word, such as "they [] the meeting"; or the words of a sentence.
            position: of the word, from 0, among the words of the sentence; with a text that has `[]`, None.

        Returns:
            (D,) float32.

        Raises:
            OptionError: the text has no `[]` and no position is given, or there is no such position.
            CorpusError: the sentence has no other word.
            ArgumentTypeError: it is no text and no list of words.
        """
        vector: Matrix = self._context_vectors([self._place(sentence, position)])[0]
        return vector

    @explained
    def context_vectors(self, places: Sequence[tuple[Sequence[str], int]]) -> Matrix:
        """Return the vectors of places in sentences.

        Args:
            places: N pairs of a sentence, a text or its words, and a position from 0; or N texts with `[]` in place of
                a word.

        Returns:
            (N, D) float32, in the order of the places.

        Raises:
            OptionError: there is no such position.
            CorpusError: a sentence has no other word.
        """
        return self._context_vectors(
            [
                self._place(item, None) if isinstance(item, str) else self._place(*_pair(item))
                for item in check_items(places, "places")
            ]
        )

    def _context_vectors(self, positions: Sequence[tuple[Sequence[str], int]]) -> Matrix:
        """Return the vectors of positions that are there, whose words are as the model reads them."""
        result = np.empty((len(positions), self.dim), dtype=np.float32)
        cut = [_around(words, position, self.options.max_length) for words, position in positions]
        order = np.argsort([len(words) for words, _ in cut], kind="stable")
        for first in range(0, len(order), BATCH):
            rows = order[first : first + BATCH]
            result[rows] = self._vectors([cut[row] for row in rows.tolist()])
        return result

    @explained
    def substitutes(
        self,
        sentence: Sentence,
        position: int | None = None,
        *,
        n: int = 10,
        candidates: Sequence[str] | None = None,
        measure: str = "context",
    ) -> list[tuple[str, float]]:
        """Return the words that fit the place of a word in a sentence best.

        Args:
            sentence: as for `context_vector`.
            position: likewise.
            n: number of words.
            candidates: words to rank, in place of all words that the model knows; unknown ones are left out.
            measure: "context", the cosine of a word's vector and the context's; or "mult", which also asks for words
                like the one that stands there: the product of both cosines, each as (1 + cos) / 2.

        Returns:
            Words with their scores, best first; the word that stands there is never among them.

        Raises:
            OptionError: there is no such measure, `n` is below 1, "mult" for a text with `[]` or a word that the model
                does not know, or as `context_vector`.
            CorpusError, ArgumentTypeError: as `context_vector`.

        Source:
            Melamud et al. 2016, sections 4.1 (context) and 4.3 (product).
        """
        if measure not in MEASURES:
            raise OptionError(f"measure={measure!r}: expected one of {', '.join(MEASURES)}")
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1")
        words, position = self._place(sentence, position)
        word = words[position]
        ids = self._candidates(candidates, word)
        table = self.word_vectors().get_normed_vectors()
        scores = table[ids] @ unit(self._context_vectors([(words, position)])[0])
        if measure == "mult":
            own = self._row(word)
            if own is None and word == UNK:
                raise OptionError("measure='mult' compares with the word that stands there: give it, and its position")
            if own is None:
                raise OptionError(f"measure='mult' with the word {word!r}: expected a word that the model knows")
            scores = (1 + scores) / 2 * (1 + table[ids] @ table[own]) / 2
        best = np.argsort(-scores, kind="stable")[:n]
        return [(self.vocabulary.words[ids[row]], float(scores[row])) for row in best.tolist()]

    def word_vectors(self) -> WordVectors:
        """Return the vectors of the words as targets, (V, D), in one space with those of contexts."""
        if self._targets is None:
            rows = self.module.targets.detach().float().cpu().numpy()
            self._targets = WordVectors(list(self.vocabulary.words), rows, counts=self.vocabulary.counts)
        return self._targets

    @explained
    def test(
        self, gold: Any = "lst-07", *, unknown: Any = "skip", resamples: int = 2000, seed: int = 0, data: Any = None
    ) -> EvaluationReport:
        """Rank the candidates of lexical substitution sets, and score the rankings by generalised average precision.

        Args:
            gold: a named set or a file, as the suite "substitution" of `firth.evaluate` takes them, or several.
            unknown: "skip" leaves out sentences whose word or a candidate is unknown; "count" counts them.
            resamples: of the intervals.
            seed: of the resamples.
            data: folder with local copies of the named sets.

        Returns:
            Rows "gap-context" and "gap-mult"; the measures are those of `substitutes`.

        Raises:
            DataError: a name is unknown, or a named set is missing.
            FormatError: a file is not in its format.

        Source:
            Melamud et al. 2016, section 4.3.
        """
        return evaluate_rankings(
            self._ranked, gold, name=str(self.metadata.get("name", "context2vec")), unknown=unknown,
            resamples=resamples, seed=seed, data=data,
        )  # fmt: skip

    def _ranked(self, occurrences: Sequence[Occurrence], candidates: Sequence[str]) -> dict[str, Floats]:
        """Return the (k, m) scores of m candidates in k sentences by each measure; NaN for unknown words."""
        table = self.word_vectors().get_normed_vectors()
        rows = np.array([-1 if (row := self._row(word)) is None else row for word in candidates])
        read = [(self._folded(occurrence.tokens), occurrence.position) for occurrence in occurrences]
        contexts = unit(self._context_vectors(read))
        in_vocabulary = np.where(rows >= 0, 0.0, np.nan)
        fits = (contexts @ table[rows].T).astype(np.float64) + in_vocabulary
        own = [self._row(occurrence.word) for occurrence in occurrences]
        like = np.full(fits.shape, np.nan)
        for number, row in enumerate(own):
            if row is not None:
                like[number] = table[rows] @ table[row] + in_vocabulary
        return {"context": fits + 0 * like, "mult": (1 + fits) / 2 * (1 + like) / 2}

    @no_subnormals()
    @torch.no_grad()
    def _vectors(self, slots: Sequence[tuple[Sequence[str], int]]) -> Matrix:
        unknown, numbers = self.vocabulary.ids[UNK], self.vocabulary.ids
        ids, lengths = pad([[numbers.get(word, unknown) for word in words] for words, _ in slots])
        vectors = self.module(ids.to(self.device), lengths)
        positions = torch.tensor([position for _, position in slots], device=self.device)
        rows: Matrix = vectors[torch.arange(len(slots), device=self.device), positions].float().cpu().numpy()
        return rows

    def _place(self, sentence: Sentence, position: int | None) -> tuple[list[str], int]:
        """Return the words of a sentence as the model reads them, and the position."""
        words, position = read_place(sentence, position, split=self._split, filler=UNK)
        words = self._folded(words)
        if len(words) < 2:
            raise CorpusError(f"{brief(sentence)}: a word alone has no context; expected other words beside it")
        return words, position

    def _split(self, text: str) -> list[str]:
        return list(tokeniser(self.rules.tokens)(text))

    def _folded(self, words: Sequence[str]) -> list[str]:
        """Return words in the form that is known, where one is."""
        numbers = [place_of(word, self.vocabulary.ids, self.rules.tokens) for word in words]
        own = self.vocabulary.words
        return [word if number is None else own[number] for word, number in zip(words, numbers, strict=True)]

    def _row(self, word: str) -> int | None:
        return None if word in (UNK, EOS) else place_of(word, self.vocabulary.ids, self.rules.tokens)

    def _candidates(self, candidates: Sequence[str] | None, word: str) -> list[int]:
        left_out = {self._row(word), self.vocabulary.ids[UNK], self.vocabulary.ids[EOS]}
        if candidates is None:
            return [row for row in range(len(self.vocabulary)) if row not in left_out]
        if isinstance(candidates, str):
            raise ArgumentTypeError(f"candidates: found {brief(candidates)}, expected a list of words")
        rows = dict.fromkeys(self._row(candidate) for candidate in candidates)
        return [row for row in rows if row is not None and row not in left_out]

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        vocabulary, _ = values
        return super()._build(options, vocabulary)

    def _card(self) -> tuple[str, str, str]:
        return "Vectors of contexts", f": {len(self.vocabulary):,} words", 'model.substitutes("they [] the meeting")\n'


def _around(words: Sequence[str], position: int, longest: int) -> tuple[Sequence[str], int]:
    """Return at most `longest` words around a position, and the position among them."""
    first = max(0, min(position - longest // 2, len(words) - longest))
    return words[first : first + longest], position - first


def _pair(pair: Any) -> tuple[Any, int]:
    """Return the sentence and the position of a place.

    Raises:
        ArgumentTypeError: it is no pair.
    """
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise ArgumentTypeError(f"places: found {brief(pair)}; expected pairs (sentence, position), or texts with []")
    sentence, position = pair
    return sentence, position
