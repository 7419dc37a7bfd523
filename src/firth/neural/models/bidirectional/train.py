"""The method `train` of bidirectional language models: read the text, create a module, run the training loop."""

import hashlib
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, warn_caller
from firth.language.text import UNK, LanguageText, held_out_text, training_text
from firth.neural.models.bidirectional.bidirectional_model import BidirectionalLanguageModel
from firth.neural.models.bidirectional.module import BidirectionalModule
from firth.neural.models.bidirectional.task import BidirectionalTask
from firth.neural.models.language.train import UNSPELLED
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.timing import running_clock
from firth.vocabulary import Vocabulary


@explained(unknown=UNK, tokens="cased")
def train_bidirectional(
    options: Any, corpus: Corpus | LanguageText | Any, *, held_out: Any = None, **arguments: Unpack[TextRunArguments]
) -> BidirectionalLanguageModel:
    """Train a bidirectional language model.

    Args:
        options: of the model.
        corpus: training text: a corpus built with every word, a text that has been read, lists of words, or anything
            else that `Corpus.build` takes, which is read as words with their case, and punctuation, unless `tokens`
            says otherwise.
        held_out: text that selects the best epoch: anything that `Corpus.build` takes, or a text with the same
            vocabulary. Without it, the last epoch is kept.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no corpus yet.
            min_count and max_size limit what is predicted, not what is read, and may also be given with a corpus.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Warns:
        UserWarning: the corpus has `<unk>` in place of rare words.

    Raises:
        CorpusError: the text is empty or shorter than its vocabulary, the corpus has left words out, or no word of the
            held-out text is known.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = training_text(corpus, given, spelled=True, tokens=options.default_tokens, progress=config.progress)
        _check(text)
        if held_out is not None:
            held_out = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
        module = new_module(options, text.vocabulary, int(text.eos_id or 0), config.seed, copies=2)
        task = BidirectionalTask(module, text, held_out, batch_size=config.training.batch_size, seed=config.seed)
        data = {"text": _digest(text), "words": len(text)}
        facts = fit_model(task, options, config, data)
    return BidirectionalLanguageModel(module, options, text.vocabulary, text.rules, {"training": facts})


def new_module(options: Any, vocabulary: Vocabulary, bos: int, seed: int, *, copies: int = 1) -> BidirectionalModule:
    """Return a module with random parameters; torch's own random state is kept.

    Args:
        options: of the model.
        vocabulary: V words with their counts.
        bos: id of the end of a sentence.
        seed: of the parameters.
        copies: numbers in memory per parameter: 1, or 2 in training.

    Raises:
        OptionError: the model needs more memory than this machine has.
    """
    with new_parameters(seed, copies):
        module: BidirectionalModule = options.build_module(vocabulary, bos)
    return module


def _check(text: LanguageText) -> None:
    if text.eos_id is None:
        raise CorpusError("the text has no sentence ends, which this model predicts: read it with eos=True")
    if len(text.vocabulary) > len(text):
        raise CorpusError(
            f"a vocabulary of {len(text.vocabulary):,} words for a text of {len(text):,}: expected more text than "
            "words; give more text, or a higher min_count"
        )
    if not text.unknown_words and (share := float(np.mean(text.ids == text.unk_id))):
        warn_caller(UNSPELLED.format(share=100 * share, unknown=UNK))


def _digest(text: LanguageText) -> str:
    """Return a digest of a text as the module reads it."""
    digest = hashlib.blake2b(text.input_ids.tobytes(), digest_size=16)
    digest.update("\n".join([*text.vocabulary.words, *text.unknown_words]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
