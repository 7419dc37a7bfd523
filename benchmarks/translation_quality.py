"""joeynmt's translator trained as long as firth's, on the same batches: BLEU on the same test set.

    python -m benchmarks.translation_quality DATA en de --peer FOLDER --minutes 20

DATA and FOLDER as for `recipes/translate.py` and `benchmarks.translation`. The model is joeynmt's LSTM with general
attention and input feeding, with the sizes, the subwords, the order of the pairs, the optimiser and the schedule of
`recipes/translate.py ... --set hidden=256 dropout=0.2 --lr 0.002`. joeynmt computes in fp32 on processors.
"""

import argparse
import time
from pathlib import Path
from types import SimpleNamespace

import sacrebleu
import torch

from benchmarks.translation import CLIP, joey_batch, joey_sources, peer_model
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.system import read_pairs
from firth.neural.models.translation.units import EOS, learn_units

SIZE, BATCH, LR, WARMUP, LONGEST = 5000, 64, 0.002, 100, 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--peer", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=20, help="of processor time")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sources, targets = lower(args, "train")
    reader = PairReader(*(learn_units(each, "subwords", SIZE) for each in (sources, targets)))
    pad = len(reader.target)
    model, search = peer_model("LSTM", reader, args.peer)
    optimiser = torch.optim.Adam(model.parameters(), LR)
    items = [reader.read(*pair) for pair in zip(sources, targets, strict=True)]
    batches = reader.batches(items, BATCH)
    start, updates, epoch, counted = time.process_time(), 0, 0, 0
    share = 0.0
    model.train()
    while share < 1:
        for batch in batches.epoch(epoch):
            share = (time.process_time() - start) / (args.minutes * 60)
            if share >= 1:
                break
            optimiser.param_groups[0]["lr"] = LR * min((updates + 1) / WARMUP, 1 - share)
            given = joey_batch(batch, pad)
            tokens = int(given["trg_mask"].sum())
            (model(return_type="loss", **given)[0] / tokens).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimiser.step()
            optimiser.zero_grad()
            updates, counted = updates + 1, counted + tokens
        epoch += 1
    print(f"{updates:,} updates, {updates / (len(items) / BATCH):.2f} epochs, {counted:,} target tokens", flush=True)
    model.eval()
    texts, references = lower(args, "test_2016_flickr")
    for beams in (1, 5):
        found = [""] * len(texts)
        for at in range(0, len(texts), BATCH):
            batch = reader.collator.sources([reader.read_source(text) for text in texts[at : at + BATCH]])
            order = batch.lengths.argsort(descending=True, stable=True).tolist()
            given = SimpleNamespace(**joey_sources(batch.ids, batch.lengths, pad), has_trg=False)
            ids = search(model, given, LONGEST, beams, 1.0)[0].tolist()
            for place, row in zip(order, ids, strict=True):
                row = row[: row.index(EOS)] if EOS in row else row
                found[at + place] = reader.target.text([reader.target.words[each] for each in row])
        score = sacrebleu.metrics.BLEU(lowercase=True)
        print(f"beam {beams}: {score.corpus_score(found, [references])} {score.get_signature()}", flush=True)


def lower(args: argparse.Namespace, name: str) -> tuple[list[str], list[str]]:
    """Return the texts of both sides in lower case."""
    pairs = read_pairs(tuple(args.data / f"{name}.{language}.gz" for language in (args.source, args.target)))
    return [text.lower() for text in pairs.sources], [text.lower() for text in pairs.targets]


if __name__ == "__main__":
    main()
