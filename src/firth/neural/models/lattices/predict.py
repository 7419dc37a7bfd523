"""The lattice of a text: its units with their probabilities, the best segmentation, samples, marginals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import ArgumentTypeError, OptionError, brief
from firth.language.model import LanguageModel, check_log_probs
from firth.language.text import EOS, LanguageText, TextRules
from firth.neural.decoding import TensorScores
from firth.neural.layers.state import State, mapped, rows_of
from firth.neural.models.lattices.module import LatticeModule, Reading
from firth.neural.saved import BOS_FIELD, Field, Saved, SavedModel, text_fields
from firth.neural.structs.segmentations import Segments, piece_gradients, segments_total
from firth.neural.structs.semirings import LOG, MAX, Sample, Semiring
from firth.progress import Progress, Status, reporting
from firth.randomness import torch_seed
from firth.storage.model_folder import ModelFolder
from firth.text.inputs import Text, checked_texts
from firth.vocabulary import Vocabulary

CHUNKS = "chunks"  # array
EXAMPLE = 'model.perplexity(["some text"])\nprint([edge.text for edge in model.lattice("some text").best_path])\n'
STEP = 128  # tokens per call of the module
MAX_TOKENS = 10_000  # of a text whose lattice is shown


@dataclass(frozen=True)
class Edge:
    """A unit of a text, in one of its senses.

    Attributes:
        start: its first token.
        stop: one past its last token.
        text: as it is written.
        sense: number of its embedding.
        log_prob: natural logarithm of its probability given the text before it.
        probability: that it is part of the segmentation, given the whole text.
    """

    start: int
    stop: int
    text: str
    sense: int
    log_prob: float
    probability: float


class Lattice:
    """All segmentations of a text into units, as `model.lattice(text)` returns them.

    Args:
        tokens: N tokens.
        texts: the text of tokens i to j, from (i, j).
        pieces: (1, N, L, K) log-probabilities of the units that end with each token, by length less 1 and sense.
    """

    def __init__(self, tokens: Sequence[str], texts: dict[tuple[int, int], str], pieces: torch.Tensor) -> None:
        self.tokens, self._texts = tuple(tokens), texts
        K = pieces.shape[3]
        transitions, first, last = (pieces.new_zeros(shape) for shape in ((K, K), (K,), (K,)))
        lengths = torch.tensor([pieces.shape[1]], device=pieces.device)
        self._segments = Segments(pieces.detach(), transitions, first, last, lengths)

    def __repr__(self) -> str:
        return f"<Lattice: {len(self.tokens):,} tokens, {len(self.edges):,} edges, log_prob {self.log_prob:.2f}>"

    @cached_property
    def log_prob(self) -> float:
        """The natural logarithm of the probability of the text, over all segmentations."""
        return float(self._total(LOG))

    @cached_property
    def edges(self) -> list[Edge]:
        """All edges, by where they end, their length and their sense."""
        return self._edges(self._gradient(LOG), self._segments.pieces[0] > -torch.inf)

    @cached_property
    def best_path(self) -> list[Edge]:
        """The most probable segmentation (Viterbi)."""
        return self._path(self._gradient(MAX))

    @property
    def best_log_prob(self) -> float:
        """The natural logarithm of the probability of the best segmentation."""
        return sum(edge.log_prob for edge in self.best_path)

    def sample(self, seed: int = 0) -> list[Edge]:
        """Return a segmentation drawn with its probability given the text."""
        generator = torch.Generator().manual_seed(torch_seed(seed, "segmentation"))
        return self._path(self._gradient(Sample(generator)))

    def _path(self, chosen: torch.Tensor) -> list[Edge]:
        return self._edges(self._gradient(LOG), chosen > 0)

    def _edges(self, marginals: torch.Tensor, which: torch.Tensor) -> list[Edge]:
        pieces, edges = self._segments.pieces[0], []
        for end, length, sense in which.nonzero().tolist():
            start, stop = end - length, end + 1
            score, share = float(pieces[end, length, sense]), float(marginals[end, length, sense])
            edges.append(Edge(start, stop, self._texts[start, stop], sense, score, share))
        return edges

    def _total(self, ring: Semiring) -> torch.Tensor:
        return segments_total(self._segments, ring)[0]

    def _gradient(self, ring: Semiring) -> torch.Tensor:
        """Return the (N, L, K) derivatives of a total with respect to the scores of edges."""
        return piece_gradients(self._segments, ring)[0]


def _chunks(content: ModelFolder, options: Any) -> list[tuple[int, ...]]:
    table = content.arrays[CHUNKS]
    if table.dtype.kind != "i" or table.ndim != 2 or table.shape[1] != options.max_length:
        raise ValueError(f"chunks {table.shape}, max_length={options.max_length}")
    return [tuple(token for token in row if token >= 0) for row in table.tolist()]


class LatticeModel(SavedModel, LanguageModel):
    """A trained lattice language model, as `firth.LatticeLM(...).train` returns it.

    Args:
        module: with trained parameters.
        vocabulary: V tokens, `<unk>` among them.
        rules: how the model reads text.

    Attributes:
        module: in evaluation mode.
    """

    kind: ClassVar = "firth-lattice-language-model"
    what: ClassVar = "a lattice language model"
    saved_fields: ClassVar = (
        *text_fields(),
        Field("units", lambda units: Saved(arrays={CHUNKS: units.table()}), _chunks, (CHUNKS,), of_module=True),
        BOS_FIELD,
    )
    config_order: ClassVar = ("rules", "bos", "total")
    module: LatticeModule
    vocabulary: Vocabulary
    rules: TextRules

    def __repr__(self) -> str:
        size = f"{len(self.vocabulary):,} {self.rules.unit}, {len(self.module.units.chunks):,} chunks"
        return f"<{type(self).__name__}: {size}>"

    @property
    def chunks(self) -> list[str]:
        """The chunks, as they are written."""
        words = self.vocabulary.words
        return [self.rules.join([words[token] for token in chunk]) for chunk in self.module.units.chunks]

    @torch.no_grad()
    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> npt.NDArray[np.float64]:
        """Return (N,) log-probabilities of the tokens of a text, in nats; see `LanguageModel.log_probs`.

        The probability of a beginning is that of all paths to its end, and of all that go past it: units that begin
        with its last tokens. The text is one stream, without dropout.

        Args:
            text: read with this model's vocabulary and rules.
        """
        ids = torch.from_numpy(text.ids.astype(np.int64)).to(self.device)[None]
        log_probs, state, offset, before = np.empty(len(text)), self._fresh(1), 0.0, 0.0
        with reporting(progress) as report:
            for start in range(0, len(text), STEP):
                stop = min(start + STEP, len(text))
                reading = self.module(ids[:, start:stop], state)
                beginnings = offset + self._beginnings(reading)[0].cpu().numpy()
                log_probs[start:stop] = np.diff(beginnings, prepend=before)
                offset, before, state = offset + float(reading.nodes.totals[-1, 0]), beginnings[-1], reading.state
                report(Status(stage="scoring", done=stop, total=len(text)))
        return check_log_probs(
            np.minimum(log_probs, 0.0), text, self
        )  # where a token is certain, rounding may leave more

    @torch.no_grad()
    def lattice(self, text: Text) -> Lattice:
        """Return the lattice of a sentence: all its segmentations into units with their probabilities.

        Args:
            text: a string or its tokens; its end is a token of its own, if the model predicts it.

        Raises:
            OptionError: the text is empty, or has more tokens than a lattice can show.
            ArgumentTypeError: it is no text, or a list of texts, not of tokens.
        """
        (text,) = checked_texts([text], "text")
        characters = self.rules.unit == "characters"
        if not isinstance(text, str) and any(len(token) > 1 if characters else " " in token for token in text):
            raise ArgumentTypeError(f"text: found {brief(text)}; expected one text, or its {self.rules.unit}")
        read = self.token_ids([text])
        if not 1 <= len(read) <= MAX_TOKENS:
            raise OptionError(f"a text of {len(read):,} tokens: expected 1 to {MAX_TOKENS:,}; give it in parts")
        L = self.module.units.max_length
        ids = torch.from_numpy(read.ids.astype(np.int64)).to(self.device)[None]
        reading = self.module(ids, self._fresh(1))
        leaving = reading.nodes.scores.transpose(0, 1)  # (1, L + N, L, K)
        N = len(read)
        pieces = torch.stack([leaving[:, L - length : L - length + N, length - 1] for length in range(1, L + 1)], 2)
        words = [self.vocabulary.words[i] for i in read.ids.tolist()]
        return Lattice(words, self._texts(words, pieces[0]), pieces)

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, State]:
        """See `firth.inference.scorer.Scorer`."""
        states = []
        for prompt in prompts:
            state = self._fresh(1)
            for first in range(0, len(prompt), STEP):
                ids = torch.tensor([list(prompt[first : first + STEP])], device=self.device)
                state = self.module(ids, state).state
            states.append(state)
        joined = tuple(torch.cat(parts) for parts in zip(*states, strict=True))
        return self._next(joined), joined

    @torch.no_grad()
    def advance(self, state: State, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, State]:
        """See `firth.inference.scorer.Scorer`."""
        tokens = torch.from_numpy(np.asarray(ids, dtype=np.int64)).to(self.device).unsqueeze(1)
        after = self.module(tokens, state).state
        return self._next(after), after

    def reorder(self, state: State, rows: npt.NDArray[np.int64]) -> State:
        """See `firth.inference.scorer.Scorer`."""
        return rows_of(state, torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(self.device))

    def _fresh(self, texts: int) -> State:
        before = torch.full((texts,), self.module.bos, device=self.device)
        return mapped(self.module.start(before), torch.Tensor.detach)

    def _beginnings(self, reading: Reading) -> torch.Tensor:
        """Return (B, T) logarithms of the probabilities of the text up to each token, relative to where it began."""
        units, L = self.module.units, self.module.units.max_length
        hidden, totals = (
            table.transpose(0, 1) for table in (reading.nodes.hidden, reading.nodes.totals)
        )  # (B, L + T, ...)
        B, count = hidden.shape[:2]
        T = count - L
        masses = units.masses(self.module.unit_probabilities(hidden.reshape(B * count, -1))).view(B, count, -1)
        parts = []
        for length in range(1, L + 1):  # units that have begun `length` tokens before the end
            starts = slice(L - length, L - length + T)
            nodes = reading.prefixes[:, starts, length - 1]
            mass = masses[:, starts].gather(2, nodes.clamp(min=0).unsqueeze(2)).squeeze(2)
            parts.append(totals[:, starts] + torch.where(nodes >= 0, mass, torch.zeros_like(mass)).log())
        return torch.logsumexp(torch.stack(parts), 0)

    def _next(self, state: State) -> TensorScores:
        """Return (B, V) log-probabilities of the token after a state."""
        hidden, _, totals, context = state
        units, (B, L, H) = self.module.units, hidden.shape
        masses = units.masses(self.module.unit_probabilities(hidden.reshape(B * L, H))).view(B, L, -1).log()
        shares = totals - totals[:, -1:]  # (B, L), logarithms, of paths to each of the last nodes
        scores = masses[:, -1, : units.tokens].clone()
        _, begun = units(context)  # (B, L - 1, L)
        for back in range(1, L):  # units that began `back` tokens ago
            for row, node in enumerate(begun[:, L - 1 - back, back - 1].tolist()):
                if node >= 0 and shares[row, L - 1 - back] > -torch.inf:
                    tokens, nodes = units.continuations(node)
                    begun_before = shares[row, L - 1 - back] + masses[row, L - 1 - back, nodes]
                    scores[row, tokens] = torch.logaddexp(scores[row, tokens], begun_before)
        return TensorScores(scores.log_softmax(1))

    def _texts(self, words: list[str], pieces: torch.Tensor) -> dict[tuple[int, int], str]:
        """Return what stands between the nodes of each edge."""
        texts = {}
        for end, length, _ in (pieces > -torch.inf).nonzero().tolist():
            part = words[end - length : end + 1]
            texts[end - length, end + 1] = EOS if part == [EOS] else self.rules.join(part)
        return texts

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        vocabulary, _, chunks, bos = values
        return super()._build(options, len(vocabulary), chunks, bos)

    def _card(self) -> tuple[str, str, str]:
        return "A lattice language model", f" of {len(self.vocabulary):,} {self.rules.unit}", EXAMPLE
