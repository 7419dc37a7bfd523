"""The method `train` of every neural language model: read the text, create a module, run the training loop."""

import hashlib
import os
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError, warn_caller
from firth.language.text import UNK, LanguageText, held_out_text, training_text
from firth.neural.models.language.learned_tree import LanguageRun, with_learned_tree
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.neural_model import NeuralLanguageModel
from firth.neural.models.language.options import LanguageOptions, new_module
from firth.neural.models.language.start import check_options, digest, opened_start, started_module, text_for
from firth.neural.models.language.task import LanguageTask
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, text_options
from firth.timing import running_clock

UNSPELLED = (
    "the model reads characters, but {share:.1f} % of the training text is {unknown}, which has lost its spelling: "
    "build the corpus with min_count=1, and limit the vocabulary with min_count or max_size of train"
)


@explained(unknown=UNK, tokens="subwords")
def train_language_model(
    options: LanguageOptions,
    corpus: Corpus | LanguageText | Any,
    *,
    held_out: Any = None,
    start: NeuralLanguageModel | str | os.PathLike[str] | None = None,
    old_held_out: Any = None,
    **arguments: Unpack[TextRunArguments],
) -> NeuralLanguageModel:
    """Train a neural language model.

    Args:
        options: of the model.
        corpus: training text: a corpus built with `unknown="<unk>"` or with every word, a text that has been read, or
            anything that `Corpus.build` takes, which is read as subwords that are learned from it, unless `tokens` says
            otherwise; a model that reads characters reads words.
        held_out: text that selects the best epoch: anything that `Corpus.build` takes, or a text with the same
            vocabulary. Without it, the last epoch is kept.
        start: trained model, or its path, to start from: its parameters, vocabulary and text rules. The options must be
            its own, such as `start.options`; only dropout and bptt may differ.
        old_held_out: with `start`, held-out text of the kind that the start was trained on. Its perplexity before and
            after training is in `metadata["old_held_out"]`.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet, such as tokens="words", max_size=4000. A model that reads characters also takes min_count and
            max_size with a corpus: they limit what it predicts.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Warns:
        UserWarning: the model reads characters, and the corpus has `<unk>` in place of rare words.

    Raises:
        CorpusError: the text is empty, the corpus has left words out, or no word of the held-out text is known.
        OptionError: an option is out of its range or contradicts the start, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        if start is not None:
            return _continue(options, opened_start(start), corpus, held_out, old_held_out, config, given)
        if old_held_out is not None:
            raise OptionError("old_held_out without start: it is text of the kind that the start was trained on")
        tokens = options.default_tokens
        text = training_text(corpus, given, spelled=options.spells, tokens=tokens, progress=config.progress)
        text = _checked(text)
        if held_out is not None:
            held_out = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
        bos = text.unk_id if text.eos_id is None else text.eos_id
        module = new_module(options, text.vocabulary, bos, config.seed, copies=2)
        if module.spells and not text.unknown_words and (share := float(np.mean(text.ids == text.unk_id))):
            warn_caller(UNSPELLED.format(share=100 * share, unknown=UNK))
        return with_learned_tree(train_module)(LanguageRun(options, module, text, held_out, config))


def _continue(
    options: LanguageOptions,
    start: NeuralLanguageModel,
    corpus: Any,
    held_out: Any,
    old_held_out: Any,
    config: RunConfig,
    given: Mapping[str, Any],
) -> NeuralLanguageModel:
    """Train a model that starts with the parameters of another."""
    check_options(options, start)
    progress = config.progress
    text = text_for(start, corpus, given, progress)
    held_out, old = (None if each is None else start.read(each, progress=progress) for each in (held_out, old_held_out))
    before = None if old is None else start.perplexity(old, progress=progress)
    module = started_module(options, start, config.seed)
    model = train_module(LanguageRun(options, module, text, held_out, config, start))
    model.metadata["start"] = dict(start.metadata)
    if old is not None and before is not None:
        after = model.perplexity(old, progress=progress)
        model.metadata["old_held_out"] = {"before": before.described(), "after": after.described()}
    return model


def train_module(run: LanguageRun) -> NeuralLanguageModel:
    """Train a module and return it as a model.

    Raises:
        OptionError: there is held-out text, and the output layer gives no probabilities.
    """
    options, module, text, held_out, config, start = run
    if held_out is not None and not module.output.normalised:
        raise OptionError(
            f"output={options.output!r} gives scores, not probabilities, so held-out text has no perplexity: train "
            "without held_out, or with another output"
        )
    task = LanguageTask(
        module,
        text,
        held_out,
        batch_size=config.training.batch_size,
        bptt=options.bptt,
        vary_bptt=options.vary_bptt,
        seed=config.seed,
    )
    data = {"text": _digest(text, module), "words": len(text)}
    if start is not None:
        data["start"] = digest(start.module)
    facts = fit_model(task, options, config, data)
    return NeuralLanguageModel(module, options, text.vocabulary, text.rules, {"training": facts})


def _checked(text: LanguageText) -> LanguageText:
    words = len(text.vocabulary)
    if text.rules.unit != "words":  # bytes and subwords that do not occur are no burden
        words = int(np.count_nonzero(text.vocabulary.counts))
    if words > len(text):
        raise CorpusError(
            f"a vocabulary of {words:,} {text.rules.unit} for a text of {len(text):,}: expected more text than "
            "words; give more text, or build the corpus with a higher min_count"
        )
    return text


def _digest(text: LanguageText, module: LanguageModule) -> str:
    """Return a digest of a text as a module reads it."""
    ids, words = text.ids, list(text.vocabulary.words)
    if module.spells:
        ids, words = text.input_ids, [*words, *text.unknown_words]
    digest = hashlib.blake2b(ids.tobytes(), digest_size=16)
    digest.update("\n".join(words).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
