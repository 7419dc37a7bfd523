"""Translators beside joeynmt's models of the same sizes: target tokens a second, training and translating.

    python -m benchmarks.translation SOURCE TARGET --peer FOLDER

SOURCE and TARGET are two files with a text per line, plain or gzip. FOLDER holds the unpacked wheel of joeynmt 2.3.0
and what it imports. Both train on the same batches, with their models' own losses, and an update for each batch. Both
translate the same sources, and write as many tokens for each: its end is forbidden before, so that weights do not
matter. With --model, a trained LSTM of firth with attention and input feeding is copied into joeynmt's model, too, and
both translate texts with the same weights until they end: the job "ends". Firth also translates with candidate lists,
learned from all other pairs of the files.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

import firth
from benchmarks.turns import Contender, Job, SpeedTable
from firth.inference.generation_options import GenerationOptions
from firth.inference.search import BeamSearch
from firth.neural.models.translation.data import PairBatch, PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.system import read_pairs
from firth.neural.models.translation.translator import Translator
from firth.neural.models.translation.units import BOS, EOS, learn_units
from firth.neural.training.devices import new_module, processor_has_bf16
from firth.neural.training.optimisers import make_optimiser
from firth.readers.parallel import ParallelTexts

RESULTS = Path(__file__).parent / "results" / "translation"
PER_TOKEN, FREQUENT = 10, 500  # candidates
PAIRS, BATCH, TEXTS, LENGTH, ROUNDS = 4000, 64, 64, 20, 5
BATCHES, CLIP, LR, SMOOTHING = 10, 1.0, 0.001, 0.1
PRECISIONS = ("fp32", "bf16") if processor_has_bf16() else ("fp32",)
OPTIONS = {
    "LSTM": Translator(hidden=256, dropout=0.2),
    "transformer": Translator(
        encoder="transformer", decoder="transformer", hidden=128, layers=4, heads=4, ffn_dim=512, dropout=0.1
    ),
}
PEER = "joeynmt 2.3.0"
LEGEND = """LSTM: one layer of 256 with general attention and input feeding, a bidirectional encoder of 2 x 128, vectors
of 256. Transformer: 4 + 4 blocks of 128, 4 heads, feed-forward width 512. {words} subwords a side, label smoothing,
dropout, Adam, {batch} pairs to a batch. Translating: {texts} texts at once, {length} tokens each, or, "ends", until the
translations end, with the same trained weights in both. "Candidates": the output layer scores the {per_token} likeliest
translations of each source token and the {frequent} most frequent tokens. One thread, in processor time; contenders
take turns; a figure is the median of {rounds} rounds (least - greatest). "Ratio" is that figure to joeynmt's, the
median over rounds. Written by `python -m benchmarks.translation`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Translators: target tokens a second",
    legend=LEGEND,
    unit="tokens",
    columns={"model": "model", "job": "job", "contender": "contender"},
    other=lambda names: (*names[:2], PEER),
)


def within(precision: str) -> Any:
    """Matrix products in bfloat16, or nothing."""
    return torch.autocast("cpu", dtype=torch.bfloat16) if precision == "bf16" else nullcontext()


def ours(
    name: str,
    reader: PairReader,
    batches: Sequence[PairBatch],
    texts: Sequence[str],
    precision: str,
    pairs: ParallelTexts | None = None,
) -> list[Job]:
    """Training, greedy search and beam search as firth does them, with candidates of pairs if they are given."""
    options = OPTIONS[name]
    module = new_module(0, options.build, reader.source, reader.target)
    optimiser = make_optimiser(module, "adam", lr=LR)
    model = TranslationModel(module, options, reader)
    if pairs is not None:
        model = model.with_candidates(pairs, per_token=PER_TOKEN, frequent=FREQUENT)

    def train() -> int:
        module.train()
        for batch in batches:
            with within(precision):
                loss = module.output.loss(*module(batch)).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), CLIP)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        module.eval()
        return sum(int(batch.counted.sum()) for batch in batches)

    def translate(beams: int) -> int:
        length = GenerationOptions(min_length=LENGTH - 1, max_length=LENGTH)
        beam = BeamSearch(beams=beams, length_normalisation="wu")
        with within(precision):
            model.translate(list(texts), beam=beam, options=length, unknown="kept", batch_size=TEXTS)
        return LENGTH * len(texts)

    return [train, lambda: translate(1), lambda: translate(5)]


def peer(name: str, reader: PairReader, batches: Sequence[PairBatch], texts: Sequence[str], folder: Path) -> list[Job]:
    """Training, greedy search and beam search with joeynmt's models."""
    model, search = peer_model(name, reader, folder)
    pad = len(reader.target)
    optimiser = torch.optim.Adam(model.parameters(), LR)
    prepared = [joey_batch(batch, pad) for batch in batches]
    sources = reader.collator.sources([reader.read_source(text) for text in texts])
    given = joey_sources(sources.ids, sources.lengths, pad)

    def train() -> int:
        model.train()
        for batch in prepared:
            loss = model(return_type="loss", **batch)[0] / int(batch["trg_mask"].sum())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimiser.step()
            optimiser.zero_grad()
        model.eval()
        return sum(int(batch["trg_mask"].sum()) for batch in prepared)

    def translate(beams: int) -> int:
        batch = SimpleNamespace(**given, has_trg=False)
        search(model, batch, LENGTH, beams, 0.6, min_output_length=LENGTH)
        return LENGTH * len(texts)

    return [train, lambda: translate(1), lambda: translate(5)]


def peer_model(name: str, reader: PairReader, folder: Path) -> tuple[Any, Any]:
    """Return joeynmt's model of the same sizes with its loss, and its search."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    from joeynmt.model import build_model  # type: ignore[import-not-found]  # not in the environment
    from joeynmt.search import search  # type: ignore[import-not-found]  # not in the environment

    pad = len(reader.target)
    model = build_model(sizes(name), words(len(reader.source), pad), words(len(reader.target), pad))
    model.loss_function = ("crossentropy", SMOOTHING)
    return model, search


def ending(model: TranslationModel, pairs: ParallelTexts, folder: Path) -> Iterator[Contender]:
    """Greedy search and beam search with the same weights in both, until translations end."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    from joeynmt.model import build_model  # type: ignore[import-not-found]  # not in the environment
    from joeynmt.search import search  # type: ignore[import-not-found]  # not in the environment

    known, texts = pairs.sources[: -TEXTS * 4], list(pairs.sources[-TEXTS * 4 :])
    chosen = model.with_candidates(
        list(zip(known, pairs.targets[: len(known)], strict=True)), per_token=PER_TOKEN, frequent=FREQUENT
    )
    pad = len(model.target)
    other = build_model(
        sizes("LSTM", model.options.hidden, model.options.dim), words(len(model.source), pad), words(pad, pad)
    ).eval()
    copy_weights(model.module, other)
    longest = max(len(model.source.split(text)) for text in texts) * 2
    batches = [texts[at : at + TEXTS] for at in range(0, len(texts), TEXTS)]

    def theirs(beams: int) -> list[list[int]]:
        found = []
        for batch in batches:
            sources = model.collator.sources([model.reader.read_source(text) for text in batch])
            given = joey_sources(sources.ids, sources.lengths, pad)
            ids = search(other, SimpleNamespace(**given, has_trg=False), longest, beams, 0.6)[0]
            order = sources.lengths.argsort(descending=True, stable=True).argsort()
            found += [row[: row.index(EOS)] if EOS in row else row for row in ids[order.numpy()].tolist()]
        return found

    def ours(beams: int, precision: str = "fp32", system: TranslationModel = model) -> list[list[int]]:
        beam = BeamSearch(beams=beams, length_normalisation="wu")
        length = GenerationOptions(min_length=1, max_length=longest)
        with within(precision):
            found = system.translate(texts, beam=beam, options=length, unknown="kept", batch_size=TEXTS)
        return [model.target.ids(each.tokens).tolist() for each in found]

    for name, beams in (("greedy, ends", 1), ("beam 5, ends", 5)):
        mine, other_ids = ours(beams), theirs(beams)
        same = statistics.mean(one == two for one, two in zip(mine, other_ids, strict=True))
        print(f"{name}: {same:.1%} of the translations are the same")
        kept = statistics.mean(one == two for one, two in zip(mine, ours(beams, system=chosen), strict=True))
        print(f"{name}: {kept:.1%} are the same with candidates")
        tokens = sum(len(each) + 1 for each in mine)
        for precision in PRECISIONS:
            job = lambda n=beams, p=precision, t=tokens: (ours(n, p), t)[1]  # noqa: E731
            yield Contender(("LSTM", name, f"firth, {precision}"), job)
        within_lists = lambda n=beams, t=tokens: (ours(n, system=chosen), t)[1]  # noqa: E731
        yield Contender(("LSTM", name, f"firth, {PRECISIONS[0]}, candidates"), within_lists)
        yield Contender(("LSTM", name, PEER), lambda n=beams, t=tokens: (theirs(n), t)[1])


@torch.no_grad()
def copy_weights(module: Any, other: Any) -> None:
    """Copy an LSTM with general attention and input feeding into joeynmt's model, with firth's first state."""
    layer = module.decoder.decoder.stack.layers[0]
    for embedding, theirs in ((module.source_embedding, other.src_embed), (module.target_embedding, other.trg_embed)):
        theirs.lut.weight[: len(embedding.weight)] = embedding.weight
    both = module.encoder.stack.layers[0]
    for ours, end in ((both.forward_layer, ""), (both.backward_layer, "_reverse")):
        copy_lstm(ours, other.encoder.rnn, f"_l0{end}")
    copy_lstm(layer, other.decoder.rnn, "_l0")
    other.decoder.attention.key_layer.weight.copy_(module.decoder.decoder.attention.weight)
    combine, M = module.decoder.decoder.combine.weight, module.encoder.width  # ours reads the context first
    other.decoder.att_vector_layer.weight.copy_(torch.cat([combine[:, M:], combine[:, :M]], 1))
    other.decoder.att_vector_layer.bias.zero_()
    output = torch.nn.Linear(module.output.width, len(other.trg_embed.lut.weight))
    output.weight[:-1], output.bias[:-1], output.bias[-1] = module.output.weight, module.output.bias, -1e9
    other.decoder.output_layer = output
    bridge = module.decoder.bridge
    other.decoder._init_hidden = lambda last: tuple(torch.tanh(bridge(last))[None].chunk(2, 2))


def copy_lstm(ours: Any, theirs: Any, end: str) -> None:
    """Copy the parameters of one layer in one direction."""
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        getattr(theirs, name + end).copy_(getattr(ours, name))


def words(count: int, pad: int) -> Any:
    """What joeynmt asks of a vocabulary: firth's ids, and one for padding."""

    class Words(SimpleNamespace):
        def __len__(self) -> int:
            return max(count, pad) + 1

        def lookup(self, word: str) -> int:
            return 0

    return Words(pad_index=pad, bos_index=BOS, eos_index=EOS, unk_index=0, sep_index=None, specials=[], lang_tags=[])


def sizes(name: str, hidden: int = 256, dim: int | None = None) -> dict[str, Any]:
    """The configuration of joeynmt for the same sizes."""
    if name == "LSTM":
        vectors = {"embeddings": {"embedding_dim": dim or hidden, "dropout": 0.2}, "dropout": 0.2, "num_layers": 1}
        encoder = {"rnn_type": "lstm", "hidden_size": hidden // 2, "bidirectional": True, "type": "recurrent"}
        decoder = {"rnn_type": "lstm", "hidden_size": hidden, "attention": "luong", "type": "recurrent"}
        fed = {"input_feeding": True, "init_hidden": "bridge", "hidden_dropout": 0.2}
        return {"encoder": {**vectors, **encoder}, "decoder": {**vectors, **decoder, **fed}}
    one = {
        "type": "transformer", "num_layers": 4, "num_heads": 4, "hidden_size": 128, "ff_size": 512, "dropout": 0.1,
        "layer_norm": "pre", "embeddings": {"embedding_dim": 128, "scale": True, "dropout": 0.1},
    }  # fmt: skip
    return {"encoder": one, "decoder": one}


def joey_sources(ids: torch.Tensor, lengths: torch.Tensor, pad: int) -> dict[str, torch.Tensor]:
    """Sources, longest first."""
    order = lengths.argsort(descending=True, stable=True)
    inside = torch.arange(ids.shape[1]) < lengths[order, None]
    return {
        "src": ids[order].masked_fill(~inside, pad), "src_length": lengths[order], "src_mask": inside[:, None],
    }  # fmt: skip


def joey_batch(batch: PairBatch, pad: int) -> dict[str, torch.Tensor]:
    """A batch as joeynmt reads it."""
    order = batch.sources.lengths.argsort(descending=True, stable=True)
    counted = batch.counted[order]
    targets = batch.targets[order].masked_fill(~counted, pad)
    before = torch.cat([torch.full_like(targets[:, :1], BOS), targets[:, :-1]], 1)
    sources = joey_sources(batch.sources.ids, batch.sources.lengths, pad)
    return {**sources, "trg_input": before, "trg": targets, "trg_mask": counted[:, None]}


def contenders(source: Path, target: Path, size: int, folder: Path | None) -> Iterator[Contender]:
    """What runs, by model and job."""
    pairs = read_pairs((source, target))
    sources, targets = pairs.sources[:PAIRS], pairs.targets[:PAIRS]
    reader = PairReader(*(learn_units(each, "subwords", size) for each in (sources, targets)))
    items = [reader.read(*pair) for pair in zip(sources, targets, strict=True)]
    batches = list(reader.batches(items, BATCH).epoch(0))[:BATCHES]
    for name in OPTIONS:
        jobs = {
            f"firth, {precision}": ours(name, reader, batches, sources[:TEXTS], precision) for precision in PRECISIONS
        }
        chosen = ours(name, reader, batches, sources[:TEXTS], PRECISIONS[0], pairs)
        if folder is not None:
            jobs[PEER] = peer(name, reader, batches, sources[:TEXTS], folder)
        for number, job in enumerate(("training", "greedy", "beam 5")):
            for contender, several in jobs.items():
                yield Contender((name, job, contender), several[number])
            if number:
                yield Contender((name, job, f"firth, {PRECISIONS[0]}, candidates"), chosen[number])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--peer", type=Path)
    parser.add_argument("--model", type=Path, help="a trained LSTM with attention and input feeding")
    parser.add_argument("--only-ends", action="store_true", help="only the searches with --model")
    parser.add_argument("--size", type=int, default=8000, help="subwords of each side")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    file = args.output / "speed.jsonl"
    shown = {
        "per_token": PER_TOKEN,
        "frequent": FREQUENT,
        "words": args.size,
        "batch": BATCH,
        "texts": TEXTS,
        "length": LENGTH,
        "rounds": args.rounds,
    }
    TABLE.begin(file, shown, torch=torch.__version__)
    jobs = [] if args.only_ends else list(contenders(args.source, args.target, args.size, args.peer))
    if args.model is not None:
        jobs += ending(firth.load(args.model), read_pairs((args.source, args.target)), args.peer)
    TABLE.measure(jobs, args.rounds, file)
    (args.output / "speed.md").write_text(TABLE.markdown(file), encoding="utf-8")


if __name__ == "__main__":
    main()
