"""The harness of language models' speed: what both sides read, and what is made of their figures."""

import collections

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks import language_speed


def test_both_sides_read_as_many_words_as_were_asked_for(tmp_path):
    """Words of ranks 1 to 50, rank r 100 / r times; 12 words are the 10 most frequent, `<unk>`, and ends of lines."""
    lines = [f"w{rank} w1" for rank in range(1, 51) for _ in range(100 // rank)]
    (tmp_path / "text").write_text("\n".join(lines), encoding="utf-8")
    language_speed.prepare(tmp_path / "text", tmp_path, 12, 10**6)
    words = collections.Counter((tmp_path / "train.txt").read_text(encoding="utf-8").split())
    assert set(words) == {*(f"w{rank}" for rank in range(1, 11)), "<unk>"}
    assert sum(words.values()) == 2 * len(lines)


def test_the_figure_is_found_in_what_the_program_prints():
    line = "| epoch   1 |    10/  571 batches | lr 1.00 | ms/batch 350.25 | loss  8.10 | ppl  3294.47"
    assert float(language_speed.LINE.search(line)[1]) == 350.25


def test_ratios_are_within_rounds():
    """Rounds of 2:1, 3:2 and 4:4 have ratios 2, 1.5 and 1; the median is 1.5. By processor time all are 3:1."""
    row = language_speed.row_of("lstm 2x200", 12, [(20, 30), (30, 30), (40, 30)], [(10, 10), (20, 10), (40, 10)])
    clock, processor = row["clock"], row["processor"]
    assert (clock["ratio"], clock["least"], clock["greatest"]) == (1.5, 1, 2)
    assert (clock["firth"], clock["peer"]) == (30, 20)
    assert (processor["ratio"], processor["firth"], processor["peer"]) == (3, 30, 10)


@pytest.mark.parametrize("size", language_speed.SIZES)
def test_the_same_model_has_as_many_parameters(size):
    """Of V = 12 words. LSTM: 2 layers of 8 D^2 + 8 D; blocks: 4 D^2 + 2 D I + 9 D + I; words and rows and biases of V.

    The example's transformer has one layer norm more, at its end.
    """
    model, width, inner, layers, _ = language_speed.SIZES[size]
    from firth.vocabulary import Vocabulary

    vocabulary = Vocabulary([f"w{i}" for i in range(11)] + ["<unk>"], list(range(12, 0, -1)), 78)
    module = language_speed.options_of(size).build_module(vocabulary, 0)
    block = 8 * width**2 + 8 * width if model == "LSTM" else 4 * width**2 + 2 * width * inner + 9 * width + inner
    assert sum(p.numel() for p in module.parameters()) == layers * block + 12 * (2 * width + 1)
