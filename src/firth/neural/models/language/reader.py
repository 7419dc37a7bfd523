"""A text as a module reads it, in batches: for training, for judging, for the contexts of words."""

from typing import Any

import torch

from firth.language.text import LanguageText
from firth.neural.layers.state import State
from firth.neural.models.language.module import LanguageModule
from firth.neural.training.stream import TextBatch, TextStream


class TextReader:
    """A module and a text in parallel streams.

    Args:
        module: that reads.
        text: what it reads.
        options: of `TextStream`: how many streams, how many steps.

    Attributes:
        stream: the text's batches.
    """

    def __init__(self, module: LanguageModule, text: LanguageText, **options: Any) -> None:
        inputs, self._unknown = module.inputs_of(text)
        self.stream = TextStream(ids=text.ids, inputs=inputs, before=module.begin, **options)
        self._module = module

    def hidden(self, batch: TextBatch, state: State) -> tuple[torch.Tensor, State]:
        """Return (B, T, D) what the module knows after each input of a batch, and its state after the last.

        Args:
            batch: of the stream, on the module's device.
            state: after the batch before, or None.
        """
        if self._unknown is not None:
            self._unknown = self._unknown.to(batch.inputs.device)
        hidden, state = self._module(batch.inputs, state, self._unknown)
        return hidden, state
