"""A trained neural language model: log-probabilities of text, decoding, word vectors, saving."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import OptionError, brief
from firth.inference.scorer import words_of
from firth.language.generation import TextGenerator
from firth.language.model import LanguageModel, check_log_probs
from firth.language.text import LanguageText, TextRules
from firth.neural.decoding import TensorScores
from firth.neural.explainable import EmbeddedText
from firth.neural.layers.dropout import sampling
from firth.neural.layers.sequence_pooling import check_pooling, pooled
from firth.neural.layers.state import State, rows_of
from firth.neural.models.language.language_model import LanguageModule, LanguageOptions, new_module
from firth.neural.saved import BOS_FIELD, SavedModel, text_fields
from firth.neural.training.batching import pad
from firth.progress import Progress, Status, reporting
from firth.randomness import torch_seed
from firth.text.batches import encoded_in_batches, warn_truncated
from firth.text.inputs import Text
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

TREE = ("output.inner_nodes", "output.leaf_words", "output.weight", "output.bias")  # a learned tree has other shapes
EXAMPLE = 'model.perplexity(["some text"])\n'
CHUNK = 256  # tokens per call of the module, for long texts and for the vectors of many words
MAX_LENGTH = 512  # tokens of a text that `encode` reads unless it is told otherwise
BATCH = 64  # texts that `encode` reads at once


@dataclass(frozen=True)
class Sequences:
    """State of B sequences, in groups of the same length, which the module reads together.

    Attributes:
        groups: (n,) int64 rows of each group's sequences in the batch, and the module's state.
        count: B.
    """

    groups: tuple[tuple[npt.NDArray[np.int64], State], ...]
    count: int


class NeuralLanguageModel(SavedModel, LanguageModel):
    """A trained neural language model, as `firth.LogBilinearLM(...).train` and the other neural models return it.

    Args:
        module: with trained parameters.
        vocabulary: V words, `<unk>` among them.
        rules: how the model reads text.

    Attributes:
        module: in evaluation mode.
        options: of the model.
    """

    kind: ClassVar = "firth-language-model"
    what: ClassVar = "a language model"
    saved_fields: ClassVar = (*text_fields(), BOS_FIELD)
    config_order: ClassVar = ("rules", "bos", "total")
    resized: ClassVar = TREE
    module: LanguageModule
    options: LanguageOptions
    vocabulary: Vocabulary
    rules: TextRules

    @property
    def spells(self) -> bool:  # type: ignore[override]  # the module decides
        """Whether the model reads words by their characters, unknown ones too."""
        return self.module.spells

    def __repr__(self) -> str:
        return f"<NeuralLanguageModel: {type(self.options).__name__}, {len(self.vocabulary):,} {self.rules.unit}>"

    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return (N,) log-probabilities of the tokens of a text, in nats; see `LanguageModel.log_probs`.

        The text is one stream: the state is carried from the first token to the last, across the ends of sentences,
        without dropout.

        Args:
            text: read with this model's vocabulary and rules.

        Raises:
            OptionError: the output layer gives no probabilities.
        """
        return self._log_probs(text, progress)

    def monte_carlo_log_probs(
        self, text: LanguageText, *, samples: int = 10, seed: int = 0, progress: Progress = None
    ) -> npt.NDArray[np.float64]:
        """Return (N,) log-probabilities under Monte Carlo dropout: the logarithm of the mean probability of samples.

        Args:
            text: read with this model's vocabulary and rules.
            samples: number of dropout samples.
            seed: of the samples.

        Source:
            Gal and Ghahramani 2016, "A theoretically grounded application of dropout in recurrent neural networks",
            section 3 (Monte Carlo dropout).
        """
        total = np.full(len(text), -np.inf)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(torch_seed(seed, "dropout"))
            with sampling(self.module):
                for _ in range(samples):
                    total = np.logaddexp(total, self._log_probs(text, progress))
        return np.asarray(total - np.log(samples))

    @torch.no_grad()
    def _log_probs(self, text: LanguageText, progress: Progress) -> npt.NDArray[np.float64]:
        targets = torch.from_numpy(text.ids.astype(np.int64)).to(self.device)
        ids, unknown = self.module.inputs_of(text)
        inputs = torch.from_numpy(np.concatenate([[self.module.bos], ids[:-1]]).astype(np.int64)).to(self.device)[None]
        log_probs, state = np.empty(len(text)), None
        with reporting(progress) as report:
            for start in range(0, len(text), CHUNK):
                stop = min(start + CHUNK, len(text))
                hidden, state = self.module(inputs[:, start:stop], state, unknown)
                log_probs[start:stop] = (
                    self.module.output.log_prob_of(hidden[0], targets[start:stop]).double().cpu().numpy()
                )
                report(Status(stage="scoring", done=stop, total=len(text)))
        return check_log_probs(log_probs, text, self)

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Sequences]:
        """See `firth.inference.scorer.Scorer`."""
        lengths = np.array([len(prompt) for prompt in prompts], dtype=np.int64)
        inputs, unknown = self.prompt_inputs(prompts)
        parts, groups = [], []
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            ids = np.array([[self.module.bos, *inputs[row]] for row in rows.tolist()], dtype=np.int64)
            scores, state = self._scores_after(ids, None, unknown)
            parts.append(scores)
            groups.append((rows, state))
        return _in_batch_order(parts, groups), Sequences(tuple(groups), len(prompts))

    @torch.no_grad()
    def advance(self, state: Sequences, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Sequences]:
        """See `firth.inference.scorer.Scorer`."""
        parts, groups = [], []
        for rows, before in state.groups:
            scores, after = self._scores_after(np.asarray(ids, dtype=np.int64)[rows, None], before)
            parts.append(scores)
            groups.append((rows, after))
        return _in_batch_order(parts, groups), Sequences(tuple(groups), state.count)

    def reorder(self, state: Sequences, rows: npt.NDArray[np.int64]) -> Sequences:
        """See `firth.inference.scorer.Scorer`."""
        groups = []
        for members, part in state.groups:
            position = np.full(state.count, -1)  # of each sequence in this group, -1 if it is in another
            position[members] = np.arange(len(members))
            selected = position[rows]
            if (selected >= 0).any():
                indices = torch.from_numpy(selected[selected >= 0]).to(self.device)
                groups.append((np.flatnonzero(selected >= 0), rows_of(part, indices)))
        return Sequences(tuple(groups), len(rows))

    def prompt_inputs(self, prompts: Sequence[Sequence[int]]) -> tuple[Sequence[Sequence[int]], torch.Tensor | None]:
        """Return prompts as the module reads them, and character ids of unknown words, as `inputs_of` does."""
        spelling = self.module.spelling
        prompt_words = [word for prompt in prompts for word in words_of(prompt)]
        unknown = list(dict.fromkeys(word for word in prompt_words if word not in self.vocabulary))
        if spelling is None or not unknown:
            return prompts, None
        numbers = {word: number for number, word in enumerate(unknown, len(self.vocabulary))}
        inputs = [
            [numbers.get(word, i) for word, i in zip(words, prompt, strict=True)]
            if (words := words_of(prompt))
            else prompt
            for prompt in prompts
        ]
        return inputs, spelling.character_ids(unknown)

    def _scores_after(
        self, ids: npt.NDArray[np.int64], state: State, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        hidden, state = self.module(torch.from_numpy(ids).to(self.device), state, unknown)
        return self.module.output.log_prob(hidden[:, -1]), state

    @property
    def dim(self) -> int:
        """D, the width of the hidden states and of the vectors from `encode`."""
        return self.module.output.width

    @explained
    def encode(
        self,
        texts: Sequence[Text],
        *,
        pooling: str = "mean",
        max_length: int = MAX_LENGTH,
        batch_size: int | None = None,
        progress: Progress = None,
    ) -> npt.NDArray[np.float32]:
        """Return one vector per text: its hidden states, pooled.

        Each text is read on its own from the start, without the end of a sentence. The state after each token counts,
        that before the first does not.

        Args:
            texts: N texts, each a string or its tokens.
            pooling: "mean" of the states, "max" in each dimension, the "last" state, or "attention": the mean
                weighted by attention to the last state, without parameters; `firth.neural.layers.sequence_pooling` has
                the formulas.
            max_length: number of tokens that are read of a text; a warning counts the longer texts.
            batch_size: texts that are read at once; None for 64. Texts of similar length are read together.

        Returns:
            (N, D) float32; zeros for an empty text.

        Raises:
            OptionError: there is no such pooling, or `max_length` or `batch_size` is below 1.
            ArgumentTypeError: `texts` is one string, or no list of texts.
        """
        check_pooling(pooling)
        if isinstance(max_length, bool) or not isinstance(max_length, int) or max_length < 1:
            raise OptionError(f"max_length={max_length!r}: expected a whole number of at least 1")
        truncated = 0

        def vectors_of(batch: list[Text]) -> npt.NDArray[np.float32]:
            nonlocal truncated
            rows, unknown = self._inputs_of_texts(batch)
            truncated += sum(len(row) > max_length for row in rows)
            return self._pooled([row[:max_length] for row in rows], unknown, pooling)

        size = BATCH if batch_size is None else batch_size
        vectors = encoded_in_batches(
            texts, vectors_of, self.dim, model=self, batch_size=size, progress=progress, by_length=True
        )
        warn_truncated(truncated, len(vectors), max_length, self.rules.unit)
        return vectors

    def _inputs_of_texts(self, texts: list[Text]) -> tuple[list[npt.NDArray[np.int32]], torch.Tensor | None]:
        """Return the ids of each text as the module reads them, and character ids of unknown words."""
        text = self.token_ids(texts)
        ids, unknown = self.module.inputs_of(text)
        ends = text.offsets[1:] - (1 if self.rules.eos else 0)
        return [ids[start:end] for start, end in zip(text.offsets[:-1], ends, strict=True)], unknown

    @torch.no_grad()
    def _pooled(
        self, rows: list[npt.NDArray[np.int32]], unknown: torch.Tensor | None, pooling: str
    ) -> npt.NDArray[np.float32]:
        bos = np.array([self.module.bos], dtype=np.int32)
        ids, lengths = pad([np.concatenate([bos, row]) for row in rows], self.module.bos)
        ids, lengths, parts, state = ids.to(self.device), lengths.to(self.device), [], None
        for start in range(0, ids.shape[1], CHUNK):  # no state depends on what follows it, such as padding
            hidden, state = self.module(ids[:, start : start + CHUNK], state, unknown)
            parts.append(hidden.float())
        states = torch.cat(parts, 1)[:, 1:]  # (B, T, D), without the state before the first token
        return np.asarray(pooled(states, lengths - 1, pooling).cpu().numpy(), dtype=np.float32)

    def explainable(self, text: str, target: str | None = None) -> EmbeddedText:
        """Return a text as attribution methods need it; `firth.explain` is the way to use it.

        The tokens are those of the text, after the token that stands before every text (the end of the sentence
        before).

        Args:
            text: the beginning of a text, whose next word is explained.
            target: the next word, of the vocabulary, or a subword as `next_words` shows it; None for the most probable
                one.

        Raises:
            OptionError: the text is empty, the target is not in the vocabulary, or the output layer gives no
                probabilities.
        """
        module, words = self.module, self.vocabulary.words
        if not module.output.normalised:
            raise OptionError(
                f"output={self.options.output!r} gives scores, not probabilities: nothing can be explained"
            )
        shown = self.rules.shown(words)
        if target is not None and target not in self.vocabulary and target in shown:
            target = words[shown.index(target)]
        if target is not None and target not in self.vocabulary:
            raise OptionError(f"target={brief(target)}: not one of the model's {len(words):,} {self.rules.unit}")
        prompt = TextGenerator.of(self).prompt(text)
        if not len(prompt):
            raise OptionError(f"text={brief(text)}: expected at least one word")
        (inputs,), unknown = self.prompt_inputs([prompt])
        ids = torch.tensor([module.bos, *inputs], device=self.device)

        def log_probs(ids: torch.Tensor) -> torch.Tensor:
            return module.output.log_prob(module(ids, None, unknown)[0][:, -1])

        if target is None:
            with torch.no_grad():
                number = int(log_probs(ids[None])[0].argmax())
        else:
            number = int(self.vocabulary.ids[target])
        tokens = [words[module.bos], *(words_of(prompt) or [words[i] for i in prompt])]
        return EmbeddedText(
            module,
            [module.embedding],
            ids,
            self.rules.shown(tokens),
            shown[number],
            lambda ids: log_probs(ids)[:, number],
            from_last=True,
        )

    def randomised(self, seed: int = 0) -> "NeuralLanguageModel":
        """Return a model of the same options with random parameters."""
        module = new_module(self.options, self.vocabulary, self.module.bos, seed)
        return NeuralLanguageModel(module, self.options, self.vocabulary, self.rules, self.metadata)

    @torch.no_grad()
    def word_vectors(self) -> WordVectors:
        """Return the input vectors of the vocabulary's words.

        If the model reads characters, words outside the vocabulary have vectors, too.
        """
        count = len(self.vocabulary)
        ids = torch.arange(count, device=self.device)
        rows = [self.module.embedding(ids[start : start + CHUNK]).float().cpu() for start in range(0, count, CHUNK)]
        return WordVectors(
            list(self.vocabulary.words),
            torch.cat(rows).numpy(),
            counts=self.vocabulary.counts,
            metadata=self.metadata,
            inference=None if self.module.spelling is None else self._inferred,
        )

    def _inferred(self, words: Sequence[str]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        spelling = self.module.spelling
        assert spelling is not None
        with torch.no_grad():
            return spelling.encode(list(words)).float().cpu().numpy(), np.ones(len(words), dtype=bool)

    def word_vector(self, word: str) -> npt.NDArray[np.float32]:
        """Return the (D,) float32 input vector of a word.

        Raises:
            UnknownWordError: the word is outside the vocabulary, and the model does not read characters.
        """
        return np.asarray(self.word_vectors().get_vector(word), dtype=np.float32)

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        vocabulary, _, bos = values
        return new_module(options, vocabulary, bos, seed=0)

    def _card(self) -> tuple[str, str, str]:
        return "A language model", f" of {len(self.vocabulary):,} {self.rules.unit}", EXAMPLE


def _in_batch_order(parts: list[torch.Tensor], groups: list[tuple[npt.NDArray[np.int64], State]]) -> TensorScores:
    """Return the scores of all groups in the order of the batch."""
    if len(parts) == 1:
        return TensorScores(parts[0])
    order = torch.from_numpy(np.argsort(np.concatenate([rows for rows, _ in groups])))
    return TensorScores(torch.cat(parts).index_select(0, order.to(parts[0].device)))
