"""The method `train` of encoders that learn from neighbouring sentences: text, module, training loop."""

import hashlib
from typing import Any, Unpack, cast

import numpy as np
import torch

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.models.sentences.data import SentenceText
from firth.neural.models.sentences.options import SentenceOptions, long_sentences, new_module
from firth.neural.models.sentences.sentence_model import SentenceEncoder
from firth.neural.models.sentences.task import NeighbourModule, NeighbourTask
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.options import check_kind
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary


@explained(max_size=20_000, unknown="<unk>", sentences="punctuation", keep_empty=True)
def train_on_neighbours(
    options: SentenceOptions,
    corpus: Corpus | Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    **arguments: Unpack[TextRunArguments],
) -> SentenceEncoder:
    """Train a sentence encoder on running text.

    The order of the sentences is what it learns from. The end of a file or of a text ends a document: sentences on its
    two sides are no neighbours.

    Args:
        options: of the model.
        corpus: training text: anything that `Corpus.build` takes, which is split into sentences at punctuation and at
            blank lines; or a corpus built with `unknown="<unk>"`, whose empty sentences (`keep_empty=True`) end
            documents.
        held_out: text of the same kind, which selects the best epoch. Without it, the last epoch is kept.
        vectors: word vectors of width `dim` at which the input vectors start; training changes them.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Raises:
        CorpusError: the text is empty, no sentence has neighbours, the corpus has left words out, or no word of the
            held-out text is known.
        OptionError: an option is out of its range, the vectors have another width, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    if vectors is not None:
        check_kind("vectors", vectors, WordVectors)
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = SentenceText.of(corpus, given, defaults=options.text, progress=config.progress)
        test = None
        if held_out is not None:
            reading = {name: value for name, value in given.items() if name in ("column", "cache")}
            reading = {} if isinstance(held_out, Corpus) else reading
            test = SentenceText.of(held_out, reading, defaults={}, like=text, progress=config.progress)
        module = cast("NeighbourModule", new_module(options, text.vocabulary, config.seed, copies=2))
        if vectors is not None:
            start_at(module, vectors, text.vocabulary, config.seed)
        limit, size = options.max_length, config.training.batch_size
        truncated = long_sentences(text.lengths, limit, text.rules)
        task = NeighbourTask(module, text, test, limit=limit, batch_size=size, seed=config.seed)
        digest = None if vectors is None else _digest(vectors)
        data = {"text": text.corpus.fingerprint, "sentences": len(text), "vectors": digest}
        facts = fit_model(task, options, config, data)
        return SentenceEncoder(
            module, options, text.vocabulary, text.rules, {"training": {**facts, "truncated": truncated}}
        )


def start_at(module: torch.nn.Module, vectors: WordVectors, vocabulary: Vocabulary, seed: int = 0) -> None:
    """Set the input vectors of a module to those of the words; words without a vector get random ones like them.

    Raises:
        OptionError: the vectors have another width, or no word has one.
    """
    for layer in module.modules():
        if isinstance(layer, WordEmbedding):
            if vectors.dim != layer.width:
                raise OptionError(
                    f"vectors of width {vectors.dim} for dim={layer.width}: expected the same; use dim={vectors.dim}"
                )
            table = WordEmbedding.from_vectors(vectors, vocabulary, seed=seed)
            with torch.no_grad():
                layer.weight.copy_(table.weight)


def _digest(vectors: WordVectors) -> str:
    content = hashlib.blake2b(np.ascontiguousarray(vectors.vectors).tobytes(), digest_size=16)
    content.update("\n".join(vectors.words).encode("utf-8", "surrogatepass"))
    return content.hexdigest()
