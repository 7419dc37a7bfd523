"""A pretrained encoder: states of words, vectors of texts, words that fit a place, saving."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch

import firth
from firth.arguments import explained, names_files
from firth.errors import OptionError, brief
from firth.finite import check_finite
from firth.neural.layers.masking import MaskedPrediction
from firth.neural.models.language.train import digest
from firth.neural.models.pretraining.corruption import ReplacedPrediction
from firth.neural.models.pretraining.layout import Head, arrays_of, described, encoder_of, encoder_of_transformers
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork
from firth.neural.saved import SavedModel
from firth.neural.supervised import digest as data_digest
from firth.neural.training.batching import Buckets, pad
from firth.options import check_whole
from firth.progress import Progress, Status, reporting_slow_work
from firth.storage.model_folder import ModelFolder
from firth.storage.untrusted import parse_json
from firth.text.batches import check_batch_size, encoded_in_batches, warn_truncated
from firth.text.inputs import HOLE, Text, checked_texts, read_place, token_lists
from firth.text.wordpieces import MASK, SPECIAL, WordPieces
from firth.training_facts import with_training_facts
from firth.vectors.cosine import Matrix

KIND = "firth-encoder"
POOLINGS = ("mean", "cls")
TOKENS = 8192  # pieces, with padding, of a call of the network
TEXTS = 4096  # texts whose pieces are in memory together
CARD = """---
library_name: transformers
tags: [{layout}, firth]
---

# A contextual encoder

{about}, pretrained by firth {version}.

```python
import firth

encoder = firth.load("this folder")
encoder.encode(["some text"])
```

`transformers.AutoModel` and `AutoTokenizer` open the folder, too.
"""

Row = list[int]


class PretrainedEncoder(SavedModel):
    """A pretrained encoder, as `firth.SentenceMaskedLM(...).train` and others of its kind return it.

    Args:
        module: with trained parameters.
        pieces: how text is split, with V pieces.
        layout: the model of transformers that has this network: "bert" or "electra".
        head: what predicts hidden tokens, or tells which were replaced; None without.

    Attributes:
        module: in evaluation mode.
    """

    module: EncoderNetwork

    def __init__(
        self,
        module: EncoderNetwork,
        pieces: WordPieces,
        layout: str = "bert",
        head: Head | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.module, self.pieces, self.layout = module.eval(), pieces, layout
        self.head = None if head is None else head.eval()
        self.metadata = with_training_facts(metadata)

    def __repr__(self) -> str:
        config = self.config
        return (
            f"<PretrainedEncoder: {self.layout}, {config.layers} layers of {config.dim:,}, {len(self.pieces):,} word "
            f"pieces, at most {config.max_length:,}>"
        )

    @property
    def config(self) -> EncoderConfig:
        """Sizes of the network."""
        return self.module.config

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.config.dim

    @property
    def max_pieces(self) -> int:
        """Pieces that are read at once, without special tokens."""
        return self.config.max_length - 2

    @explained
    def encode(
        self, texts: Sequence[Text], *, pooling: str = "mean", batch_size: int | None = None, progress: Progress = None
    ) -> Matrix:
        """Return one vector per text.

        Args:
            texts: N texts, each a string or its words.
            pooling: "mean" of the states of a text's pieces, or "cls", the state before the text.
            batch_size: texts that are encoded at once; None for as many as have about 8,000 pieces.

        Returns:
            (N, D) float32; zeros for a text without a piece. The vector of a text depends on it alone.

        Warns:
            TextsWarning: texts are longer than the encoder reads: only their beginnings count.

        Raises:
            OptionError: `batch_size` is below 1, or there is no such pooling.
            ArgumentTypeError: `texts` is one string, or no list of texts.
        """
        check_text_pooling(pooling)
        long = total = 0

        def encoded(part: list[Text]) -> Matrix:
            nonlocal long, total
            rows = self.rows_of(part)
            long, total = long + sum(len(row) > self.max_pieces for row in rows), total + len(rows)
            vectors = np.zeros((len(rows), self.dim), dtype=np.float32)
            filled = [number for number, row in enumerate(rows) if row]
            pooled = self._apply([rows[number][: self.max_pieces] for number in filled], _pooling(pooling), batch_size)
            for number, vector in zip(filled, pooled, strict=True):
                vectors[number] = vector
            return vectors

        if batch_size is not None:
            check_batch_size(batch_size)
        vectors = encoded_in_batches(texts, encoded, self.dim, model=self, batch_size=TEXTS, progress=progress)
        warn_truncated(long, total, self.max_pieces, "word pieces")
        return vectors

    @explained
    def encode_tokens(
        self,
        sentences: Sequence[Text],
        *,
        layer: int = -1,
        pieces: str = "first",
        batch_size: int | None = None,
        progress: Progress = None,
    ) -> list[Matrix]:
        """Return the states of the words of each sentence.

        A sentence of more pieces than the encoder reads is read in several parts, between words.

        Args:
            sentences: N sentences, each a list of words, or a string whose words are split at spaces.
            layer: whose states: 0 for the input of the blocks, 1 to L for their outputs, -1 for the last.
            pieces: of a word with several pieces, the state of the "first", or the "mean".
            batch_size: parts that are encoded at once; None for as many as have about 8,000 pieces.

        Returns:
            N arrays (words, D) float32.

        Raises:
            OptionError: `batch_size` is below 1, or there is no such layer or way.
            ArgumentTypeError: `sentences` is one string, or no list of sentences.
        """
        states = self.config.layers + 1
        whole = isinstance(layer, int | np.integer) and not isinstance(layer, bool)
        if not (whole and -states <= layer < states):
            raise OptionError(f"layer={brief(layer)}: expected {-states} to {states - 1}")
        if pieces not in ("first", "mean"):
            raise OptionError(f"pieces={brief(pieces)}: expected first or mean")
        if batch_size is not None:
            check_batch_size(batch_size)
        words = token_lists(sentences, str.split, "sentences")
        results: list[Matrix] = []
        with reporting_slow_work(progress) as report:
            for first in range(0, len(words), TEXTS):
                part = words[first : first + TEXTS]
                vectors = self._states_of_words(part, layer, pieces, batch_size)
                check_finite([states.sum() for states in vectors], self, part, "sentence", first=first)
                results += vectors
                report(Status(stage="encoding", done=len(results), total=len(words), unit="sentences"))
        return results

    @torch.no_grad()
    @explained
    def substitutes(self, sentence: Text, position: int | None = None, *, n: int = 10) -> list[tuple[str, float]]:
        """Return the pieces that fit a place best when its word is hidden, with their probabilities.

        Args:
            sentence: a text with `[]` or `[MASK]` in place of the word; or the words of a sentence, or a string whose
                words are split at spaces.
            position: of the word, from 0; None for a text with a mark.
            n: number of pieces.

        Raises:
            OptionError: the encoder does not predict hidden tokens, there is no such word, or `n` is below 1.
            ArgumentTypeError: the sentence is no text and no list of words.
        """
        head = self.head
        if not isinstance(head, MaskedPrediction):
            raise OptionError(
                "this encoder predicts no hidden words: expected one of firth.MaskedLM, or a folder of transformers "
                "with the head of a masked language model"
            )
        words, position = read_place(sentence, position, split=str.split, filler=MASK, marks=(HOLE, MASK))
        check_whole("n", n)
        ((row, owners),) = self.pieces.encode_words([[*words[:position], MASK, *words[position + 1 :]]])
        step = owners.index(position)
        first = max(0, min(step - self.max_pieces // 2, len(row) - self.max_pieces))
        ids = torch.tensor([self._closed(row[first : first + self.max_pieces])], device=self.device)
        scores = head.output.log_prob(head(self.module(ids)[0, step - first + 1][None]))[0].exp()
        scores[torch.from_numpy(self.pieces.special).to(scores.device)] = 0.0
        best = scores[: len(self.pieces)].topk(min(n, len(self.pieces) - len(SPECIAL)))
        names = self.pieces.vocabulary
        return [
            (names[number], score) for number, score in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    @explained
    def replaced(self, sentence: Text) -> npt.NDArray[np.float32]:
        """Return for each word of a sentence the probability that it does not belong there.

        Args:
            sentence: its words, or a string whose words are split at spaces.

        Returns:
            (words,) float32: of a word with several pieces, that of the most suspicious one.

        Raises:
            OptionError: the encoder was not trained to tell, or a word has a space, as a text has.
        """
        head = self.head
        if not isinstance(head, ReplacedPrediction):
            raise OptionError("this encoder was not trained to find replaced words: use one of firth.Electra")
        words = token_lists([sentence], str.split, "sentence")
        spaced = next((word for word in words[0] if " " in word.strip()), None)
        if spaced is not None:
            raise OptionError(f"the word {brief(spaced)} has a space; expected the words of one sentence, or a text")

        def scores(states: list[torch.Tensor], lengths: torch.Tensor) -> torch.Tensor:
            chances: torch.Tensor = head(states[-1]).sigmoid()[..., None]
            return chances

        return self._by_word(words, scores, np.maximum.reduceat, None)[0][:, 0]

    @property
    def token_layers(self) -> int:
        """L, vectors per word: the input of the blocks and their outputs; see `token_states`."""
        return self.config.layers + 1

    @property
    def token_width(self) -> int:
        """D, width of each of them."""
        return self.dim

    def token_states(self, sentences: Sequence[Sequence[str]]) -> torch.Tensor:
        """Return (B, T, L, D) states of the first pieces of words; zero at padding.

        This is how taggers, parsers and classifiers read the encoder through `embed=`: see
        `firth.neural.models.tokens.embedders.ContextualEncoder`.

        Args:
            sentences: B lists of words, each of at least one word.
        """
        parts: list[Row] = []
        positions: list[tuple[int, int]] = []  # of each word: its part, and its position there
        for row, owners in self.pieces.encode_words(sentences):
            first = 0
            for part in self._parts(row, owners):
                inside = range(first, first + len(part))
                positions += [(len(parts), i - first + 1) for i in inside if i == 0 or owners[i] != owners[i - 1]]
                parts.append(part)
                first += len(part)
        ids, lengths = pad([self._closed(part) for part in parts], self.pieces.pad_id)
        states = torch.stack(self.module.states(ids.to(self.device), lengths.to(self.device)), 2)
        rows, steps = torch.tensor(positions, device=self.device).T
        words = torch.split(states[rows, steps], [len(sentence) for sentence in sentences])
        return torch.nn.utils.rnn.pad_sequence(list(words), batch_first=True)

    def fingerprint(self) -> str:
        """Return a digest of the encoder: equal ones give words the same vectors."""
        sizes = repr(self.config)  # heads, for one, leave no trace in the parameters
        return data_digest(self.pieces.rules, sizes, digest(self.module))

    def rows_of(self, texts: Sequence[Text]) -> list[Row]:
        """Return the ids of the pieces of each text, without special tokens."""
        items = checked_texts(texts)
        strings = [text for text in items if isinstance(text, str)]
        read = iter(self.pieces.encode(strings))
        lists = iter(self.pieces.encode_words([text for text in items if not isinstance(text, str)]))
        return [next(read) if isinstance(text, str) else next(lists)[0] for text in items]

    def start(self, encoder: EncoderNetwork, head: torch.nn.Module | None) -> None:
        """Copy the parameters into another encoder of the same sizes, and into its head if it is of the same kind."""
        encoder.load_state_dict(self.module.state_dict())
        if head is not None and self.head is not None and type(head) is type(self.head):
            head.load_state_dict(self.head.state_dict())

    def _states_of_words(
        self, words: Sequence[Sequence[str]], layer: int, pieces: str, size: int | None
    ) -> list[Matrix]:
        def states(every: list[torch.Tensor], lengths: torch.Tensor) -> torch.Tensor:
            return every[layer]

        def mean(rows: Matrix, starts: npt.NDArray[Any]) -> Matrix:
            return np.asarray(np.add.reduceat(rows, starts) / np.diff(starts, append=len(rows))[:, None], np.float32)

        def first(rows: Matrix, starts: npt.NDArray[Any]) -> Matrix:
            return np.asarray(rows[starts], np.float32)

        return self._by_word(words, states, mean if pieces == "mean" else first, size)

    def _by_word(
        self,
        words: Sequence[Sequence[str]],
        apply: Callable[[list[torch.Tensor], torch.Tensor], torch.Tensor],
        join: Callable[..., Matrix],
        size: int | None,
    ) -> list[Matrix]:
        """Return values of words, joined from those of their pieces."""
        rows = self.pieces.encode_words(words)
        parts = [part for row, owners in rows for part in self._parts(row, owners)]
        values = iter(self._apply(parts, apply, size))
        results = []
        for row, owners in rows:
            if not row:
                results.append(np.zeros((0, self.dim), dtype=np.float32))
                continue
            every = np.concatenate([next(values)[1 : len(part) + 1] for part in self._parts(row, owners)])
            results.append(join(every, np.flatnonzero(np.diff(owners, prepend=-1))))
        return results

    def _parts(self, row: Row, owners: Sequence[int]) -> list[Row]:
        """Return a row in parts that the network reads, cut between words where a word is not longer than a part."""
        parts, first = [], 0
        while len(row) - first > self.max_pieces:
            last = first + self.max_pieces
            cut = next((i for i in range(last, first, -1) if owners[i] != owners[i - 1]), last)
            parts.append(row[first:cut])
            first = cut
        return [*parts, row[first:]] if row else []

    @torch.no_grad()
    def _apply(
        self, rows: Sequence[Row], apply: Callable[[list[torch.Tensor], torch.Tensor], torch.Tensor], size: int | None
    ) -> list[npt.NDArray[np.float32]]:
        """Return what a function of all layers' states makes of each row; see `states` of the network."""
        if not rows:
            return []
        closed = [self._closed(row) for row in rows]
        lengths = np.array([len(row) for row in closed])
        batches = Buckets(
            items=closed, lengths=lengths, collate=pad, batch_size=size or TOKENS, tokens=size is None, shuffle=False
        )
        values = []
        for ids, steps in batches.epoch(0):
            same = bool((steps == ids.shape[1]).all())  # without a mask, attention is faster
            moved = steps.to(self.device)
            states = self.module.states(ids.to(self.device), None if same else moved)
            values.append(list(apply(states, moved).float().cpu().numpy()))
        return batches.in_item_order(values)

    def _closed(self, row: Row) -> Row:
        return [self.pieces.cls_id, *row, self.pieces.sep_id]

    @classmethod
    def restore(cls, content: ModelFolder) -> Self:
        """Return the encoder of a folder."""
        return cls(*encoder_of(content), content.metadata)

    def _content(self) -> ModelFolder:
        """Return what `save` writes; see `firth.neural.models.pretraining.layout`."""
        special = {f"{token[1:-1].lower()}_token": token for token in SPECIAL}
        return ModelFolder(
            kind=KIND,
            arrays=arrays_of(self.module, self.layout, self.head),
            texts={
                "tokenizer": parse_json(self.pieces.rules),
                "tokenizer_config": {
                    "tokenizer_class": "PreTrainedTokenizerFast",
                    "model_max_length": self.config.max_length,
                    "do_lower_case": self.pieces.lowercase,
                    **special,
                },
            },
            config=described(self.config, self.layout, self.head, self.pieces),
            metadata=self.metadata,
            card=CARD.format(layout=self.layout, about=repr(self)[1:-1], version=firth.__version__),
        )


@names_files
def read_folder(path: Path) -> PretrainedEncoder:
    """Return the encoder of a folder of transformers."""
    return PretrainedEncoder(*encoder_of_transformers(path), {"name": path.name})


def check_text_pooling(pooling: Any) -> None:
    """Check the name of a pooling of texts.

    Raises:
        OptionError: there is none of this name.
    """
    if pooling not in POOLINGS:
        raise OptionError(f"pooling={brief(pooling)}: expected one of {', '.join(POOLINGS)}")


def _pooling(name: str) -> Callable[[list[torch.Tensor], torch.Tensor], torch.Tensor]:
    def mean(states: list[torch.Tensor], lengths: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(states[-1].shape[1], device=lengths.device)
        inside = (positions > 0) & (positions < lengths[:, None] - 1)  # without [CLS] and [SEP]
        return (states[-1] * inside[..., None]).sum(1) / inside.sum(1, keepdim=True)

    def cls(states: list[torch.Tensor], lengths: torch.Tensor) -> torch.Tensor:
        return states[-1][:, 0]

    return mean if name == "mean" else cls
