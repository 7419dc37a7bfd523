"""Static word vectors of a contextual encoder: of each word, the mean of its vectors in context.

What
    An encoder reads the sentences of a text. A word's vector is the mean over its occurrences, so that it answers to
    neighbours, analogies and evaluations like any other, costs a look-up, and shows what the encoder has learned.
Objective
    v_w = 1 / |C_w| sum over occurrences (s, t) in C_w of g_l(s)_t,   of one layer l, or of the mean of all layers
Source
    Bommasani, Davis and Cardie 2020, Interpreting Pretrained Contextualized Representations via Reductions to Static
    Embeddings, section 2.2 (aggregated, mean).
Departures
    A word of several pieces has the state of its first piece, as for taggers, where they take the mean of its pieces.
    Occurrences are the first `contexts` of the text, where they draw sentences at random. The mean of all layers is the
    default; they report single layers.
Cost
    One pass of the encoder over the sentences that have a word which needs more occurrences; 8 V D bytes of sums.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.corpus.as_corpus import as_corpus
from firth.corpus.options import TextArguments
from firth.errors import CorpusError, OptionError, brief
from firth.neural.models.tokens.embedders import ContextualEncoder, opened
from firth.neural.models.tokens.features import BATCH_WORDS, Words
from firth.neural.prediction import batch_rows
from firth.neural.training.devices import no_subnormals, torch_threads
from firth.options import check_whole
from firth.progress import Progress, Status, reporting_slow_work
from firth.vectors.word_vectors import WordVectors

SENTENCES = 1024  # that are divided into batches together
MIN_COUNT = 5
NONE = -1  # a word that has no vector, or occurrences enough


@explained(min_count=MIN_COUNT)
def distil(
    encoder: ContextualEncoder | Any,
    corpus: Any,
    *,
    layer: int | None = None,
    contexts: int = 500,
    threads: int | None = None,
    progress: Progress = None,
    **text: Unpack[TextArguments],
) -> WordVectors:
    """Return static word vectors: the mean of each word's vectors in its contexts.

    Args:
        encoder: a trained model that gives words vectors in context, such as one of `firth.MaskedLM`,
            `firth.BidirectionalLM` or `firth.Translator`, or its folder.
        corpus: text: a corpus built with min_count=1, or anything that `Corpus.build` takes.
        layer: whose vectors: 0 for the input of the encoder, -1 for its last layer; None for the mean of all.
        contexts: number of occurrences of a word that are enough: the first ones of the text, and those of the same
            1,024 sentences.
        **text: options of `Corpus.build` for a text that is no corpus yet, such as tokens="cased". min_count and
            max_size limit the words that have a vector, not those that are read, and may also be given with a corpus.

    Returns:
        (V, D) float32 vectors of the words, most frequent first, with their counts.

    Raises:
        OptionError: the model gives words no vectors, there is no such layer, or a number is out of its range.
        CorpusError: the text cannot be read, or no word is frequent enough.

    Source:
        Bommasani, Davis and Cardie 2020, section 2.2.
    """
    model = _encoder(encoder)
    _check_layer(model, layer)
    given, max_size = text.pop("min_count", None), text.pop("max_size", None)
    min_count = MIN_COUNT if given is None else given
    for name, value in (("min_count", min_count), ("contexts", contexts), ("max_size", max_size)):
        if value is not None:
            check_whole(name, value)
    read = as_corpus(corpus, text, defaults={"min_count": 1}, progress=progress)
    counts, names = read.vocabulary.counts, read.vocabulary.words
    size = min(int((counts >= min_count).sum()), len(names) if max_size is None else max_size)
    if size == 0:
        raise CorpusError(f"no word occurs {min_count:,} times; give more text, or lower min_count={min_count}")
    ids = {word: number for number, word in enumerate(names[:size])}
    sums, seen, done = torch.zeros(size, model.token_width, dtype=torch.float64), np.zeros(size, dtype=np.int64), 0
    with reporting_slow_work(progress) as report, torch_threads(threads), torch.no_grad(), no_subnormals():
        for part in _parts(map(tuple, read)):
            short = {word for word, number in ids.items() if seen[number] < contexts}  # that need more occurrences
            wanted = [words for words in part if not short.isdisjoint(words)]
            for rows in batch_rows(list(map(len, wanted)), BATCH_WORDS, tokens=True):
                numbers = [[ids[word] if word in short else NONE for word in wanted[row]] for row in rows]
                _add(model, [wanted[row] for row in rows], numbers, layer, sums, seen)
            done += sum(map(len, part))
            report(Status(stage="encoding", done=done, total=read.num_tokens, unit="words"))
    vectors = (sums.numpy() / np.maximum(seen, 1)[:, None]).astype(np.float32)
    facts = {"options": {"model": "distil", "layer": layer, "contexts": contexts}, "tokens": int(read.num_tokens)}
    return WordVectors(names[:size], vectors, counts=counts[:size], metadata={"training": facts})


def _encoder(encoder: Any) -> ContextualEncoder:
    model = opened(encoder)
    if not isinstance(model, ContextualEncoder):
        raise OptionError(
            f"{brief(encoder)}: expected a model that gives words vectors in their context, such as one of "
            "firth.MaskedLM or firth.BidirectionalLM, or its folder"
        )
    return model


def _check_layer(model: ContextualEncoder, layer: int | None) -> None:
    layers = model.token_layers
    whole = isinstance(layer, int | np.integer) and not isinstance(layer, bool)
    if layer is not None and not (whole and -layers <= layer < layers):
        raise OptionError(f"layer={brief(layer)}: expected {-layers} to {layers - 1}, or None for the mean of all")


def _parts(sentences: Iterator[Words]) -> Iterator[list[Words]]:
    while part := list(islice(sentences, SENTENCES)):
        yield [words for words in part if words]


def _add(
    model: ContextualEncoder,
    sentences: Sequence[Words],
    numbers: Sequence[Sequence[int]],
    layer: int | None,
    sums: torch.Tensor,
    seen: Any,
) -> None:
    """Add the vectors of the words of a batch to their sums, given the number of each word or `NONE`."""
    states = model.token_states(sentences)  # (B, T, L, D)
    chosen = states.mean(2) if layer is None else states[:, :, layer]
    table = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in numbers], True, NONE)
    wanted = table != NONE
    sums.index_add_(0, table[wanted], chosen[wanted.to(chosen.device)].double().cpu())
    np.add.at(seen, table[wanted].numpy(), 1)
