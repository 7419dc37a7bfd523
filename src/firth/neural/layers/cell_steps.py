"""One forward and one backward step of each recurrent cell, for the loop in `layers.recurrence`.

What
    The element-wise arithmetic of a step. The loop computes the products with weights.
Objective
    With p = the pre-activations (W x + U h and the biases) and primes for the previous step:

        rnn     h = tanh(p)
        LSTM    i, f, o = sigma(p_i, p_f, p_o);  g = tanh(p_g);  c = f * c' + i * g;  h = o * tanh(c)
        GRU     r, z = sigma(x_r + p_r, x_z + p_z);  n = tanh(x_n + r * p_n);  h = (1 - z) * n + z * h'

    where for the GRU alone p is U h and its bias, and x is W x and its bias.
Source
    Elman 1990; Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000; Cho et al. 2014, section 2.3.
Departures
    The reset gate acts after the product with U, as in torch and cuDNN: one product then serves all three blocks.
    `derivatives` handles all steps at once, so that a backward step needs few operations.
Cost
    For the LSTM eight operations per forward step and six per backward step, on (B, H) each. In narrow layers the
    calls cost more than the arithmetic.
"""

from collections.abc import Sequence
from typing import Protocol

import torch

Tensors = Sequence[torch.Tensor]


class CellStep(Protocol):
    """The interface of a cell's arithmetic.

    Attributes:
        gates: blocks of H numbers in the pre-activations.
        tensors: number of tensors in the state; the first is the output.
        separate_input: whether the step receives W x separately from U h.
        backward_blocks: blocks of H numbers that `backward` writes.
    """

    gates: int
    tensors: int
    separate_input: bool
    backward_blocks: int

    def forward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, cache: torch.Tensor) -> None:
        """Take one forward step.

        Args:
            p: (B, G H) pre-activations; overwritten with the activations.
            x: (B, G H) W x and the biases, where they are separate.
            cache: (B, H) output, what else the backward step needs.
        """
        ...

    def derivatives(self, p: torch.Tensor, cache: torch.Tensor, before: Tensors) -> Tensors:
        """Return the factors that `backward` multiplies by, for all steps.

        Args:
            p: (T, B, G H) activations.
            cache: (T, B, H) from `forward`.
            before: (T, B, H) each, the state before each step.
        """
        ...

    def backward(self, derivatives: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one backward step.

        Args:
            d: the gradient of the state after the step.
            d_p: (B, G' H) output, the gradient of p, followed by that of x where the input is separate.

        Returns:
            Gradient of the state before the step, without the part that passes through U; None for zeros.
        """
        ...

    def input_gradient(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the gradient of W x from `backward`'s (T, B, G' H) output."""
        ...


class RnnStep:
    """Elman's cell: a hyperbolic tangent."""

    gates, tensors, separate_input = 1, 1, False
    backward_blocks = 1

    def forward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, cache: torch.Tensor) -> None:
        """Take one step, as in `CellStep.forward`."""
        torch.tanh(p, out=after[0])
        p.copy_(after[0])

    def derivatives(self, p: torch.Tensor, cache: torch.Tensor, before: Tensors) -> Tensors:
        """Return 1 - h^2, as in `CellStep.derivatives`."""
        return (through_tanh(torch.ones_like(p), p),)

    def backward(self, derivatives: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one backward step, as in `CellStep.backward`."""
        torch.mul(d[0], derivatives[0], out=d_p)
        return [None]

    def input_gradient(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the gradient of p: W x is a term of it."""
        return d_p


class LstmStep:
    """Input, forget and output gates around a cell."""

    gates, tensors, separate_input = 4, 2, False
    backward_blocks = 4

    def forward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, cache: torch.Tensor) -> None:
        """Take one step, as in `CellStep.forward`; the cache holds tanh(c)."""
        i, f, g, o = p.chunk(4, dim=1)
        p[:, : 2 * i.shape[1]].sigmoid_()
        g.tanh_()
        o.sigmoid_()
        torch.mul(f, before[1], out=after[1]).addcmul_(i, g)
        torch.tanh(after[1], out=cache)
        torch.mul(o, cache, out=after[0])

    def derivatives(self, p: torch.Tensor, cache: torch.Tensor, before: Tensors) -> Tensors:
        """Return dc/dp_ifg, dh/dp_o, dh/dc and dc/dc', as in `CellStep.derivatives`."""
        T, B, H = cache.shape
        i, f, g, o = p.view(T, B, 4, H).unbind(2)
        cell_derivatives = torch.empty(T, B, 3, H, dtype=p.dtype, device=p.device)
        through_sigmoid(g, i, out=cell_derivatives[:, :, 0])
        through_sigmoid(before[1], f, out=cell_derivatives[:, :, 1])
        through_tanh(i, g, out=cell_derivatives[:, :, 2])
        return cell_derivatives, through_sigmoid(cache, o), through_tanh(o, cache), f

    def backward(self, derivatives: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one backward step, as in `CellStep.backward`."""
        cell_derivatives, output_gate_derivatives, through_output, through_cell = derivatives
        d_h, d_c = d
        d_c = torch.addcmul(d_c, d_h, through_output)
        B, H = d_h.shape
        blocks = d_p.view(B, 4, H)
        torch.mul(cell_derivatives, d_c.unsqueeze(1), out=blocks[:, :3])
        torch.mul(output_gate_derivatives, d_h, out=blocks[:, 3])
        return [None, d_c * through_cell]

    def input_gradient(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the gradient of p: W x is a term of it."""
        return d_p


class GruStep:
    """Reset and update gates."""

    gates, tensors, separate_input = 3, 1, True
    backward_blocks = 4  # r, z, p_n and x_n

    def forward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, cache: torch.Tensor) -> None:
        """Take one step, as in `CellStep.forward`; the cache holds U_n h."""
        H = cache.shape[1]
        cache.copy_(p[:, 2 * H :])
        p[:, : 2 * H].add_(x[:, : 2 * H]).sigmoid_()
        r, z, n = p.chunk(3, dim=1)
        torch.addcmul(x[:, 2 * H :], r, cache, out=n)
        n.tanh_()
        torch.lerp(n, before[0], z, out=after[0])

    def derivatives(self, p: torch.Tensor, cache: torch.Tensor, before: Tensors) -> Tensors:
        """Return dh/d(r, z, p_n, x_n) and dh/dh', as in `CellStep.derivatives`."""
        T, B, H = cache.shape
        r, z, n = p.view(T, B, 3, H).unbind(2)
        gate_derivatives = torch.empty(T, B, 4, H, dtype=p.dtype, device=p.device)
        of_n = through_tanh(1 - z, n, out=gate_derivatives[:, :, 3])
        through_sigmoid(of_n * cache, r, out=gate_derivatives[:, :, 0])
        through_sigmoid(before[0] - n, z, out=gate_derivatives[:, :, 1])
        torch.mul(of_n, r, out=gate_derivatives[:, :, 2])
        return gate_derivatives, z

    def backward(self, derivatives: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one backward step, as in `CellStep.backward`."""
        gate_derivatives, through = derivatives
        B, H = d[0].shape
        torch.mul(gate_derivatives, d[0].unsqueeze(1), out=d_p.view(B, 4, H))
        return [d[0] * through]

    def input_gradient(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the gradients of r, z and x_n."""
        H = d_p.shape[2] // 4
        return torch.cat([d_p[..., : 2 * H], d_p[..., 3 * H :]], dim=-1)


def through_sigmoid(d: torch.Tensor, y: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return d * y * (1 - y), the gradient through y = sigma(x), in one pass."""
    out = torch.empty(d.shape, dtype=d.dtype, device=d.device) if out is None else out
    torch.ops.aten.sigmoid_backward.grad_input(d, y, grad_input=out)
    return out


def through_tanh(d: torch.Tensor, y: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return d * (1 - y^2), the gradient through y = tanh(x), in one pass."""
    out = torch.empty(d.shape, dtype=d.dtype, device=d.device) if out is None else out
    torch.ops.aten.tanh_backward.grad_input(d, y, grad_input=out)
    return out
