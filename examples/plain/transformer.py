"""A transformer language model of characters in one file.

    python examples/plain/transformer.py [TEXT]

Without TEXT (or with "-") it reads firth's own pages. Every position of a text predicts the next character from those
before it, all positions at once. Its vector x_t begins as that of its character and of its position, and passes through
blocks. A block has two parts, which each read x and add something to it (a residual connection):

    x = x + attention(norm(x)),     x = x + feed_forward(norm(x))

Attention fetches from earlier positions. Position t asks with a query q_t, position s answers to it with a key k_s and
gives a value v_s; each of H heads does so with D / H numbers of its own:

    q, k, v = W_in x + b_in,   w_ts = softmax_{s <= t}(q_t . k_s / sqrt(D / H)),   out_t = W_out sum_s w_ts v_s + b_out

The feed-forward network, W_2 gelu(W_1 x + b_1) + b_2, works on what was fetched, at each position by itself. The mask
s <= t keeps the future out: without it, the next character could be copied. The last x is compared with the vectors of
all characters (tied weights): p(. | w_1 ... w_t) = softmax(E norm(x_t) + d).

Source: Vaswani et al. 2017, "Attention is all you need", section 3; Radford et al. 2019, "Language models are
unsupervised multitask learners", section 2.3 (only a decoder, the norm before each part). The vectors of characters are
multiplied by sqrt(D), as Vaswani et al. do. `firth.TransformerLM` is the fast one.
"""

import math
import sys
from pathlib import Path

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """Attention and a feed-forward network, for vectors of D numbers and H heads."""

    def __init__(self, D: int, H: int) -> None:
        super().__init__()
        self.H = H
        self.attention_norm, self.ffn_norm = nn.LayerNorm(D), nn.LayerNorm(D)
        self.in_proj, self.out_proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.up_proj, self.down_proj = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x: Tensor) -> Tensor:
        """Return (B, T, D) for (B, T, D)."""
        x = x + self.attention(self.attention_norm(x))
        x = x + self.down_proj(nn.functional.gelu(self.up_proj(self.ffn_norm(x))))
        return x  # noqa: RET504  # two parts, two lines

    def attention(self, x: Tensor) -> Tensor:
        """Return what each position fetches from itself and those before it, (B, T, D)."""
        B, T, D = x.shape
        # (B, T, 3 D) into three of (B, T, D), each into (B, H, T, D / H): a head is like a row of the batch.
        q, k, v = (part.view(B, T, self.H, D // self.H).transpose(1, 2) for part in self.in_proj(x).chunk(3, 2))
        scores = q @ k.transpose(2, 3) / math.sqrt(D // self.H)  # (B, H, T, T): of query t (row) and key s (column)
        future = torch.ones(T, T, dtype=torch.bool).triu(1)  # above the diagonal: s > t
        w = scores.masked_fill(future, -torch.inf).softmax(3)
        out: Tensor = self.out_proj((w @ v).transpose(1, 2).reshape(B, T, D))
        return out


class Transformer(nn.Module):
    """The model, for V characters and texts of up to `context` of them."""

    def __init__(self, V: int, context: int, D: int = 96, H: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.context = context
        self.E = nn.Parameter(torch.randn(V, D) * 4 / D)  # small: a character's own score begins at 4 or so
        self.positions = nn.Parameter(0.1 * torch.randn(context, D))
        self.blocks = nn.ModuleList(Block(D, H) for _ in range(layers))
        self.norm = nn.LayerNorm(D)
        self.d = nn.Parameter(torch.zeros(V))

    def forward(self, ids: Tensor) -> Tensor:
        """Return (B, T, V) log-probabilities of the next characters, given (B, T) characters."""
        x = self.E[ids] * math.sqrt(self.E.shape[1]) + self.positions[: ids.shape[1]]  # (B, T, D)
        for block in self.blocks:
            x = block(x)
        scores: Tensor = self.norm(x) @ self.E.T + self.d
        return scores.log_softmax(2)

    def loss(self, ids: Tensor) -> Tensor:
        """Return the mean of -log p of (B, T + 1) characters but the first of each row, in nats."""
        log_p: Tensor = self(ids[:, :-1])
        return -log_p.gather(2, ids[:, 1:, None]).mean()

    @torch.no_grad()
    def generate(self, ids: list[int], length: int) -> list[int]:
        """Return characters with some more behind them, drawn one by one."""
        for _ in range(length):
            log_p = self(torch.tensor([ids[-self.context :]]))[0, -1]
            ids = [*ids, int(torch.multinomial(log_p.exp(), 1))]
        return ids


def train(model: Transformer, ids: Tensor, steps: int = 600, size: int = 16) -> None:
    """Train on pieces of a text, drawn at random."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.006)
    # The rate rises for 50 steps, since a transformer's first gradients are wild, and then falls as a cosine.
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / 50, 0.5 + 0.5 * math.cos(math.pi * step / steps))
    )
    total = 0.0
    for step in range(1, steps + 1):
        starts = torch.randint(max(1, len(ids) - model.context), (size,))
        loss = model.loss(torch.stack([ids[start : start + model.context + 1] for start in starts.tolist()]))
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        rate.step()
        total += loss.item()
        if step % 100 == 0:
            print(f"step {step}: loss {total / 100:.3f} nats a character")
            total = 0.0


def main(arguments: list[str]) -> None:
    """Train on a text, and write some."""
    torch.manual_seed(0)
    name, root = [*arguments, "-"][0], Path(__file__).resolve().parents[2]
    paths = [root / "README.md", *sorted(root.glob("docs/tasks/*.md"))] if name == "-" else [Path(name)]
    if not all(path.is_file() and path.stat().st_size for path in paths):
        sys.exit(f"{name}: missing or empty; expected a text in UTF-8")
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text])
    model = Transformer(len(characters), context=32)
    train(model, ids)
    print("".join(characters[i] for i in model.generate(ids[:1].tolist(), 400)))


if __name__ == "__main__":
    main(sys.argv[1:])
