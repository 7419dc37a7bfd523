"""Lemmas as a target of taggers."""

import json
import shutil
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, FormatError, OptionError
from firth.neural.models.tagging.data import TaggedExamples
from firth.neural.models.tagging.lemmas import Lemmas, learn_lemmas, learn_scripts, with_scripts
from firth.neural.models.tagging.network import SoftmaxHead
from firth.neural.models.tagging.tag_set import UNKNOWN_TAG, TagSet
from firth.readers import DependencySentence
from tests.unit.neural.models.tagging.tiny import SIZES

NOUNS = ["cat", "dog", "bird", "fox", "cow", "hen"]
EXAMPLES = TaggedExamples(
    [("saw", "saws"), ("saw", "went")],
    {"upos": [("NOUN", "NOUN"), ("VERB", "VERB")], "lemma": [("saw", "saw"), ("see", "go")]},
    "made up",
)


def sentences():
    """One or several of a noun, which are seen or which go."""
    return [
        DependencySentence.of([article, noun + ending, verb]).annotated(
            tags=["DET", "NOUN", "VERB"], lemmas=["a" if article == "A" else article.lower(), noun, lemma]
        )
        for noun in NOUNS
        for article, ending in (("A", ""), ("Some", "s"))
        for verb, lemma in (("sits", "sit"), ("goes", "go"))
    ]


@pytest.fixture(scope="module")
def tagger():
    training = replace(firth.Tagger.training, epochs=8, batch_size=8, lr=0.03, patience=0)
    options = firth.Tagger(targets="upos,lemma", **{**SIZES, "dropout": 0})
    return options.train(sentences(), held_out=sentences(), training=training, progress=False)


def test_lemmas_of_new_words(tagger, tmp_path):
    (tagged,) = tagger.predict(["Some ducks sits"])
    assert dict(tagged.tags) == {"upos": ("DET", "NOUN", "VERB"), "lemma": ("some", "duck", "sit")}
    assert set(tagger.tags["lemma"]) == {"l||", "l||-", "l||--", "k||"}
    assert tagger.test(sentences())["lemma"].accuracy == 1
    tagger.save(tmp_path / "tagger")
    assert firth.load(tmp_path / "tagger").predict(["Some ducks sits"]) == [tagged]
    (sentence,) = firth.annotate("Some ducks sits", tagger=tagger).sentences
    assert (sentence.lemmas, sentence.tags) == (("some", "duck", "sit"), ("DET", "NOUN", "VERB"))
    (probable,) = tagger.predict(["Some ducks sits"], probabilities=True)
    assert len(probable.probabilities["lemma"]) == 3


def test_heads_by_target(tagger):
    assert [type(head).__name__ for head in tagger.module.target_heads] == ["CrfHead", "SoftmaxHead"]
    assert "crf+softmax" in repr(tagger)


def test_a_form_and_tag_with_one_lemma_keeps_it():
    lemmas = learn_lemmas(EXAMPLES)
    assert lemmas.dictionary == {
        ("saw", "NOUN"): "saw", ("saws", "NOUN"): "saw", ("saw", "VERB"): "see", ("went", "VERB"): "go",
    }  # fmt: skip
    tags = {"upos": ("VERB", "NOUN", "NOUN"), "lemma": ("l||", "l||-", "l||-")}
    assert lemmas.decoded(["saw", "saws", "cats"], tags) == ("see", "saw", "cat")
    assert Lemmas({}).decoded(["saw", "saws", "cats"], tags) == ("saw", "saw", "cat")
    doubtful = replace(EXAMPLES, sentences=[("saw", "saws"), ("saw", "saws")], tags={
        "upos": [("NOUN", "NOUN")] * 2, "lemma": [("saw", "saw"), ("see", "saw")],
    })  # fmt: skip
    assert learn_lemmas(doubtful).dictionary == {("saws", "NOUN"): "saw"}
    assert learn_lemmas(replace(EXAMPLES, tags={"lemma": EXAMPLES.tags["lemma"]})).dictionary == {}
    assert learn_lemmas(replace(EXAMPLES, tags={"upos": EXAMPLES.tags["upos"]})) is None


def test_the_likeliest_script_that_fits_is_taken():
    """Scripts that delete one or two letters have deleted s, and w of saw: no other word loses its last letters."""
    lemmas = learn_lemmas(EXAMPLES)
    assert lemmas.removals["l||-"] == {"|s"}
    assert lemmas.removals["l||--+e+e"] == {"|aw"}
    names = ["l||-", "l||--+e+e", "l||", "=go"]
    scores = torch.tensor([[[3.0, 2.0, 1.0, 0.0]] * 3, [[0.0, 3.0, 1.0, 2.0]] * 3])
    fitting = lemmas.fitting(scores, [["cats", "cat", "raw"], ["cats"]], names)
    best = [[names[k] for k in row] for row in fitting.argmax(2).tolist()]
    assert best == [["l||-", "l||", "l||--+e+e"], ["=go", "l||--+e+e", "l||--+e+e"]]
    assert torch.equal(Lemmas({}).fitting(scores, [["cat"] * 3] * 2, names), scores)  # of an older tagger


def test_removals_are_kept_in_the_folder(tagger, tmp_path):
    tagger.save(tmp_path / "tagger")
    kept = firth.load(tmp_path / "tagger")
    assert kept.lemmas.removals == tagger.lemmas.removals != {}


def test_lemmas_of_their_own_that_occur_once_are_no_tags():
    scripts = with_scripts(EXAMPLES).tags["lemma"]
    assert scripts == [("l||", "l||-"), ("l||--+e+e", "=go")]
    assert learn_scripts(scripts, all_known=False).names == ["l||", "l||-", "l||--+e+e", "k||"]
    assert "=go" in learn_scripts(scripts, all_known=True).names
    assert "=go" in learn_scripts([*scripts, ("=go",)], all_known=False).names


def test_words_without_a_tag_have_no_loss():
    head = SoftmaxHead(2, TagSet(["a", "b"]))
    scores, lengths = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]]), torch.tensor([2])
    losses = [head.loss(scores, torch.tensor([tags]), lengths) for tags in ([0, UNKNOWN_TAG], [0, 1], [0, 0])]
    assert losses[0] == pytest.approx(head.loss(scores[:, :1], torch.tensor([[0]]), torch.tensor([1])))
    assert losses[0] < losses[1] < losses[2]


def test_sentences_without_lemmas():
    bare = [DependencySentence.of(["a", "b"]).annotated(tags=["X", "Y"])]
    options = firth.Tagger(targets="upos,lemma", **SIZES)
    with pytest.raises(CorpusError, match="every sentence has words without upos or lemma"):
        options.train(bare * 4)
    with (
        pytest.warns(UserWarning, match="left out 3 sentences with words without upos or lemma"),
        pytest.raises(CorpusError, match="sentence"),
    ):
        options.train([*bare * 3, sentences()[0]])


def test_a_damaged_folder(tagger, tmp_path):
    tagger.save(tmp_path / "tagger")
    for name, content in (
        ("tags", [{**entry, "names": ["x", "y"]} for entry in json.loads((tmp_path / "tagger/tags.json").read_text())]),
        ("lemmas", {"DET": {"a": 1}}),
    ):
        damaged = shutil.copytree(tmp_path / "tagger", tmp_path / name)
        (damaged / f"{name}.json").write_text(json.dumps(content))
        with pytest.raises(FormatError):
            firth.load(damaged)


@pytest.mark.parametrize("content", [[], None, 3, {"l||": "abc"}, {"l||": [1]}])
def test_damaged_removals(tagger, tmp_path, content):
    tagger.save(tmp_path / "tagger")
    (tmp_path / "tagger/checksums.json").unlink()
    (tmp_path / "tagger/removals.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"removals\.json: expected lists of what edit scripts delete"):
        firth.load(tmp_path / "tagger")


def test_a_folder_without_a_dictionary_has_lemmas_as_tags(tagger):
    """As taggers were, whose target happened to be named lemma."""
    old = type(tagger)(tagger.module, tagger.options, tagger.reader, tagger.sets, None, {})
    assert old.predict(["Some ducks sits"])[0].tags["lemma"] == ("l||", "l||-", "l||-")


def test_training_that_goes_on(tagger):
    """What the dictionary knows stays, and the head is the one that was trained, however many tags are new."""
    new = DependencySentence.of(["Some", "mice", "sits"]).annotated(
        tags=["DET", "NOUN", "VERB"], lemmas=["some", "mouse", "sit"]
    )
    training, options = replace(firth.Tagger.training, epochs=1), firth.Tagger(targets="upos,lemma")
    more = options.train([new] * 2, held_out=[new], start=tagger, training=training, progress=False)
    assert more.lemmas.dictionary == {**tagger.lemmas.dictionary, ("mice", "NOUN"): "mouse"}
    old = type(tagger)(tagger.module, tagger.options, tagger.reader, tagger.sets, None, {})
    with pytest.raises(OptionError, match="the tags of 'lemma' are no edit scripts"):
        options.train([new] * 2, held_out=[new], start=old, training=training, progress=False)
    source = [(["a", f"w{n}"], [f"T{n}", "X"]) for n in range(80)]
    options = firth.Tagger(targets="x", **SIZES)
    few, many = source[:10], source
    start = options.train(few, held_out=few, training=training, progress=False)
    assert start.options.head_of("x", start.sets[0]) == "crf"
    more = options.train(many, held_out=many, start=start, training=training, progress=False)
    assert (len(more.tags["x"]), more.options.head) == (81, "crf")
