"""How well a masked language model tells samples of another one from originals: what ELECTRA's discriminator may reach.

A share of the pieces of some windows is replaced by samples of the generator. The detector's score of a piece is its
negative log-probability, with the piece hidden from it (a sixteenth at a time) and without. The figure is the area
under the ROC curve of replaced pieces.

    python -m benchmarks.replaced_pieces GENERATOR DETECTOR TEXT
"""

import argparse
import json
from pathlib import Path

import torch

import firth
from firth.neural.models.pretraining.task import auc

RATE = 0.15  # of replaced pieces
TURNS = 16  # in each, other pieces are hidden


def areas(generator, detector, text, *, windows=64, length=128, seed=0):
    """Return the figures of a pair of masked language models with the same pieces."""
    if generator.pieces != detector.pieces:
        raise SystemExit("the two encoders have other word pieces; expected the same")
    torch.manual_seed(seed)
    pieces = generator.pieces
    lines = [line for line in text.splitlines() if len(line) > 300]
    stream = torch.tensor([piece for row in pieces.encode(lines) for piece in row])
    windows = min(windows, len(stream) // (length - 2))
    body = stream[: windows * (length - 2)].view(windows, length - 2)
    ends = torch.tensor([[pieces.cls_id, pieces.sep_id]]).expand(windows, 2)
    ids = torch.cat((ends[:, :1], body, ends[:, 1:]), 1)
    special = torch.zeros(len(pieces), dtype=torch.bool)
    special[torch.from_numpy(pieces.special)] = True
    ordinary = ~special[ids]
    hidden = (torch.rand(ids.shape) < RATE) & ordinary
    guesses = _log_probs(generator, ids.masked_fill(hidden, pieces.mask_id), hidden)
    loss = -guesses.gather(1, ids[hidden][:, None]).mean().item()
    sampled = torch.multinomial(guesses.masked_fill(special, -torch.inf).exp(), 1)[:, 0]
    corrupted = ids.clone()
    corrupted[hidden] = sampled
    replaced = (corrupted != ids)[ordinary].double()
    seen = -_log_probs(detector, corrupted, ordinary).gather(1, corrupted[ordinary][:, None])[:, 0]
    unseen, turn = torch.zeros(ids.shape), torch.randint(TURNS, ids.shape)
    for number in range(TURNS):
        at = (turn == number) & ordinary
        log_probs = _log_probs(detector, corrupted.masked_fill(at, pieces.mask_id), at)
        unseen[at] = -log_probs.gather(1, corrupted[at][:, None])[:, 0]
    return {
        "windows": windows, "generator_loss": round(loss, 4), "replaced": round(replaced.mean().item(), 4),
        "auc_seen": round(auc(seen.double(), replaced), 4),
        "auc_hidden": round(auc(unseen[ordinary].double(), replaced), 4),
    }  # fmt: skip


@torch.no_grad()
def _log_probs(model, ids, at):
    return model.head.output.log_prob(model.head(model.module(ids, at=at)))[:, : len(model.pieces)]


def main(arguments=None):
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("generator")
    parser.add_argument("detector")
    parser.add_argument("text", type=Path)
    args = parser.parse_args(arguments)
    text = args.text.read_text(encoding="utf-8")[:400_000]
    print(json.dumps(areas(firth.load(args.generator), firth.load(args.detector), text)))


if __name__ == "__main__":
    main()
