"""Hidden states of a model of text as text vectors, with a fixed pooling: an encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import ArgumentTypeError, OptionError, brief
from firth.neural.layers.sequence_pooling import check_pooling
from firth.neural.models.language.predict import NeuralLanguageModel
from firth.neural.models.pretraining.encoder_model import PretrainedEncoder, check_text_pooling
from firth.progress import Progress
from firth.text.inputs import Text


@dataclass(frozen=True, eq=False)
class HiddenStates:
    """Text encoder over the hidden states of a neural language model or of a pretrained encoder.

    It is for whatever takes an encoder, such as `firth.evaluate`; `model.encode(texts, pooling=...)` does the same.

    Attributes:
        model: a neural language model or a pretrained encoder.
        pooling: "mean", "last", "max" or "attention", as in `NeuralLanguageModel.encode`; of a pretrained encoder
            "mean" or "cls".
        max_length: number of tokens that a language model reads of a text; None for its default.

    Raises:
        ArgumentTypeError: the model is neither.
        OptionError: there is no such pooling, or `max_length` is given for a pretrained encoder.
    """

    model: NeuralLanguageModel | PretrainedEncoder
    pooling: str = "mean"
    max_length: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, NeuralLanguageModel | PretrainedEncoder):
            raise ArgumentTypeError(
                f"model: found {brief(self.model)}; expected a neural language model or a pretrained encoder"
            )
        if isinstance(self.model, NeuralLanguageModel):
            check_pooling(self.pooling)
            return
        check_text_pooling(self.pooling)
        if self.max_length is not None:
            raise OptionError(
                f"max_length={self.max_length}: a pretrained encoder reads {self.model.max_pieces} word pieces; "
                "expected None"
            )

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.model.dim

    @explained
    def encode(
        self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None
    ) -> npt.NDArray[np.float32]:
        """Return one vector per text, (N, D) float32; see `encode` of the model."""
        options: dict[str, Any] = {"batch_size": batch_size, "progress": progress}
        if self.max_length is not None:
            options["max_length"] = self.max_length
        return self.model.encode(texts, pooling=self.pooling, **options)
