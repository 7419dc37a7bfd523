"""A trained parser: what it takes, what it returns, its scores."""

import pickle
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError
from firth.evaluation.dependencies import score_dependencies
from firth.neural.models.parsers import transition_module
from firth.readers.conllu import DependencySentence, read_conllu, write_conllu
from tests.unit.neural.models.parsers.tiny import SIZES, Tagger, treebank


def test_it_learns_the_language(transition_parser):
    scores = transition_parser.test(treebank(30, 2), progress=False)
    assert scores.gold.uas > 0.97
    assert scores.gold.las > 0.97
    assert scores.predicted is None
    low, high = scores.intervals["gold"]["las"]
    assert low <= scores.gold.las <= high


def test_sentences_words_with_tags_and_words_with_a_tagger(transition_parser):
    gold = treebank(5, 3)
    (first, *_) = found = transition_parser.predict(gold)
    assert [each.words for each in found] == [each.words for each in gold]
    assert transition_parser.predict([(gold[0].words, gold[0].tags)])[0].heads == first.heads
    (tagged,) = transition_parser.predict([" ".join(gold[0].words)], tagger=Tagger())
    assert (tagged.tags, tagged.heads, tagged.relations) == (gold[0].tags, first.heads, first.relations)
    assert transition_parser.predict([list(gold[0].words)], tagger=Tagger())[0] == tagged


def test_a_pickled_parser_parses_the_same(transition_parser):
    gold = treebank(5, 3)
    assert pickle.loads(pickle.dumps(transition_parser)).predict(gold) == transition_parser.predict(gold)


def test_all_else_of_a_sentence_stays(transition_parser, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(
        "# id = 1\n1-2\tthecat\t_\t_\t_\t_\t_\t_\t_\t_\n1\tthe\tx\tDET\t_\t_\t_\t_\t_\tA=b\n"
        "2\tcat\t_\tNOUN\t_\t_\t_\t_\t_\t_\n3\tsees\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n",
        encoding="utf-8",
    )
    write_conllu(tmp_path / "b.conllu", transition_parser.predict(read_conllu(path, trees=False)))
    lines = (tmp_path / "b.conllu").read_text(encoding="utf-8").splitlines()
    assert lines[:3] == ["# id = 1", "1-2\tthecat\t_\t_\t_\t_\t_\t_\t_\t_", "1\tthe\tx\tDET\t_\t_\t2\tdet\t_\tA=b"]


def test_a_tagger_adds_a_second_row(transition_parser):
    gold = treebank(10, 4)
    scores = transition_parser.test(gold, tagger=Tagger(), progress=False)
    assert (
        scores.predicted
        == scores.gold
        == score_dependencies(
            [(each.heads, each.relations) for each in gold],
            [(each.heads, each.relations) for each in transition_parser.predict(gold)],
        )
    )
    head, *rows, counts = str(scores).splitlines()
    assert head.split()[:4] == ["tags", "UAS", "LAS", "CLAS"]
    assert [row.split()[0] for row in rows] == ["gold", "predicted"]
    assert all(row.index("(") > head.index("UAS") for row in rows)
    assert counts == f"{sum(map(len, gold))} words in 10 sentences; 95 % intervals over sentences"


def test_sentences_of_no_one_and_two_thousand_words(transition_parser):
    none, one, long = DependencySentence.of([]), treebank(1)[0], ["cat"] * 2000
    sentences = [none, (["cat"], ["NOUN"]), (long, ["NOUN"] * 2000)]
    found = transition_parser.predict(sentences)
    assert (len(found[0]), found[1].heads, len(found[2].tree)) == (0, (0,), 2000)
    assert transition_parser.predict([]) == []
    assert len(one) > 1


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        (["the cat"], "item 1 is 'the cat'; expected a DependencySentence or a pair"),
        ([DependencySentence.of(["a", "cat"])], "sentence 1 .'a cat'. has no upos tags"),
    ],
)
def test_what_is_refused(transition_parser, sentences, problem):
    with pytest.raises(CorpusError, match=problem):
        transition_parser.predict(sentences)


@pytest.mark.parametrize("how", ["predict", "test"])
def test_what_is_no_tagger_is_refused(transition_parser, how):
    for wrong in ("folder", transition_parser, 3):
        with pytest.raises(ArgumentTypeError, match="expected a tagger, as firth"):
            getattr(transition_parser, how)(treebank(2), tagger=wrong)
    with pytest.raises(ArgumentTypeError, match="the parser reads upos; this tagger gives only tag; expected"):
        getattr(transition_parser, how)(treebank(2), tagger=Tagger("tag"))


@pytest.fixture(scope="module")
def features_parser():
    """A parser that reads UPOS and features, which give away the relation."""
    training = firth.TrainingOptions(epochs=3, batch_size=4, lr=0.02)
    return firth.TransitionParser(**SIZES, tag="features").train(with_features(40), training=training, progress=False)


def with_features(count, seed=0):
    return [each.annotated(features=[f"R={name}" for name in each.relations]) for each in treebank(count, seed)]


@pytest.mark.parametrize("how", ["predict", "test"])
def test_a_tagger_that_leaves_gold_tags_to_the_parser_is_refused_before_the_work(features_parser, how):
    asked = []

    class Upos(Tagger):
        def predict(self, sentences):
            asked.extend(sentences)
            return super().predict(sentences)

    message = r"reads upos and feats; this tagger gives only upos; .*'upos,feats'.*, or a parser with tag='upos'"
    with pytest.raises(ArgumentTypeError, match=message):
        getattr(features_parser, how)(with_features(10, 2), tagger=Upos())
    assert len(asked) == 1


@pytest.mark.filterwarnings("ignore:none of .* words has morphological features")
def test_gold_features_do_not_reach_the_predicted_row(features_parser):
    class Both(Tagger):
        def predict(self, sentences):
            found = super().predict(sentences)
            return [SimpleNamespace(tags={**each.tags, "feats": ("_",) * len(each.tags["upos"])}) for each in found]

    gold = with_features(10, 2)
    blank = [each.annotated(features=["_"] * len(each)) for each in gold]
    scores, without = (features_parser.test(part, tagger=Both(), progress=False) for part in (gold, blank))
    assert scores.predicted == without.predicted
    assert scores.predicted.las < scores.gold.las


@pytest.mark.parametrize("how", ["predict", "test"])
def test_the_beam_is_an_option_of_parsing(transition_parser, how, monkeypatch):
    widths, search = [], transition_module.parse_with_beam
    monkeypatch.setattr(transition_module, "parse_with_beam", lambda *given: widths.append(given[5]) or search(*given))
    getattr(transition_parser, how)(treebank(2), beam=3)
    assert widths == [3]
    getattr(transition_parser, how)(treebank(2))
    assert widths == [3, 4]
    with pytest.raises(OptionError, match="beam=0"):
        getattr(transition_parser, how)(treebank(2), beam=0)
    with pytest.raises(
        OptionError, match="precision='bf16': TransitionParser has no precision in parsing; it has beam"
    ):
        getattr(transition_parser, how)(treebank(2), precision="bf16")


def test_names_of_other_libraries_are_answered(transition_parser):
    with pytest.raises(AttributeError, match=r"use predict\(sentences\)"):
        _ = transition_parser.parse
    assert repr(transition_parser) == "<ParserModel: TransitionParser, 7 relations>"
