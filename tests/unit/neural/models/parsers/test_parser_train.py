"""Training of parsers: what determines it, and what it refuses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, FormatError, OptionError
from firth.readers.conllu import DependencySentence, write_conllu
from tests.unit.neural.models.parsers.tiny import SIZES, treebank

HARDLY = pytest.mark.filterwarnings("ignore:training ended no better than a tree")  # it is too short to learn
ONCE = firth.TrainingOptions(epochs=1, batch_size=5)


def trained(source, *, seed=0, **how):
    return firth.TransitionParser(**SIZES, **how).train(source, training=ONCE, seed=seed, progress=False)


@HARDLY
def test_the_seed_determines_the_result():
    one, same, other = (trained(treebank(20), seed=seed) for seed in (1, 1, 2))
    assert torch.equal(one.module.word_weights, same.module.word_weights)
    assert not torch.equal(one.module.word_weights, other.module.word_weights)


@HARDLY
def test_a_file_and_its_sentences_are_the_same(tmp_path):
    write_conllu(tmp_path / "a.conllu", treebank(20))
    one, same = trained(tmp_path / "a.conllu"), trained(treebank(20))
    assert torch.equal(one.module.output.weight, same.module.output.weight)
    assert one.metadata["training"]["held_out_sentences"] == 2


@HARDLY
@pytest.mark.parametrize("parser", [firth.TransitionParser(**SIZES), firth.BiaffineParser(dim=4, hidden=4, layers=1)])
def test_vectors_of_another_language_are_told_of(parser):
    vectors = firth.WordVectors(["Katze", "Hund", "fish"], np.eye(3, 8, dtype=np.float32))
    with pytest.warns(UserWarning, match=r"the vectors know .* and lack .*'the'.*another language"):
        parser.train(treebank(20), vectors=vectors, training=ONCE, progress=False)


@HARDLY
@pytest.mark.filterwarnings("ignore:the vectors know")
def test_given_vectors_decide_the_width_and_static_ones_stay():
    words = ["cat", "dog", "unicorn"]
    vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32))
    model = firth.TransitionParser(**SIZES, embedding="static").train(
        treebank(20), vectors=vectors, training=ONCE, progress=False
    )
    assert model.options.dim == 5
    row = model.vocabulary.table_words.index("unicorn")
    assert np.array_equal(model.module.words.weight[row].detach().numpy(), vectors.get_vector("unicorn"))
    with pytest.raises(OptionError, match="'static' without vectors"):
        firth.TransitionParser(embedding="static").train(treebank(20))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ([], "no sentences"),
        (treebank(1), "1 sentence to train on; expected at least two"),
        ("missing.conllu", "missing.conllu: no such file"),
        ([DependencySentence.of(["a"])] * 3, "sentence 1 has no tree"),
        (["(0 a)"], r"\(0 a\): no such file"),
        ([3], "item 1 is 3; expected"),
    ],
)
def test_what_is_refused(source, problem):
    with pytest.raises(CorpusError, match=problem):
        trained(source)


@pytest.mark.parametrize(
    ("heads", "problem"), [((2, 1), r"line 1: .*roots"), ((0, 0), "line 1: 2 roots"), ((0, 9), "line 1: .*beyond")]
)
def test_trees_that_are_none_are_refused_by_line(tmp_path, heads, problem):
    rows = [f"{i}\tw\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)]
    (tmp_path / "a.conllu").write_text("".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=problem):
        trained(tmp_path / "a.conllu")
