"""A neural model's answer as a function of its word embeddings: what attribution methods need (`firth.explanation`).

The embedding's output is replaced while the module runs, so that any module with an embedding can be explained. The
attention of a transformer is that of the last position, averaged over heads and blocks.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from firth.errors import OptionError
from firth.explanation.explainable import Floats
from firth.neural.layers.multi_head_attention import MultiHeadAttention

Answer = Callable[[torch.Tensor], torch.Tensor]


class EmbeddedText:
    """A text of a neural model; implements `firth.explanation.explainable.ExplainableText`.

    Args:
        module: the module, in evaluation mode.
        embedding: its embedding, whose output is (B, T, D) for (B, T) ids.
        ids: (T,) the text.
        tokens: T names of the ids.
        target: the answer.
        answer: returns (B,) log-probabilities of the target for (B, T) ids, by the module.
        attention: returns (T,) weights; None for the mean over all blocks of a transformer.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        embedding: torch.nn.Module,
        ids: torch.Tensor,
        tokens: Sequence[str],
        target: str,
        answer: Answer,
        attention: Callable[[], Floats] | None = None,
    ) -> None:
        self.tokens, self.target = tokens, target
        self._module, self._embedding, self._ids, self._answer = module, embedding, ids, answer
        self._attention = attention
        self.rows = self._embedded()
        padding = len(self.rows) - len(tokens)  # before the text, in models that read a fixed number of words
        self.shares = np.eye(len(tokens))[:, np.maximum(np.arange(len(self.rows)) - padding, 0)]

    def log_prob(self, rows: Floats) -> Floats:
        """See `ExplainableText.log_prob`."""
        with torch.no_grad():
            return self._log_prob(self._tensor(rows)).double().cpu().numpy()

    def gradient(self, rows: Floats) -> Floats:
        """See `ExplainableText.gradient`."""
        with torch.enable_grad():
            inputs = self._tensor(rows).requires_grad_()
            (gradients,) = torch.autograd.grad(self._log_prob(inputs).sum(), inputs)
        return np.asarray(gradients.double().cpu().numpy())

    def log_probs_without(self) -> Floats:
        """See `ExplainableText.log_probs_without`."""
        count = len(self._ids)
        others = torch.stack([torch.cat((self._ids[:place], self._ids[place + 1 :])) for place in range(count)])
        with torch.no_grad():
            return self._answer(others).double().cpu().numpy()

    def attention(self) -> Floats:
        """See `ExplainableText.attention`.

        Raises:
            OptionError: the model has no attention.
        """
        if self._attention is not None:
            return self._attention()
        with torch.no_grad(), _recorded_attention(self._module) as weights:
            self._answer(self._ids[None])
        if not weights:
            raise OptionError("method='attention': the model has no attention; use another method")
        return torch.stack([each[0, :, -1].mean(0) for each in weights]).mean(0).double().cpu().numpy()

    def _embedded(self) -> Floats:
        outputs: list[torch.Tensor] = []
        handle = self._embedding.register_forward_hook(lambda _module, _inputs, output: outputs.append(output))
        try:
            with torch.no_grad():
                self._answer(self._ids[None])
        finally:
            handle.remove()
        return np.asarray(outputs[0][0].double().cpu().numpy())

    def _tensor(self, rows: Floats) -> torch.Tensor:
        parameter = next(self._module.parameters())
        return torch.as_tensor(rows, dtype=parameter.dtype, device=parameter.device)

    def _log_prob(self, rows: torch.Tensor) -> torch.Tensor:
        """Return (S,) log-probabilities with (S, T, D) in place of the embedding's output."""
        handle = self._embedding.register_forward_hook(lambda *_: rows)
        try:
            return self._answer(self._ids.expand(len(rows), -1))
        finally:
            handle.remove()


@contextlib.contextmanager
def _recorded_attention(module: torch.nn.Module) -> Iterator[list[torch.Tensor]]:
    """Collect the (B, H, T, S) weights of every self-attention that runs, in order."""
    layers = [each for each in module.modules() if isinstance(each, MultiHeadAttention)]
    weights: list[torch.Tensor] = []

    def recording(layer: MultiHeadAttention) -> Callable[..., torch.Tensor]:
        attend = layer.attend

        def attend_and_record(queries: torch.Tensor, keys_values: torch.Tensor, *rest: Any, **how: Any) -> torch.Tensor:
            weights.append(layer.weights(queries, keys_values, *rest, **how))
            return attend(queries, keys_values, *rest, **how)

        return attend_and_record

    for layer in layers:
        layer.attend = recording(layer)  # type: ignore[method-assign]  # until the text has been read
    try:
        yield weights
    finally:
        for layer in layers:
            del layer.attend
