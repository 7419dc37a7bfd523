"""Latent predictor networks: texts whose parts are generated or copied, whichever explains them.

What: a record has named fields. Its text is a sequence of segments; a predictor writes each of them: one generates a
    byte, the other copies the whole value of a field. Which segments there are is never annotated: the probability of a
    text is the sum over all segmentations and predictors. Names that were never seen are copied like all others.
Objective: with o_t the decoder's output before byte t + 1, which depends on the bytes before it alone,

    log alpha_t = log [ alpha_{t-1} p(generate | o_{t-1}) p(y_t | o_{t-1})
                        + sum_f alpha_{t-l} p(copy | o_{t-l}) p(f | o_{t-l}) [y_{t-l+1} .. y_t = value of f, l long] ]
    p(y) = alpha_T;   p(f | o) = softmax over the fields of (W o) . u_f

    a_t = attention of h_t over all bytes of all fields, one softmax for all of them;   r = LSTM over [h_t; a_t]
    o_t = tanh(W' [h_t; r_t; a_t])
Source: Ling, Grefenstette, Hermann, Kocisky, Senior, Wang and Blunsom 2016, "Latent predictor networks for code
    generation": section 3 (structured attention), 4 (predictors and their marginalisation).
Departures:
- Bytes in place of characters, so that every text can be read and written.
- Attention has dot products of decoder states and projected encoder states with the vector of their field. What was
  read does not feed the next state of the decoder's LSTM, so that all steps of a text are computed together; a second
  LSTM reads it, and knows what was written already.
- A text is written byte by byte, by the probability of the next byte over all predictors, copies that have begun
  included; the authors' beam search extends by whole segments. Beams are left out: they are full of short texts before
  a longer one ends.
- Fields are copied whole; the authors' third predictor copies single words of a field.
- The segments' sum is that of `structs.segmentations`, of which the entropy, samples and the best path come as well.
Cost: per byte two LSTM steps, a row of attention over all bytes of the record, and L (F + 1) sums for copies of up to L
    bytes.
"""

from typing import ClassVar

from firth.neural.models.predictors.module import PredictorModule
from firth.neural.models.predictors.train import train_predictors
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class


@options_class
class LatentPredictorNetwork:
    """Latent predictor network: writes texts about records, and copies their fields.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Ling et al. 2016; the module's docstring has the formula and every departure.
    """

    train = train_predictors
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=32, optimiser="adam", lr=0.002, clip_norm=1.0, schedule="linear"
    )

    dim: int = option(48, "width of the vectors of bytes and fields", minimum=1)
    hidden: int = option(128, "width of the states", minimum=1)
    dropout: float = option(0.1, "dropout of vectors and of the decoder's output", minimum=0, maximum=0.99)
    copying: bool = option(True, "whether values of fields are copied; otherwise all bytes are generated")
    max_copy: int = option(40, "longest value that is copied, in bytes", minimum=1)
    max_length: int = option(400, "longest text that is written, in bytes", minimum=1)

    def __post_init__(self) -> None:
        check(self)

    def build(self, fields: int) -> PredictorModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            fields: F.
        """
        return PredictorModule(
            fields, dim=self.dim, hidden=self.hidden, dropout=self.dropout, copying=self.copying, max_copy=self.max_copy
        )
