"""Hidden states of a language model as text vectors, with a fixed pooling: an encoder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.neural.layers.sequence_pooling import check_pooling
from firth.neural.models.language.neural_model import MAX_LENGTH, NeuralLanguageModel
from firth.options import check_kind
from firth.progress import Progress
from firth.text.inputs import Text


@dataclass(frozen=True, eq=False)
class HiddenStates:
    """Text encoder over the hidden states of a neural language model.

    It is for whatever takes an encoder, such as `firth.evaluate`; `model.encode(texts, pooling=...)` does the same.

    Attributes:
        model: a neural language model.
        pooling: "mean", "last", "max" or "attention", as in `NeuralLanguageModel.encode`.
        max_length: number of tokens that are read of a text.

    Raises:
        KindError: the model is no neural language model.
        OptionError: there is no such pooling.
    """

    model: NeuralLanguageModel
    pooling: str = "mean"
    max_length: int = MAX_LENGTH

    def __post_init__(self) -> None:
        check_kind("model", self.model, NeuralLanguageModel)
        check_pooling(self.pooling)

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.model.dim

    @explained
    def encode(
        self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None
    ) -> npt.NDArray[np.float32]:
        """Return one vector per text, (N, D) float32; see `NeuralLanguageModel.encode`."""
        return self.model.encode(
            texts, pooling=self.pooling, max_length=self.max_length, batch_size=batch_size, progress=progress
        )
