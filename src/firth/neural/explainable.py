"""A neural model's answer as a function of its word embeddings: what attribution methods need (`firth.explanation`).

The embedding's output is replaced while the module runs, so that any module with an embedding can be explained. The
attention of a transformer is averaged over heads and blocks: that of the last position for a language model, the mean
over positions for an encoder. Where attention pools the states, its weights are the attention.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from firth.errors import OptionError
from firth.explanation.explanation import Floats
from firth.neural.layers.multi_head_attention import MultiHeadAttention
from firth.neural.layers.sequence_pooling import Pooling

Answer = Callable[[torch.Tensor], torch.Tensor]


class EmbeddedText:
    """A text of a neural model; implements `firth.explanation.explanation.ExplainableText`.

    Args:
        module: the module, in evaluation mode.
        embeddings: its embeddings, whose outputs are (B, T, D) for (B, T) ids; of several, a token's vector is all of
            theirs, one after the other.
        ids: (T,) the text.
        tokens: T names of the ids.
        target: the answer.
        answer: returns (B,) log-probabilities of the target for (B, T) ids, by the module.
        from_last: whether the answer comes from the last position, as that of language models.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        embeddings: Sequence[torch.nn.Module],
        ids: torch.Tensor,
        tokens: Sequence[str],
        target: str,
        answer: Answer,
        *,
        from_last: bool,
    ) -> None:
        self.tokens, self.target = tokens, target
        self._module, self._embeddings, self._ids, self._answer = module, embeddings, ids, answer
        self._from_last = from_last
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
        shortened = torch.stack(
            [torch.cat((self._ids[:position], self._ids[position + 1 :])) for position in range(count)]
        )
        if count == 1:  # nothing is left: the answer to zeros
            return self.log_prob(np.zeros_like(self.rows[None]))
        with torch.no_grad():
            return self._answer(shortened).double().cpu().numpy()

    def attention(self) -> Floats:
        """See `ExplainableText.attention`.

        Raises:
            OptionError: the model has no attention.
        """
        poolings = [part for part in self._module.modules() if isinstance(part, Pooling) and part.rows is not None]
        weights: list[torch.Tensor] = []

        def keep(pooling: torch.nn.Module, inputs: tuple[Any, ...]) -> None:
            assert isinstance(pooling, Pooling)
            weights.append(pooling.weights(*inputs)[:, :, None])  # (B, r, 1, T)

        with torch.no_grad(), contextlib.ExitStack() as stack:
            if poolings:
                for pooling in poolings:
                    stack.callback(pooling.register_forward_pre_hook(keep).remove)
            else:
                weights = stack.enter_context(_recorded_attention(self._module))
            self._answer(self._ids[None])
        if not weights:
            raise OptionError("method='attention': the model has no attention; use another method")
        rows = [table[0, :, -1] if self._from_last else table[0].mean(1) for table in weights]  # (H, T) each
        return torch.stack([row.mean(0) for row in rows]).mean(0).double().cpu().numpy()

    def _embedded(self) -> Floats:
        outputs: dict[torch.nn.Module, torch.Tensor] = {}

        def keep(module: torch.nn.Module, _inputs: Any, output: torch.Tensor) -> None:
            outputs[module] = output

        with torch.no_grad(), _hooks(self._embeddings, [keep] * len(self._embeddings)):
            self._answer(self._ids[None])
        self._widths = [outputs[embedding].shape[-1] for embedding in self._embeddings]
        return np.asarray(
            torch.cat([outputs[embedding][0] for embedding in self._embeddings], -1).double().cpu().numpy()
        )

    def _tensor(self, rows: Floats) -> torch.Tensor:
        parameter = next(self._module.parameters())
        return torch.as_tensor(rows, dtype=parameter.dtype, device=parameter.device)

    def _log_prob(self, rows: torch.Tensor) -> torch.Tensor:
        """Return (S,) log-probabilities with (S, T, D) in place of the embeddings' outputs."""
        replacements = [lambda *_, part=part: part for part in torch.split(rows, self._widths, -1)]
        with _hooks(self._embeddings, replacements):
            return self._answer(self._ids.expand(len(rows), -1))


@contextlib.contextmanager
def _hooks(modules: Sequence[torch.nn.Module], hooks: Sequence[Callable[..., Any]]) -> Iterator[None]:
    handles = [module.register_forward_hook(hook) for module, hook in zip(modules, hooks, strict=True)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def _recorded_attention(module: torch.nn.Module) -> Iterator[list[torch.Tensor]]:
    """Collect the (B, H, T, S) weights of every self-attention that runs, in order."""
    layers = [part for part in module.modules() if isinstance(part, MultiHeadAttention)]
    weights: list[torch.Tensor] = []

    def recording(layer: MultiHeadAttention) -> Callable[..., torch.Tensor]:
        attend = layer.attend

        def attend_and_record(
            queries: torch.Tensor, keys_values: torch.Tensor, *rest: Any, **options: Any
        ) -> torch.Tensor:
            everywhere = {name: value for name, value in options.items() if name != "at"}
            weights.append(layer.weights(queries, keys_values, *rest, **everywhere))
            return attend(queries, keys_values, *rest, **options)

        return attend_and_record

    for layer in layers:
        layer.attend = recording(layer)  # type: ignore[method-assign]  # until the text has been read
    try:
        yield weights
    finally:
        for layer in layers:
            del layer.attend
