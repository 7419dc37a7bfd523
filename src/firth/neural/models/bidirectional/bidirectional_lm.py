"""Bidirectional language models (ELMo): a forward and a backward LSTM over the same character CNN.

What: words are read by their characters alone. One stack of LSTMs reads a sentence forward and predicts each next word,
    another one reads it backward and predicts each word before. Neither sees what the other has read. Their states,
    layer by layer, are vectors of words in context for taggers, parsers and classifiers (`firth.ELMo`, `firth.TagLM`).
Objective: with x_t the vector of word t from its characters, the mean per word and direction of

    -log p(w_t | w_1 .. w_{t-1}) - log p(w_t | w_{t+1} .. w_n),

    softmax(U f_{t-1} + b) and softmax(U b_{t+1} + b), f and b the states of the last layers of both stacks, U shared
Source: Peters et al. 2018, "Deep contextualized word representations", section 3.1; Peters et al. 2017,
    "Semi-supervised sequence tagging with bidirectional language models", section 2.3; Jozefowicz et al. 2016 and Kim
    et al. 2016 for the character CNN with highway layers.
Departures:
- Each sentence is read on its own, from zero states and the end of a sentence before it, since that is how taggers read
  it; the authors carry the state from sentence to sentence.
- The vector of a word is normalised (layer normalisation) before the LSTMs read it; without, it grows until they
  saturate.
- The layers have no projections: the state of an LSTM is as wide as the vector of a word (`dim`).
- The softmax is one over the words of the vocabulary; all other words are read by their characters, and predicted as
  `<unk>`.
Cost: 16 D^2 multiplications per word and layer for both directions, the characters once per distinct word of a batch,
    and the output layer twice per word; three times that in training.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import CorpusError, OptionError, warn_caller
from firth.language.text import EOS, UNK, LanguageText, held_out_text, training_text
from firth.neural.models.bidirectional.module import EVAL_WORDS, BidirectionalModule, Reader, sentence_buckets
from firth.neural.models.bidirectional.predict import BidirectionalLanguageModel
from firth.neural.models.language.language_model import output_layer, parse_output
from firth.neural.models.language.train import UNSPELLED
from firth.neural.models.sentences.data import TokenBatch, TokenRows
from firth.neural.supervised import SupervisedTask, digest, mean_loss, perplexity_of
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import StepOutput
from firth.options import Preset, check, option, options_class, values_of
from firth.timing import running_clock
from firth.vocabulary import Vocabulary


def bidirectional_task(
    module: BidirectionalModule,
    text: LanguageText,
    held_out: LanguageText | None = None,
    *,
    batch_size: int,
    seed: int = 0,
) -> SupervisedTask:
    """Return a module with its text as a task: losses per word and direction, perplexities of both directions."""
    reader, test = Reader(module, text), None if held_out is None else Reader(module, held_out)
    predictions = 0 if test is None else _predictions(test.rows)

    def loss(batch: TokenBatch, progress: TrainingProgress) -> StepOutput:
        hidden, targets, _ = reader.predicted(batch)
        return mean_loss(module.output.loss(torch.cat(hidden), torch.cat(targets)))  # (2 N,)

    @torch.no_grad()
    def figures() -> Mapping[str, float]:
        if test is None:
            return {}
        total = torch.zeros(2, dtype=torch.float64)
        for forward, backward, _ in test.log_probs(sentence_buckets(test.rows, EVAL_WORDS, shuffle=False).epoch(0)):
            total -= torch.stack([part.sum(dtype=torch.float64).cpu() for part in (forward, backward)])
        losses = (total / predictions).tolist()
        mean = sum(losses) / 2
        return {
            "loss": mean,
            "perplexity": perplexity_of(mean),
            "forward": perplexity_of(losses[0]),
            "backward": perplexity_of(losses[1]),
        }

    return SupervisedTask(
        module=module,
        batches=sentence_buckets(reader.rows, batch_size, seed=seed),
        loss=loss,
        figures=figures,
        unit=text.rules.unit,
        eval_predictions=2 * predictions,
    )


def _predictions(rows: TokenRows) -> int:
    return int(rows.lengths.sum()) + len(rows)


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
        module = new_module(config.seed, options.build, text.vocabulary, copies=2)
        task = bidirectional_task(module, text, held_out, batch_size=config.training.batch_size, seed=config.seed)
        words = "\n".join([*text.vocabulary.words, *text.unknown_words])
        data = {"text": digest(text.input_ids, words), "words": len(text)}
        facts = fit_model(task, options, config, data)
    return BidirectionalLanguageModel(module, options, text.vocabulary, text.rules, {"training": facts})


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


@options_class
class BidirectionalLM:
    """Bidirectional language model. In its training options, `batch_size` counts words.

    Source:
        Peters et al. 2018; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "elmo": Preset("Bidirectional LSTMs over a character CNN (Peters et al. 2018): vectors for `firth.ELMo`.")
    }
    common_options: ClassVar = ("dim", "layers", "dropout", "output")
    train = train_bidirectional
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=5, batch_size=1500, optimiser="adam", lr=0.002, schedule="linear", warmup=200, clip_norm=1.0
    )
    spells: ClassVar[bool] = True
    default_tokens: ClassVar[str] = "cased"

    dim: int = option(256, "width of the vector of a word, and of each LSTM's state", minimum=1)
    layers: int = option(2, "number of LSTM layers in each direction", minimum=1)
    char_dim: int = option(16, "width of character vectors", minimum=1)
    highway: int = option(2, "highway layers over the character CNN", minimum=0)
    dropout: float = option(0.1, "dropout of the input and output of each layer", minimum=0, maximum=0.99)
    output: str = option(
        "adaptive",
        "output layer, such as full, adaptive or importance (a sampled softmax); options follow after colons",
    )

    def __post_init__(self) -> None:
        check(self)
        if parse_output(self.output)[0] in ("nce", "negative") or "learned" in self.output:
            raise OptionError(
                f"output={self.output!r}: expected a layer that gives probabilities, without a learned tree, such as "
                "adaptive or importance"
            )

    def build(self, vocabulary: Vocabulary) -> BidirectionalModule:
        """Return a module with random parameters from torch's default generator."""
        output = output_layer(self.output, self.dim, vocabulary)
        shared = values_of(self, "dim", "layers", "char_dim", "highway", "dropout")
        return BidirectionalModule(list(vocabulary.words), output, bos=vocabulary.ids[EOS], **shared)
