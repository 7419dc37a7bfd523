"""How well replaced pieces can be told from originals: what ELECTRA's discriminator may reach.

A share of the pieces of some windows is replaced by samples of the generator p_G, a masked language model. Another one,
the detector p_D, stands for the text's own distribution. Both read windows with pieces hidden, a sixteenth at a time.
The figures are areas under the ROC curve of replaced pieces, for these scores of a piece x:

    seen      -log p_D(x) with the piece not hidden from the detector
    hidden    -log p_D(x)
    ratio     log p_G(x) - log p_D(x)
    best      log p_G(x) (1 - p_D(x)) - log p_D(x) (1 - r + r p_G(x)), with r the share of pieces that are sampled

The last is the likelihood ratio of ELECTRA's labels, where a sample that happens to be the original counts as an
original: by Neyman and Pearson no score of a piece in its context has a larger area, as far as p_G and p_D are the
distributions that pieces come from. A detector that predicts better than p_D would tell more.

    python -m benchmarks.replaced_pieces GENERATOR DETECTOR TEXT
"""

import argparse
import json
from pathlib import Path

import torch

import firth
from firth.neural.models.pretraining.train import auc

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
    turn = torch.randint(TURNS, ids.shape).masked_fill(~ordinary, -1)
    log_g, log_d = (_hidden_log_probs(model, corrupted, turn)[ordinary] for model in (generator, detector))
    scores = {"seen": seen, "hidden": -log_d, "ratio": log_g - log_d, "best": likelihood_ratio(log_g, log_d)}
    return {
        "windows": windows, "generator_loss": round(loss, 4), "replaced": round(replaced.mean().item(), 4),
        **{f"auc_{name}": round(auc(each.double(), replaced), 4) for name, each in scores.items()},
    }  # fmt: skip


def likelihood_ratio(log_g, log_d, rate=RATE):
    """Return the log-likelihood ratio of "replaced" to "original" for pieces with such log-probabilities.

    A sample x stands in place of the original o with probability `rate`. A piece is replaced if x differs from o:
    rate p_G(x) (1 - p_D(x)). Otherwise it is o, kept or sampled: p_D(x) (1 - rate + rate p_G(x)). The factor `rate`
    alone changes no order and is left out.
    """
    log_g, log_d = log_g.double(), log_d.double()
    p_g, p_d = log_g.exp(), log_d.exp().clamp(max=1 - 1e-12)
    return log_g + torch.log1p(-p_d) - log_d - torch.log1p(rate * (p_g - 1))


def _hidden_log_probs(model, ids, turn):
    """Return the (B, T) log-probability of each piece, hidden with those of the same turn; 0 for those of turn -1."""
    found = torch.zeros(ids.shape)
    for number in range(TURNS):
        at = turn == number
        log_probs = _log_probs(model, ids.masked_fill(at, model.pieces.mask_id), at)
        found[at] = log_probs.gather(1, ids[at][:, None])[:, 0].float()
    return found


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
