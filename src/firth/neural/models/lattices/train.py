"""The method `train` of lattice language models: read the text, choose the chunks, run the training loop."""

import hashlib
from collections.abc import Sequence
from typing import Any, Unpack

import torch

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.language.text import UNK, LanguageText, encode_sentences, held_out_text, training_text
from firth.neural.models.lattices.chunks import Chunk, frequent_chunks
from firth.neural.models.lattices.lattice_model import LatticeModel
from firth.neural.models.lattices.task import LatticeTask
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.text.inputs import Text, check_items
from firth.timing import running_clock


@explained(unknown=UNK, tokens="characters")
def train_lattice(
    options: Any,
    corpus: Corpus | LanguageText | Any,
    *,
    chunks: Sequence[Text] | None = None,
    held_out: Any = None,
    **arguments: Unpack[TextRunArguments],
) -> LatticeModel:
    """Train a lattice language model.

    Args:
        options: of the model.
        corpus: training text: a corpus built with `unknown="<unk>"` or with every word, a text that has been read, or
            anything that `Corpus.build` takes, which is read as characters unless `tokens` says otherwise.
        chunks: the chunks, each a string or a list of tokens; None for the most frequent ones of the text.
        held_out: text that selects the best epoch: anything that `Corpus.build` takes, or a text with the same
            vocabulary. Without it, the last epoch is kept.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no corpus yet.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Raises:
        CorpusError: the text is empty, the corpus has left words out, or no word of the held-out text is known.
        OptionError: an option is out of its range, a chunk is longer than allowed or has unknown tokens, or the
            checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = training_text(corpus, given, tokens="characters", progress=config.progress)
        if held_out is not None:
            held_out = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
        found, counts = _chunks(options, chunks, text)
        bos = text.unk_id if text.eos_id is None else text.eos_id
        with new_parameters(config.seed, 2):
            module = options.build(len(text.vocabulary), found, bos)
        module.begin_at(torch.tensor([*text.vocabulary.counts.tolist(), *counts]))
        task = LatticeTask(module, text, held_out, batch_size=config.training.batch_size, bptt=options.bptt)
        facts = fit_model(task, options, config, {"text": _digest(text, found), "words": len(text)})
    return LatticeModel(module, options, text.vocabulary, text.rules, {"training": facts})


def _chunks(options: Any, chunks: Sequence[Text] | None, text: LanguageText) -> tuple[list[Chunk], list[int]]:
    """Return the chunks of a model and their counts, of given ones the lowest that counts."""
    if chunks is not None:
        given = given_chunks(chunks, text)
        return given, [options.min_count] * len(given)
    found = frequent_chunks(text, max_length=options.max_length, most=options.chunks, min_count=options.min_count)
    return list(found), list(found.values())


def given_chunks(chunks: Sequence[Text], text: LanguageText) -> list[Chunk]:
    """Return the token ids of chunks, read as the text was.

    Raises:
        KindError: the chunks are no list of strings or of lists of tokens.
        OptionError: a chunk has tokens that are not in the vocabulary.
    """
    found = []
    for number, chunk in enumerate(check_items(chunks, "chunks")):
        read = encode_sentences([chunk], text.vocabulary, text.rules)
        ids = read.ids[: len(read) - (0 if text.eos_id is None else 1)]
        if (ids == text.unk_id).any():
            raise OptionError(f"chunk {number}, {chunk!r}, has tokens that the text lacks; expected known ones only")
        found.append(tuple(ids.tolist()))
    return found


def _digest(text: LanguageText, chunks: list[Chunk]) -> str:
    """Return a digest of a text and its chunks."""
    digest = hashlib.blake2b(text.ids.tobytes(), digest_size=16)
    digest.update("\n".join(text.vocabulary.words).encode("utf-8", "surrogatepass"))
    digest.update(repr(chunks).encode())
    return digest.hexdigest()
