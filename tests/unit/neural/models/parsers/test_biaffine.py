"""Biaffine parsers: scores, decoding, training, folders."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError, OptionError
from firth.neural.models.parsers.biaffine import BiaffineParser
from firth.readers.conllu import DependencySentence
from firth.readers.tree import tree_problem
from tests.unit.neural.models.parsers import tiny

TRAINING = {"epochs": 12, "batch_size": 40, "lr": 0.02, "schedule": "linear", "device": "cpu"}
WIDTHS = {"dim": 12, "char_width": 8, "column_dim": 6, "hidden": 24, "arc_width": 24, "label_width": 8}
TINY = {**WIDTHS, "layers": 1, "min_count": 1, "dropout": 0.0, "part_dropout": 0.1}


def sentence(words, tags, heads=None, relations=None):
    return DependencySentence.of(words).annotated(tags=tags, heads=heads, relations=relations)


@pytest.fixture(scope="module")
def treebank():
    return tiny.treebank(80)


def trained(treebank, **options):
    parser = BiaffineParser(**{**TINY, **options})
    training = firth.TrainingOptions(**TRAINING)
    return parser.train(treebank, held_out=tiny.treebank(10, 1), training=training, progress=False)


@pytest.fixture(scope="module")
def model(treebank):
    return trained(treebank)


def untrained(treebank, **options):
    parser = BiaffineParser(**{**TINY, **options})
    torch.manual_seed(1)
    module = parser.build(parser.vocabulary(treebank, None), None).eval()
    for layer in (module.arcs, module.labels):
        torch.nn.init.normal_(layer.weight)
    return module


def test_a_grammar_is_learned(model):
    assert model.test(tiny.treebank(30, 2)).gold.las > 0.95


def test_a_folder_has_the_same_parser(model, tmp_path):
    model.save(tmp_path / "parser")
    again = firth.load(tmp_path / "parser")
    some = [*tiny.treebank(5, 3), sentence(["an", "Übergröße"], ["X", "ADJ"])]
    assert again.predict(some) == model.predict(some)
    assert again.vocabulary.saved.texts == model.vocabulary.saved.texts


def test_every_output_is_a_tree(treebank):
    """Random scores, of 1 to 9 words; projective parsing crosses nothing."""
    for projective in (False, True):
        module = untrained(treebank, projective=projective)
        some = [sentence(["cat"] * n, ["NOUN", "ADJ", "VERB"][:n] + ["X"] * (n - 3)) for n in range(1, 10)]
        for heads, labels in module.parse(some):
            assert not tree_problem([head - 1 for head in heads.tolist()])
            assert ((labels >= 0) & (labels < len(module.vocabulary.relations))).all()
            arcs = [(min(pair), max(pair)) for pair in enumerate(heads.tolist(), 1)]
            crossing = [a < c < b < d for (a, b), (c, d) in itertools.product(arcs, repeat=2)]
            assert not (projective and any(crossing))


def test_other_sentences_of_a_batch_do_not_matter(treebank):
    module = untrained(treebank)
    reader = module.vocabulary.reader
    read = [reader.read(each) for each in treebank[:6]]
    with torch.no_grad():
        together = module(reader.collate(read))
        for row, one in enumerate(read):
            alone, n = module(reader.collate([one])), len(one)
            torch.testing.assert_close(together.arcs[row, : n + 1, : n + 1], alone.arcs[0], atol=1e-5, rtol=0)


def test_labels_are_those_of_the_chosen_arcs(treebank):
    """The scores of one head of each word are a part of those of all pairs."""
    module = untrained(treebank)
    reader = module.vocabulary.reader
    some = treebank[:3]
    with torch.no_grad():
        scores = module(reader.collate([reader.read(each) for each in some]))
        heads = torch.zeros(scores.real.shape, dtype=torch.int64)
        for row, each in zip(heads, some, strict=True):
            row[: len(each)] = torch.tensor(each.heads)
        found = iter(module.label_scores(scores, heads))
        every = module.labels(scores.label_heads, scores.label_dependents)  # (B, L, n + 1, n + 1)
    for row, each in enumerate(some):
        for word, head in enumerate(each.heads, 1):
            torch.testing.assert_close(next(found), every[row, :, head, word])


def test_sentences_of_one_word_and_of_many(treebank):
    module = untrained(treebank)
    trees = module.parse([sentence(["cat"], ["NOUN"]), sentence(["cat"] * 700, ["NOUN"] * 700)])
    assert [heads.tolist() for heads, _ in trees[:1]] == [[0]]
    assert not tree_problem([head - 1 for head in trees[1][0].tolist()])


def test_the_label_root_is_that_of_the_root_alone(treebank):
    """With random parameters, which know nothing of it."""
    module = untrained(treebank)
    root = module.vocabulary.relations.index("root")
    for heads, relations in module.parse([sentence(["cat", "sees", "x"] * n, ["NOUN"] * 3 * n) for n in (1, 4, 9)]):
        assert (heads == 0).tolist() == (relations == root).tolist()


@pytest.mark.parametrize("loss", ["matrix-tree", "projective"])
def test_losses_over_trees_learn(treebank, loss):
    model = trained(treebank[:60], loss=loss, characters="none", part_dropout=0.0)
    assert model.test(tiny.treebank(20, 4)).gold.uas > 0.9


def test_crossing_trees_are_lifted_for_the_projective_loss(treebank):
    crossing = sentence(["a", "b", "c", "d"], ["X"] * 4, [3, 4, 0, 3], ["p", "q", "root", "r"])
    module = untrained([*treebank, crossing], loss="projective")
    task = BiaffineParser(**TINY, loss="projective").task(
        module, [crossing], [crossing], firth.neural.training.options.RunConfig(firth.TrainingOptions(**TRAINING))
    )
    assert next(task.batches.epoch(0)).heads.tolist() == [[3, 3, 0, 3]]


def test_given_vectors_stand_beside_trained_ones(tmp_path):
    words = ["cat", "dog", "unicorn"]
    vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32))
    options = BiaffineParser(**TINY, embedding="static")
    training = firth.TrainingOptions(**{**TRAINING, "epochs": 1})
    model = options.train(tiny.treebank(20), vectors=vectors, training=training, progress=False)
    assert model.options.dim == TINY["dim"]
    row = model.vocabulary.reader.given.index("unicorn") + 2
    assert np.array_equal(model.module.words.given.weight[row].numpy(), vectors.get_vector("unicorn"))
    model.save(tmp_path / "parser")
    some = [sentence(["the", "unicorn", "eats"], ["DET", "NOUN", "VERB"])]
    assert firth.load(tmp_path / "parser").predict(some) == model.predict(some)


@pytest.mark.parametrize(("tag", "columns"), [("xpos", 1), ("features", 2), ("none", 0)])
def test_other_tags_are_read(treebank, tag, columns):
    some = [each.annotated(language_tags=each.tags, features=["Number=Sing"] * len(each)) for each in treebank[:5]]
    module = untrained(some, tag=tag)
    assert len(module.words.columns) == columns
    other = [each.annotated(language_tags=["X"] * len(each), features=["_"] * len(each)) for each in some]
    reader = module.vocabulary.reader
    read = [module(reader.collate([reader.read(each) for each in those])).arcs for those in (some, other)]
    assert torch.equal(*read) == (columns == 0)


def test_a_damaged_folder_is_named(model, tmp_path):
    model.save(tmp_path / "parser")
    path = tmp_path / "parser" / "labels.json"
    path.write_text(path.read_text("utf-8").replace('"nsubj"', '"nsubj",\n"more"'), encoding="utf-8")
    with pytest.raises(FormatError, match="parser"):
        firth.load(tmp_path / "parser")


@pytest.mark.filterwarnings("ignore:training ended no better than a tree")
def test_a_treebank_of_single_words_gives_labels_to_other_arcs():
    parser = trained(tiny.single_words(), part_dropout=0.0)
    assert parser.relations == ["root", "dep"]
    assert sorted(parser.predict([(["a", "b", "c"], ["X"] * 3)])[0].relations) == ["dep", "dep", "root"]


def test_the_precision_is_an_option_of_parsing(model, monkeypatch):
    dtypes, forward = [], model.module.label_scores
    monkeypatch.setattr(
        model.module,
        "label_scores",
        lambda scores, heads: dtypes.append(scores.label_heads.dtype) or forward(scores, heads),
    )
    some = tiny.treebank(5, 3)
    assert model.test(some, precision="bf16", progress=False).gold.las > 0.9
    assert model.predict(some, precision="fp32") == model.predict(some)
    assert dtypes == [torch.bfloat16, torch.float32, torch.float32]
    with pytest.raises(OptionError, match="precision='fp8': expected one of fp32, bf16, fp16"):
        model.predict(some, precision="fp8")
    with pytest.raises(OptionError, match="precision='fp16': it needs a GPU"):
        model.predict(some, precision="fp16")
    with pytest.raises(OptionError, match="beam=4: BiaffineParser has no beam in parsing; it has precision"):
        model.predict(some, beam=4)
