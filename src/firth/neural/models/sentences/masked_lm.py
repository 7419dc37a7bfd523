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
from firth.neural.models.sentences.data import TokenBatch, pieces, row_batches, sentences
from firth.neural.models.sentences.encoder import EncoderModule
from firth.neural.models.sentences.encoder_training import TextOptions
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.supervised import SupervisedTask, mean_loss, on_device
from firth.neural.training.options import RunConfig, TrainingOptions
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
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=3, batch_size=32, optimiser="adamw", lr=0.001, weight_decay=0.01, schedule="linear", warmup=200,
        clip_norm=1.0,
    )  # fmt: skip

    mask_rate: float = option(0.15, "share of tokens that are hidden", minimum=0, maximum=1, exclusive=True)

    def build_task(
        self, model: SentenceEncoder, text: LanguageText, held_out: Any, config: RunConfig
    ) -> SupervisedTask:
        """Return the task; see `TextOptions.build_task`."""
        encoder = model.module
        assert isinstance(encoder, EncoderModule)
        assert encoder.prediction is not None
        head, limit = encoder.prediction, model.options.max_length
        masking = Masking(mask_id=len(text.vocabulary), words=len(text.vocabulary), rate=self.mask_rate)
        rows, test, predictions = pieces(sentences(text), limit), None, 0
        if held_out is not None:
            held_out = held_out_text(held_out, text.vocabulary, text.rules, progress=config.progress)
            test = row_batches(pieces(sentences(held_out), limit), EVAL_BATCH, limit=limit, shuffle=False)
            predictions = round(self.mask_rate * len(held_out))

        def hidden(batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
            """Return (N, D) states at hidden positions, and the (N,) tokens that were there."""
            ids, where = masking(batch.ids, batch.lengths.to(batch.ids.device))
            return encoder.hidden(ids, batch.lengths)[where], batch.ids[where]

        def figures() -> Mapping[str, float]:
            """Return the loss per hidden token, the same ones in every evaluation, and the share predicted."""
            if test is None:
                return {}
            torch.manual_seed(EVAL_SEED)  # the loop restores the state of training
            parts = [head.scores(*hidden(batch)) for batch in on_device(test, encoder)]
            count = sum(len(hits) for _, hits in parts)
            total = -sum(log_probs.sum(dtype=torch.float64).item() for log_probs, _ in parts)
            return {"loss": total / count, "accuracy": sum(int(hits.sum()) for _, hits in parts) / count}

        return SupervisedTask(
            module=encoder,
            batches=row_batches(rows, config.training.batch_size, limit=limit, seed=config.seed),
            loss=lambda batch, progress: mean_loss(head.loss(*hidden(batch))),
            figures=figures,
            unit="hidden tokens",
            eval_predictions=predictions,
            facts={"pieces": len(rows)},
        )
