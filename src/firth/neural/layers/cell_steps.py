"""One step of each recurrent cell onward and back, for the loop of `layers.recurrence`.

What
    The arithmetic of a step, number by number, without the products with weights, which the loop does.
Objective
    With p = the pre-activations (what the input gives plus U h and biases) and primes for the step before:

        rnn     h = tanh(p)
        LSTM    i, f, o = sigma(p_i, p_f, p_o);  g = tanh(p_g);  c = f * c' + i * g;  h = o * tanh(c)
        GRU     r, z = sigma(x_r + p_r, x_z + p_z);  n = tanh(x_n + r * p_n);  h = (1 - z) * n + z * h'

    where for the GRU alone p is U h and its bias, and x is what the input gives.
Source
    Elman 1990; Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000; Cho et al. 2014, section 2.3.
Departures
    The reset gate acts after the product with U, as in torch and cuDNN: that product is then one for all three blocks.
    Derivatives are multiplied out over all steps at once (`slopes`), so that a step back is few operations.
Cost
    Eight operations a step onward and six back for the LSTM, on (B, H) each: for narrow layers their calls cost more
    than their arithmetic.
"""

from collections.abc import Sequence
from typing import Protocol

import torch

Tensors = Sequence[torch.Tensor]


class Steps(Protocol):
    """What the loop asks of a cell.

    Attributes:
        gates: blocks of H numbers in the pre-activations.
        tensors: of a state; the first is the output.
        apart: whether the step takes what the input gives apart from U h.
        written: blocks that `back` writes.
    """

    gates: int
    tensors: int
    apart: bool
    written: int

    def onward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, kept: torch.Tensor) -> None:
        """Take one step.

        Args:
            p: (B, G H) pre-activations; activations afterwards.
            x: (B, G H) what the input gives, where it is apart.
            before: the state.
            after: written, the next one.
            kept: (B, H) written, whatever else the way back needs.
        """
        ...

    def slopes(self, p: torch.Tensor, kept: torch.Tensor, before: Tensors) -> Tensors:
        """Return the derivatives of all steps that `back` multiplies by.

        Args:
            p: (T, B, G H) activations.
            kept: (T, B, H) as `onward` left it.
            before: (T, B, H) each, the states that steps began with.
        """
        ...

    def back(self, slopes: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one step back.

        Args:
            slopes: of this step.
            d: the gradient of the state after the step.
            d_p: (B, G' H) written, the gradient of p and, where the input is apart, of x behind it.

        Returns:
            the gradient of the state before, but for what comes through U; None for zeros.
        """
        ...

    def of_input(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the gradient of what the input gives.

        Args:
            d_p: (T, B, G' H) as `back` wrote it.
        """
        ...


class RnnSteps:
    """A hyperbolic tangent."""

    gates, tensors, apart = 1, 1, False
    written = 1

    def onward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, kept: torch.Tensor) -> None:
        """Take one step, as in `Steps.onward`."""
        torch.tanh(p, out=after[0])
        p.copy_(after[0])

    def slopes(self, p: torch.Tensor, kept: torch.Tensor, before: Tensors) -> Tensors:
        """Return 1 - h^2, as in `Steps.slopes`."""
        return (_through_tanh(torch.ones_like(p), p),)

    def back(self, slopes: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one step back, as in `Steps.back`."""
        torch.mul(d[0], slopes[0], out=d_p)
        return [None]

    def of_input(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the same gradient, for the input is added."""
        return d_p


class LstmSteps:
    """Input, forget and output gate around a cell."""

    gates, tensors, apart = 4, 2, False
    written = 4

    def onward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, kept: torch.Tensor) -> None:
        """Take one step, as in `Steps.onward`; tanh(c) is kept."""
        i, f, g, o = p.chunk(4, dim=1)
        p[:, : 2 * i.shape[1]].sigmoid_()
        g.tanh_()
        o.sigmoid_()
        torch.mul(f, before[1], out=after[1]).addcmul_(i, g)
        torch.tanh(after[1], out=kept)
        torch.mul(o, kept, out=after[0])

    def slopes(self, p: torch.Tensor, kept: torch.Tensor, before: Tensors) -> Tensors:
        """Return dc/dp_ifg, dh/dp_o, dh/dc and dc/dc', as in `Steps.slopes`."""
        T, B, H = kept.shape
        i, f, g, o = p.view(T, B, 4, H).unbind(2)
        of_cell = torch.empty(T, B, 3, H, dtype=p.dtype, device=p.device)
        _through_sigmoid(g, i, out=of_cell[:, :, 0])
        _through_sigmoid(before[1], f, out=of_cell[:, :, 1])
        _through_tanh(i, g, out=of_cell[:, :, 2])
        return of_cell, _through_sigmoid(kept, o), _through_tanh(o, kept), f

    def back(self, slopes: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one step back, as in `Steps.back`."""
        of_cell, of_gate, through_output, through_cell = slopes
        d_h, d_c = d
        d_c = torch.addcmul(d_c, d_h, through_output)
        B, H = d_h.shape
        blocks = d_p.view(B, 4, H)
        torch.mul(of_cell, d_c.unsqueeze(1), out=blocks[:, :3])
        torch.mul(of_gate, d_h, out=blocks[:, 3])
        return [None, d_c * through_cell]

    def of_input(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the same gradient, for the input is added."""
        return d_p


class GruSteps:
    """Reset and update gate."""

    gates, tensors, apart = 3, 1, True
    written = 4  # r, z and n before r, then n behind it: what the input's own n has

    def onward(self, p: torch.Tensor, x: torch.Tensor, before: Tensors, after: Tensors, kept: torch.Tensor) -> None:
        """Take one step, as in `Steps.onward`; U_n h is kept."""
        H = kept.shape[1]
        kept.copy_(p[:, 2 * H :])
        p[:, : 2 * H].add_(x[:, : 2 * H]).sigmoid_()
        r, z, n = p.chunk(3, dim=1)
        torch.addcmul(x[:, 2 * H :], r, kept, out=n)
        n.tanh_()
        torch.lerp(n, before[0], z, out=after[0])

    def slopes(self, p: torch.Tensor, kept: torch.Tensor, before: Tensors) -> Tensors:
        """Return dh/d(r, z, p_n, x_n) and dh/dh', as in `Steps.slopes`."""
        T, B, H = kept.shape
        r, z, n = p.view(T, B, 3, H).unbind(2)
        of_gates = torch.empty(T, B, 4, H, dtype=p.dtype, device=p.device)
        of_n = _through_tanh(1 - z, n, out=of_gates[:, :, 3])
        _through_sigmoid(of_n * kept, r, out=of_gates[:, :, 0])
        _through_sigmoid(before[0] - n, z, out=of_gates[:, :, 1])
        torch.mul(of_n, r, out=of_gates[:, :, 2])
        return of_gates, z

    def back(self, slopes: Tensors, d: list[torch.Tensor], d_p: torch.Tensor) -> list[torch.Tensor | None]:
        """Take one step back, as in `Steps.back`."""
        of_gates, through = slopes
        B, H = d[0].shape
        torch.mul(of_gates, d[0].unsqueeze(1), out=d_p.view(B, 4, H))
        return [d[0] * through]

    def of_input(self, d_p: torch.Tensor) -> torch.Tensor:
        """Return the gradient with that of x_n in the place of that of p_n."""
        H = d_p.shape[2] // 4
        return torch.cat([d_p[..., : 2 * H], d_p[..., 3 * H :]], dim=-1)


def _through_sigmoid(d: torch.Tensor, y: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return d * y * (1 - y), in one pass."""
    out = torch.empty(d.shape, dtype=d.dtype, device=d.device) if out is None else out
    torch.ops.aten.sigmoid_backward.grad_input(d, y, grad_input=out)
    return out


def _through_tanh(d: torch.Tensor, y: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """Return d * (1 - y^2), in one pass."""
    out = torch.empty(d.shape, dtype=d.dtype, device=d.device) if out is None else out
    torch.ops.aten.tanh_backward.grad_input(d, y, grad_input=out)
    return out
