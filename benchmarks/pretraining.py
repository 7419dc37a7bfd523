"""Pretraining and encoding beside Hugging Face's `BertForMaskedLM` of the same size: word pieces a second.

    python -m benchmarks.pretraining TEXT [--peer FOLDER]

TEXT is a file with a text per line. FOLDER holds the unpacked wheel of transformers, where it is not installed. Both
train on the same windows of full length in the same batches, with dropout and AdamW (fused), an update for each batch:
firth by its own objective, the peer by the model's own loss over masks drawn as `DataCollatorForLanguageModeling` draws
them. Both encode the same sentences of mixed length with the same weights, as means of states: firth by `encode`, the
peer with its tokenizer and batches of 32 texts in the order of the file, padded to their longest.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch

import firth
from benchmarks.turns import Contender, Job, SpeedTable
from firth.neural.models.pretraining.data import PieceText, Windows
from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
from firth.neural.training.devices import new_parameters
from firth.neural.training.optimisers import make_optimiser

RESULTS = Path(__file__).parent / "results" / "pretraining"
SIZE, LENGTH, BATCH, BATCHES, ROUNDS = 8000, 128, 64, 4, 5
SENTENCES, PEER_BATCH, LR, CLIP = 1000, 32, 0.001, 1.0
MODELS = {
    "masked": firth.MaskedLM(dim=256, layers=4, heads=4, max_length=LENGTH),
    "electra": firth.Electra(dim=256, layers=4, heads=4, max_length=LENGTH),
    "coco": firth.CocoLM(dim=256, layers=4, heads=4, max_length=LENGTH),
}
LEGEND = """4 blocks of 256, 4 heads, {size} word pieces, windows of {length}, {batch} to a batch; {sentences}
sentences of mixed length to encode. One thread, in processor time; contenders take turns; a figure is the median of
{rounds} rounds (least - greatest). "Ratio" is that figure to the peer's in the same precision, the median over rounds.
Written by `python -m benchmarks.pretraining`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Pretraining and encoding: word pieces a second",
    legend=LEGEND,
    unit="pieces",
    columns={"model": "model", "job": "job", "contender": "contender"},
    other=lambda names: ("masked", names[1], f"transformers, {names[2][-4:]}"),
)


def within(precision: str) -> Any:
    """Matrix products in bfloat16, or nothing."""
    return torch.autocast("cpu", dtype=torch.bfloat16) if precision == "bf16" else nullcontext()


def ours(name: str, text: PieceText, precision: str) -> Job:
    """Updates of an objective of firth."""
    options = MODELS[name]
    with new_parameters(0):
        module = options.build_objective(options.config(text.pieces), text.pieces)
    optimiser = make_optimiser(module, "adamw", lr=LR, weight_decay=0.01)
    batches = batches_of(text)

    def train() -> int:
        for ids in batches:
            with within(precision):
                loss, _ = module.loss(ids)
            update(module, optimiser, loss)
        return sum(ids.numel() for ids in batches)

    return train


def theirs(text: PieceText, precision: str) -> Job:
    """Updates of the peer's model, whose loss needs the scores of all positions."""
    model = peer_model(text)
    optimiser = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=0.01, fused=True)
    batches = batches_of(text)
    special = torch.from_numpy(text.pieces.special)

    def train() -> int:
        for ids in batches:
            inputs, labels = masked(ids, special, text.pieces.mask_id, len(text.pieces))
            with within(precision):
                loss = model(input_ids=inputs, labels=labels).loss
            update(model, optimiser, loss)
        return sum(ids.numel() for ids in batches)

    return train


def peer_model(text: PieceText) -> Any:
    """A masked language model of the peer, of the same size."""
    from transformers import BertConfig, BertForMaskedLM  # type: ignore[import-not-found]  # not installed

    config = BertConfig(
        vocab_size=len(text.pieces), hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
        intermediate_size=1024, max_position_embeddings=LENGTH,
    )  # fmt: skip
    return BertForMaskedLM(config).train()


def masked(ids: torch.Tensor, special: torch.Tensor, mask: int, words: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and labels as the peer's collator makes them."""
    chance = torch.full(ids.shape, 0.15).masked_fill(torch.isin(ids, special), 0.0)
    hidden = torch.bernoulli(chance).bool()
    labels = ids.masked_fill(~hidden, -100)
    replaced = torch.bernoulli(torch.full(ids.shape, 0.8)).bool() & hidden
    swapped = torch.bernoulli(torch.full(ids.shape, 0.5)).bool() & hidden & ~replaced
    inputs = ids.masked_fill(replaced, mask)
    return torch.where(swapped, torch.randint(words, ids.shape), inputs), labels


def update(module: torch.nn.Module, optimiser: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    """Make one update."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(module.parameters(), CLIP)
    optimiser.step()


def batches_of(text: PieceText) -> list[torch.Tensor]:
    """The first batches of an epoch."""
    windows = Windows(text=text, length=LENGTH, batch_size=BATCH)
    return [batch.ids for batch, _ in zip(windows.epoch(0), range(BATCHES), strict=False)]


def encoding(text: PieceText, lines: Sequence[str], peer: bool) -> Iterator[Contender]:
    """Both encode the same sentences with the same weights."""
    options = MODELS["masked"]
    with new_parameters(0):
        objective = options.build_objective(options.config(text.pieces), text.pieces)
    encoder = PretrainedEncoder(objective.encoder, text.pieces, "bert", objective.head)
    pieces = sum(len(row) for row in encoder.rows_of(lines))
    yield Contender(("masked", "encoding", "firth, fp32"), lambda: (encoder.encode(lines, progress=False), pieces)[1])
    if not peer:
        return
    from transformers import AutoModel, AutoTokenizer

    with tempfile.TemporaryDirectory() as folder:
        encoder.save(folder)
        model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)

    @torch.no_grad()
    def vectors() -> np.ndarray[Any, Any]:
        rows = []
        for first in range(0, len(lines), PEER_BATCH):
            how = {"padding": True, "truncation": True, "max_length": LENGTH, "return_tensors": "pt"}
            batch = tokenizer(list(lines[first : first + PEER_BATCH]), **how)
            states, inside = model(**batch).last_hidden_state, batch["attention_mask"].unsqueeze(-1)
            rows.append(((states * inside).sum(1) / inside.sum(1)).numpy())
        return np.concatenate(rows)

    vectors()
    yield Contender(("masked", "encoding", "transformers, fp32"), lambda: (vectors(), pieces)[1])


def contenders(path: Path, peer: bool) -> Iterator[Contender]:
    """What runs, by model and job."""
    corpus = firth.Corpus.build(path, tokens="wordpieces", max_size=SIZE, progress=False)
    text = PieceText.of(corpus)
    for precision in ("fp32", "bf16"):
        for name in MODELS:
            yield Contender((name, "pretraining", f"firth, {precision}"), ours(name, text, precision))
        if peer:
            yield Contender(("masked", "pretraining", f"transformers, {precision}"), theirs(text, precision))
    lines = [line.strip()[:600] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    random = np.random.default_rng(0)
    chosen = [lines[i] for i in random.permutation(len(lines))[:SENTENCES]]
    cut = [line[: int(length)] for line, length in zip(chosen, random.integers(20, 400, len(chosen)), strict=True)]
    yield from encoding(text, cut, peer)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--peer", type=Path, help="folder of the unpacked wheel; default: the installed package")
    parser.add_argument("--alone", action="store_true", help="without the peer")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    if args.peer is not None:
        sys.path.insert(0, str(args.peer))
    torch.set_num_threads(1)
    file = args.output / "speed.jsonl"
    shown = {"size": SIZE, "length": LENGTH, "batch": BATCH, "sentences": SENTENCES, "rounds": args.rounds}
    TABLE.begin(file, shown, torch=torch.__version__)
    TABLE.measure(contenders(args.text, not args.alone), args.rounds, file)
    (args.output / "speed.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
