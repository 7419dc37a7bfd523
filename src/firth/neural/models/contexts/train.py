"""The method `train` of context2vec: text, module, training loop."""

import hashlib
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.neural.models.contexts.context_model import ContextModel
from firth.neural.models.contexts.task import ContextTask, sentence_batches
from firth.neural.models.sentences.data import SentenceText
from firth.neural.models.sentences.options import long_sentences
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.timing import running_clock

EVAL_BATCH = 128  # sentences per batch of an evaluation


@explained(unknown="<unk>", sentences="punctuation")
def train_context2vec(
    options: Any, corpus: Any, *, held_out: Any = None, **arguments: Unpack[TextRunArguments]
) -> ContextModel:
    """Train context2vec on the sentences of a text.

    Args:
        options: `firth.Context2Vec`.
        corpus: training text: anything that `Corpus.build` takes, which is split into sentences at punctuation and at
            blank lines; or a corpus built with `unknown="<unk>"`.
        held_out: text of the same kind, which selects the best epoch. Without it, the last epoch is kept.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no corpus yet.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Raises:
        CorpusError: the text is empty, no sentence has two words, the corpus has left words out, or no word of the
            held-out text is known.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = SentenceText.of(corpus, given, defaults=options.text, progress=config.progress)
        how: dict[str, Any] = {"limit": options.max_length}
        judged = None
        if held_out is not None:
            reading = {name: value for name, value in given.items() if name in ("column", "cache")}
            other = SentenceText.of(held_out, reading, defaults={}, like=text, progress=config.progress)
            judged = sentence_batches(other, batch_size=EVAL_BATCH, shuffle=False, **how)
        batches = sentence_batches(text, batch_size=config.training.batch_size, seed=config.seed, **how)
        long = long_sentences(text.lengths, options.max_length, text.rules)
        with new_parameters(config.seed, 2):
            module = options.build(text.vocabulary)
        task = ContextTask(module, batches, judged)
        data = {"text": _digest(text), "sentences": len(batches.items)}
        facts = fit_model(task, options, config, data, facts={"long_sentences": long})
    return ContextModel(module, options, text.vocabulary, text.rules, {"training": facts})


def _digest(text: SentenceText) -> str:
    digest = hashlib.blake2b(text.corpus.fingerprint.encode(), digest_size=16)
    digest.update(np.ascontiguousarray(text.numbers).tobytes())
    return digest.hexdigest()
