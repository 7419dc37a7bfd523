"""Masked language model: an encoder learns to predict hidden tokens from those on both sides of them.

What: some tokens of a text are replaced, at random and anew in every epoch; the encoder's outputs at their positions
    predict them. What is kept is an encoder: the vector of a text is the mean of its outputs. Contrastive models start
    from it.
Objective: -log p(w_t | the text with some tokens replaced), over hidden positions t; `firth.neural.layers.masking`
    hides tokens and predicts them.
Source: Devlin, Chang, Lee and Toutanova 2019, "BERT", section 3.1, task 1; Liu et al. 2019, "RoBERTa", section 4, for
    new masks in every epoch and without the prediction of the next sentence.
Departures: one text per sequence, cut into pieces of `max_length` tokens; BERT fills each sequence with two. The
    network is described in `firth.neural.models.sentences.encoder`.
Cost: that of the encoder, and V D multiplications for 15 % of tokens; three times that in training.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch

from firth.language.text import LanguageText, held_out_text
from firth.neural.layers.masking import Masking
from firth.neural.layers.state import State
from firth.neural.models.sentences.encoder import EncoderModule
from firth.neural.models.sentences.encoder_training import TextOptions, train_encoder
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.models.sentences.token_rows import TokenBatch, pieces, row_batches, sentences
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import Preset, option, options_class

EVAL_BATCH, EVAL_SEED = 64, 0  # of held-out text: texts per batch; of the masks, the same in every evaluation


@options_class
class SentenceMaskedLM(TextOptions):
    """Masked language model, trained as an encoder of texts.

    Raises:
        OptionError: an option is out of its range, or heads do not divide the width.

    Source:
        Devlin et al. 2019 and Liu et al. 2019; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "masked-lm": Preset("Masked language model: predicts hidden tokens (Devlin et al. 2019, Liu et al. 2019).")
    }
    common_options: ClassVar = ("encoder", "dim", "layers", "heads", "max_length")
    predicts_words: ClassVar[bool] = True
    train = train_encoder
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=3, batch_size=32, optimiser="adamw", lr=0.001, weight_decay=0.01, schedule="linear", warmup=200,
        clip_norm=1.0,
    )  # fmt: skip

    mask_rate: float = option(0.15, "share of tokens that are hidden", minimum=0, maximum=1, exclusive=True)

    def build_task(self, model: SentenceEncoder, text: LanguageText, held_out: Any, config: RunConfig) -> "MaskedTask":
        """Return the task; see `TextOptions.build_task`."""
        test = None
        if held_out is not None:
            test = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
        return MaskedTask(
            model, text, test, batch_size=config.training.batch_size, rate=self.mask_rate, seed=config.seed
        )


class MaskedTask:
    """A masked language model with its text; implements `firth.neural.training.task.Task`.

    Attributes:
        module: the encoder, with its head.
        batches: pieces of similar length.
        unit: what is predicted.
        eval_predictions: predictions of an evaluation.
        facts: number of pieces.
    """

    def __init__(
        self,
        model: SentenceEncoder,
        text: LanguageText,
        held_out: LanguageText | None,
        *,
        batch_size: int,
        rate: float,
        seed: int,
    ) -> None:
        assert isinstance(model.module, EncoderModule)
        assert model.module.prediction is not None
        self.module: torch.nn.Module = model.module
        self.unit = "hidden tokens"
        self._encoder, self._head = model.module, model.module.prediction
        self._masking = Masking(mask_id=len(text.vocabulary), words=len(text.vocabulary), rate=rate)
        limit = model.options.max_length
        rows = pieces(sentences(text), limit)
        self.batches: Batches = row_batches(rows, batch_size, limit=limit, seed=seed)
        self._held_out = None
        self.eval_predictions = 0
        if held_out is not None:
            held_out_rows = pieces(sentences(held_out), limit)
            self._held_out = row_batches(held_out_rows, EVAL_BATCH, limit=limit, shuffle=False)
            self.eval_predictions = round(rate * len(held_out))
        self.facts: Mapping[str, Any] = {"pieces": len(rows)}

    def step(self, batch: TokenBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch's hidden tokens; see `Task.step`."""
        ids, hidden = self._masking(batch.ids, batch.lengths.to(batch.ids.device))
        losses = self._head.loss(self._encoder.hidden(ids, batch.lengths)[hidden], batch.ids[hidden])
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the loss in nats per hidden token of the held-out text, and the share predicted; see `Task.evaluate`.

        The same tokens are hidden in every evaluation.
        """
        if self._held_out is None:
            return {}
        total, right, count = 0.0, 0, 0
        device = next(self.module.parameters()).device
        torch.manual_seed(EVAL_SEED)  # the loop restores the state of training
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            ids, hidden = self._masking(on_device.ids, batch.lengths.to(device))
            states = self._encoder.hidden(ids, batch.lengths)
            log_probs, hits = self._head.scores(states[hidden], on_device.ids[hidden])
            total -= log_probs.sum(dtype=torch.float64).item()
            right, count = right + int(hits.sum()), count + len(hits)
        return {"loss": total / count, "accuracy": right / count}
