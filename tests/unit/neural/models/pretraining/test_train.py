"""Training: the same bits for a seed, resumed runs, starts, bad input."""

import contextlib
import dataclasses
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from firth.neural.models.pretraining import train
from firth.neural.models.pretraining.data import PieceText
from tests.unit.neural.models.pretraining.encoders import MODELS, NETWORK, pieces, trained, training
from tests.unit.neural.models.sentences.encoders import sentences


class StopError(Exception):
    """Ends a run as a kill would, right after an evaluation."""


@pytest.fixture
def given(monkeypatch):
    """Arguments of the loop, by call, without training."""
    calls = []
    trained("masked")  # it is kept for other tests, and has to be trained

    def fit_model(task, options, config, data, *, facts):
        calls.append(SimpleNamespace(task=task, options=options, data=data, facts=facts))
        return {}

    def task(*arguments):
        made = pretraining_task(*arguments)
        made.held_out = arguments[2]
        return made

    pretraining_task = train.pretraining_task
    monkeypatch.setattr(train, "pretraining_task", task)
    monkeypatch.setattr(train, "fit_model", fit_model)
    return calls


def begun(options, lines, **how):
    """Read and build, for the loop of the fixture `given`."""
    return options.train(
        lines, training=training(epochs=1, batch_size=4), progress=False, **{"tokens": pieces(), **how}
    )


def test_text_and_held_out_text_as_the_loop_gets_them(given):
    lines = sentences(60)
    begun(firth.MaskedLM(**NETWORK), lines, seed=5)
    begun(
        firth.MaskedLM(**NETWORK), ["A cat. The dog. It eats."], held_out=["A dog. The cat."], sentences="punctuation"
    )
    first, second = given
    whole = [piece for row in pieces().encode(lines) for piece in (*row, pieces().sep_id)]
    text, aside = first.task.batches.text, first.task.held_out.text
    assert [*text.ids.tolist(), *aside.ids.tolist()] == whole
    assert len(aside.ids) > 0
    assert (first.task.batches.seed, first.task.batches.batch_size, first.task.batches.length) == (5, 4, 24)
    assert (first.task.held_out.shuffle, first.task.held_out.length) == (False, 24)
    assert first.facts == {
        "pieces": len(pieces()), "tokens": len(text.ids), "texts": 60, "held_out_tokens": len(aside.ids),
        **text.unigram(aside),
    }  # fmt: skip
    assert (second.facts["texts"], second.task.held_out.text.texts) == (3, 2)
    begun(firth.Electra(**NETWORK, embedding_dim=8, mask_rate=0.5), lines)
    chance = 0.5 * (1 - (given[2].task.batches.text.shares ** 2).sum())
    assert given[2].task.module.head.score.bias.item() == pytest.approx(np.log(chance / (1 - chance)), rel=1e-5)


def test_pieces_that_occur_once_are_kept(given):
    """In a text so long that rare words of a corpus are left out otherwise."""
    lines = sentences(150)
    seen = set(" ".join(map(" ".join, map(pieces().tokenize, lines))).split())
    rare = next(piece for piece in pieces().vocabulary[5:] if piece not in seen and not piece.startswith("##"))
    begun(firth.MaskedLM(**NETWORK), [*lines, rare], held_out=[rare, *lines])
    for text in (given[0].task.batches.text, given[0].task.held_out.text):
        assert len(text.ids) > 1200
        assert list(text.ids).count(pieces().vocabulary.index(rare)) == 1


def test_a_checkpoint_knows_both_texts_and_the_pieces(given):
    options, lines = firth.MaskedLM(**NETWORK), sentences(60)
    small = firth.WordPieces.of(pieces().vocabulary, lowercase=False)
    for one, two, split in (
        (lines, lines[:9], pieces()), (lines, lines[:9], pieces()), (lines[1:], lines[:9], pieces()),
        (lines, lines[1:9], pieces()), ([line.lower() for line in lines], [line.lower() for line in lines[:9]], small),
    ):  # fmt: skip
        begun(options, one, held_out=two, tokens=split)
    digests = [call.data["text"] for call in given]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4
    assert all("start" not in call.data for call in given)


@pytest.mark.parametrize("rate", [0.15, 0.5])
def test_heads_begin_at_frequencies_by_hand(rate):
    """A draw by frequency replaces a hidden token unless it draws the same: rate (1 - sum of squared shares)."""
    options = firth.Electra(**NETWORK, embedding_dim=8, mask_rate=rate)
    config = dataclasses.replace(options.config(pieces()), vocabulary=len(pieces()) + 3)  # padded, as other programs do
    objective = options.build_objective(config, pieces())
    corpus = firth.Corpus.build(sentences(20), tokens=pieces(), min_count=1, progress=False)
    text = PieceText.of(corpus)
    train._begin(objective, text, rate)
    bias = objective.corruption.prediction.output.bias.detach().double().numpy()
    np.testing.assert_allclose(bias[: len(pieces())], np.log(text.shares), atol=1e-5)
    np.testing.assert_allclose(bias[len(pieces()) :], np.log(text.shares.min()), atol=1e-5)
    chance = rate * (1 - (text.shares**2).sum())
    assert objective.head.score.bias.item() == pytest.approx(np.log(chance / (1 - chance)), rel=1e-5)


def test_a_run_from_a_start_as_the_loop_gets_it(given):
    start, lines = trained("masked"), sentences(60)
    found = begun(firth.CocoLM(dropout=0.3), lines, start=start, tokens=start.pieces)
    call = given[0]
    config = dataclasses.replace(start.config, dropout=0.3)
    assert call.task.module.encoder.config == found.config == config
    assert call.options == firth.CocoLM(**{**NETWORK, "ffn_dim": 64}, dropout=0.3)
    assert call.task.batches.length == 24
    assert call.data["start"] == start.fingerprint()
    assert found.metadata["start"] == start.metadata
    for name, value in start.module.state_dict().items():
        assert torch.equal(found.module.state_dict()[name], value)
    with pytest.raises(OptionError, match="ffn_dim=99: the start, whose network is kept, has 64"):
        begun(firth.CocoLM(ffn_dim=99), lines, start=start, tokens=start.pieces)
    begun(firth.MaskedLM(), lines, start=start, tokens=start.pieces)
    for name, value in start.head.state_dict().items():
        assert torch.equal(given[1].task.module.head.state_dict()[name], value)


@pytest.mark.parametrize("name", ["masked", "electra", "coco"])
def test_a_killed_run_resumes_to_the_same_bits(name, tmp_path):
    """After the first of two evaluations and its checkpoint."""
    lines, whole, rows = sentences(), trained(name), []

    def stop(row):
        rows.append(row)
        if len(rows) == 2:
            raise StopError

    run = {"held_out": lines[:20], "training": training(), "max_size": 120, "checkpoint": tmp_path / "run"}
    with pytest.raises(StopError):
        MODELS[name].train(lines, callbacks=[stop], **run)
    assert [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    again = MODELS[name].train(lines, **run)
    pairs = zip(whole.module.parameters(), again.module.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert (
        again.metadata["training"]["rows"][-1]["held_out_loss"]
        == whole.metadata["training"]["rows"][-1]["held_out_loss"]
    )


def test_a_start_is_kept_and_goes_on():
    start = trained("masked")
    longer = firth.MaskedLM(max_length=20).train(
        sentences(40, seed=5), start=start, training=training(epochs=1, lr=1e-9), seed=2
    )
    assert longer.config.dim == 16
    np.testing.assert_allclose(longer.encode(["The cat eats"]), start.encode(["The cat eats"]), atol=1e-4)
    with pytest.raises(OptionError, match="max_length=64"):
        firth.MaskedLM(max_length=64).train(sentences(10), start=start)
    other = firth.Corpus.build(sentences(30), tokens="wordpieces", max_size=100)
    with pytest.raises(OptionError, match="other word pieces"):
        firth.MaskedLM(max_length=16).train(other, start=start)


@pytest.mark.parametrize(("name", "kind"), [("electra", firth.Electra), ("coco", firth.CocoLM)])
def test_others_start_from_a_masked_language_model(name, kind):
    start = trained("masked")
    encoder = kind(max_length=20).train(sentences(40, seed=5), start=start, training=training(epochs=1, lr=1e-9))
    assert encoder.config.embedding_dim == start.config.embedding_dim == 16
    np.testing.assert_allclose(encoder.encode(["The cat eats"]), start.encode(["The cat eats"]), atol=1e-4)
    with pytest.raises(OptionError, match="layout 'electra' for MaskedLM"):
        firth.MaskedLM(max_length=16).train(sentences(10), start=trained("electra"))


def test_the_width_of_vectors_is_that_of_the_start():
    with pytest.raises(OptionError, match="embedding_dim=32: the start, whose network is kept, has 16"):
        firth.Electra(max_length=16, embedding_dim=32).train(sentences(10), start=trained("masked"))


def test_a_part_is_held_out_where_nothing_is_given():
    model = firth.MaskedLM(**NETWORK).train(sentences(), training=training(epochs=1), max_size=120)
    facts = model.metadata["training"]
    assert facts["held_out_tokens"] > 0
    assert "held_out_accuracy" in facts["rows"][-1]


@pytest.mark.parametrize("name", ["masked", "electra"])
def test_a_text_of_one_repeated_word(name):
    model = MODELS[name].train(["word " * 400], training=training(epochs=1), max_size=80, held_out=["word word word"])
    assert np.isfinite(model.encode(["word"])).all()


def test_bf16_is_close():
    exact, half = (
        firth.MaskedLM(**NETWORK).train(
            sentences(80), training=training(epochs=1, precision=precision), max_size=120, held_out=sentences(20)
        )
        for precision in ("fp32", "bf16")
    )
    losses = [each.metadata["training"]["rows"][-1]["held_out_loss"] for each in (exact, half)]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    assert all(parameter.dtype == torch.float32 for parameter in half.module.parameters())


@pytest.mark.parametrize("text", [[], ["", " "], itertools.repeat("", 3)])
def test_texts_without_words(text):
    with pytest.raises(CorpusError, match="expected"):
        firth.MaskedLM(**NETWORK).train(text, training=training())


@pytest.mark.parametrize("name", MODELS)
def test_heads_begin_at_the_frequencies_also_from_a_start(name):
    """At the first update a generator or a head that no folder holds loses no more than the frequencies do."""
    how = {"training": training(epochs=1, lr=1e-9), "max_size": 120}
    lines = sentences()
    first = MODELS[name].train(lines, held_out=lines[:20], **how)
    again = MODELS[name].train(lines, held_out=lines[:20], start=first, training=how["training"])
    for model in (first, again):
        facts = model.metadata["training"]
        row = facts["rows"][-1]
        for key in ("held_out_generator_loss", "held_out_corrective_loss"):
            if key in row:
                assert row[key] < facts["unigram_loss"] + 0.8
    if name == "electra":
        unigram = first.metadata["training"]["unigram_loss"]
        assert -3 < first.head.score.bias.item() < -1.5  # log odds of about 15 %
        assert abs(again.metadata["training"]["rows"][-1]["held_out_generator_loss"] - unigram) < 0.3


def test_a_start_keeps_its_network_and_other_sizes_are_refused():
    start = trained("masked")
    lines = sentences(60)
    again = firth.MaskedLM().train(lines, start=start, training=training(epochs=1))
    assert (again.dim, again.config.max_length) == (16, 24)
    with pytest.raises(OptionError, match="dim=32: the start, whose network is kept, has 16; leave dim out"):
        firth.MaskedLM(dim=32).train(lines, start=start, training=training(epochs=1))
    with pytest.raises(OptionError, match="the start has 24 positions"):
        firth.MaskedLM(max_length=64).train(lines, start=start, training=training(epochs=1))


@pytest.mark.parametrize("name", ["max_size", "min_count"])
def test_the_pieces_of_a_start_are_kept(name):
    with pytest.raises(OptionError, match=f"{name}=50: the .* word pieces of the start are kept; leave {name} out"):
        firth.MaskedLM(max_length=16).train(sentences(10), start=trained("masked"), **{name: 50})


def test_held_out_text_has_the_pieces_of_the_training_text():
    one, other = (
        firth.Corpus.build(sentences(40), tokens="wordpieces", max_size=size, progress=False) for size in (120, 90)
    )
    with pytest.raises(OptionError, match=r"held_out: a corpus of .* other word pieces"):
        MODELS["masked"].train(one, held_out=other, training=training(epochs=1))


@pytest.mark.parametrize(("accumulate", "warned"), [(1, False), (2, True)])
def test_a_run_shorter_than_its_warm_up_is_warned_of(accumulate, warned):
    """An update has 4 windows of 22 pieces, or twice as many."""
    lines = sentences(40)
    count = len(firth.Corpus.build(lines, tokens=pieces(), min_count=1, progress=False).ids) + len(lines)
    updates = -(-(count // 22 // 4) // accumulate)
    how = training(epochs=1, batch_size=4, accumulate=accumulate, warmup=updates + warned)
    expected = pytest.warns(
        UserWarning, match=f"a run of {updates} updates, fewer than the {updates + 1} of the warm-up"
    )
    with expected if warned else contextlib.nullcontext():
        firth.MaskedLM(**NETWORK).train(lines, held_out=lines[:5], training=how, tokens=pieces(), progress=False)


def test_a_checkpoint_knows_its_start(tmp_path):
    how = training(epochs=1)
    starts = [MODELS["masked"].train(sentences(40), training=how, seed=seed, max_size=120) for seed in (0, 1)]
    options = firth.MaskedLM(max_length=24)
    options.train(sentences(40), start=starts[0], training=how, checkpoint=tmp_path / "run")
    with pytest.raises(OptionError, match="start"):
        options.train(sentences(40), start=starts[1], training=how, checkpoint=tmp_path / "run")
