"""A trained bidirectional language model: vectors of words in context, perplexities, saving."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import OptionError, brief
from firth.language.model import check_log_probs
from firth.language.perplexity import Perplexity, perplexity
from firth.language.text import EOS, LanguageText, TextRules, held_out_text
from firth.neural.models.bidirectional.module import EVAL_WORDS, Reader, sentence_buckets
from firth.neural.saved import SavedModel, text_fields
from firth.neural.training.batching import pad
from firth.progress import Progress, Status, reporting
from firth.vocabulary import Vocabulary

EXAMPLE = 'tagger = firth.Tagger().train("sentences.conllu", embed=firth.ELMo(model))\n'
DIRECTIONS = ("forward", "backward")


class BidirectionalLanguageModel(SavedModel):
    """A trained bidirectional language model, as `firth.BidirectionalLM(...).train` returns it.

    It implements `firth.neural.models.tokens.embedders.ContextualEncoder`.

    Attributes:
        module: in evaluation mode.
        options: of the model.
        vocabulary: V words, `<unk>` and `</s>` among them.
        rules: how the model reads text.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-bidirectional-language-model"
    what: ClassVar = "a bidirectional language model"
    saved_fields: ClassVar = text_fields(needed=(EOS,))
    vocabulary: Vocabulary
    rules: TextRules

    spells: ClassVar[bool] = True  # unknown words are read by their characters

    def __repr__(self) -> str:
        size = f"{self.options.layers} x {self.options.dim}"
        return f"<{type(self).__name__}: {size} in each direction, {len(self.vocabulary):,} words>"

    @property
    def token_layers(self) -> int:
        """L, vectors per word: from its characters, and then layer by layer."""
        return int(self.options.layers) + 1

    @property
    def token_width(self) -> int:
        """D, width of each of them: both directions, one after the other."""
        return 2 * int(self.options.dim)

    def token_states(self, sentences: Sequence[Sequence[str]]) -> torch.Tensor:
        """Return (B, T, L, D) vectors of the words of sentences, zero at padding; see `ContextualEncoder`.

        The first half of a vector depends on the word and those before it, the second half on the word and those
        behind it; layer 0 on the word alone, and its halves are the same.

        Args:
            sentences: B lists of words, each of at least one word.
        """
        numbers: dict[str, int] = {}
        ids, lengths = pad([[numbers.setdefault(word, len(numbers)) for word in words] for words in sentences])
        embedding = self.module.embedding
        words = self.module.norm(embedding.spelled(embedding.character_ids(list(numbers))))
        x = words[ids.to(self.device)]  # (B, T, dim)
        states: torch.Tensor = self.module.layers_of(x, lengths)
        return states

    def read(self, source: Any, *, progress: Progress = None) -> LanguageText:
        """Read a held-out text with the model's vocabulary and rules; see `firth.language.text.held_out_text`."""
        return held_out_text(source, self.vocabulary, self.rules, progress=progress)

    @explained
    def perplexity(self, source: Any, direction: str | None = None, *, progress: Progress = None) -> Perplexity:
        """Return the perplexity on a text, with the counts behind it.

        Each sentence is read on its own. Forward, a word is predicted from those before it, and the end of a sentence
        from all its words; backward, from those behind it, and what stands before the sentence from all its words.

        Args:
            source: held-out text: anything that `Corpus.build` takes, or a text with the same vocabulary.
            direction: "forward" or "backward"; None for the geometric mean of both perplexities.

        Raises:
            OptionError: there is no such direction.
            CorpusError: the text is empty, or all its words are unknown.
        """
        if direction not in (None, *DIRECTIONS):
            raise OptionError(f"direction={brief(direction)}: expected forward, backward or None")
        text = self.read(source, progress=progress)
        scores = self.log_probs(text, progress=progress)
        chosen = scores.mean(0) if direction is None else scores[DIRECTIONS.index(direction)]
        return perplexity(text, chosen)

    @torch.no_grad()
    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return (2, N) log-probabilities of the tokens of a text in nats, forward and backward.

        Args:
            text: read with this model's vocabulary and rules.
        """
        result = np.zeros((2, len(text)))
        reader = Reader(self.module, text)
        batches = sentence_buckets(reader.rows, EVAL_WORDS, shuffle=False)
        done = 0
        with reporting(progress) as report:
            scores = reader.log_probs(batches.epoch(0))
            for rows, (first, second, real) in zip(batches.plan(0), scores, strict=True):
                for row, values in zip(rows.tolist(), _by_sentence(first, second, real), strict=True):
                    start = int(reader.rows.starts[row])
                    stop = start + values.shape[1]
                    if text.ids[stop - 1] != text.eos_id:  # a long sentence goes on there
                        stop -= 1
                    result[:, start:stop] = values[:, : stop - start]
                done += int(reader.rows.lengths[rows].sum())
                report(Status(stage="scoring", done=done, total=len(text)))
        return check_log_probs(result, text, self)

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        return super()._build(options, values[0])

    def _card(self) -> tuple[str, str, str]:
        return "A bidirectional language model", f" of {len(self.vocabulary):,} words", EXAMPLE


def _by_sentence(first: torch.Tensor, second: torch.Tensor, real: torch.Tensor) -> Iterator[npt.NDArray[np.float64]]:
    """Yield of each sentence (2, n + 1) log-probabilities of its words and its end, from (N,) in orders of reading."""
    sizes = real.sum(1).tolist()
    columns = (torch.split(scores.double().cpu(), sizes) for scores in (first, second))
    for onward, back in zip(*columns, strict=True):
        yield torch.stack([onward, torch.cat([back[:-1].flip(0), back[-1:]])]).numpy()
