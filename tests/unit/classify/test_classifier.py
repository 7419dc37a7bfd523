import dataclasses
import struct

import numpy as np
import pytest

import firth
from firth.classify.files import from_fasttext, load
from firth.classify.saving import to_fasttext
from firth.errors import CorpusError, FormatError, OptionError
from firth.kernels.labelled_text import EMPTY, REMOVED
from firth.vectors.io import fasttext
from firth.vectors.quantise import QuantisedMatrix

WORDS = ["red", "blue", "green", "sun", "moon", "star", "apple", "pear", "rose", "grass"]
LOSSES = ["softmax", "hierarchical", "negative", "ova"]


def data(count=120):
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS, 5)) for _ in range(count)]
    return texts, [text.split()[0] for text in texts]


def trained(**options):
    given = {"dim": 12, "lr": 1.0, "epochs": 15, "word_ngrams": 2, "buckets": 5000, **options}
    return firth.TextClassifier(**given).train(*data(), threads=1, progress=False)


@pytest.fixture(scope="module")
def classifiers():
    return {loss: trained(loss=loss) for loss in LOSSES}


@pytest.fixture
def classifier(classifiers):
    return classifiers["softmax"]


def test_one_text_gives_one_answer_and_a_list_a_list(classifier):
    one = classifier.predict("red sun moon")
    assert [type(label) for label, _ in one] == [str]
    assert classifier.predict(["red sun moon"]) == [one]
    assert classifier.predict([]) == []
    assert classifier.probabilities([]).shape == (0, len(classifier))


def test_answers_fall_and_are_the_probabilities(classifier):
    answer = classifier.predict("red sun", k=4)
    p = classifier.probabilities("red sun")
    assert [probability for _, probability in answer] == sorted(p, reverse=True)[:4]
    assert all(p[classifier.labels.index(label)] == probability for label, probability in answer)
    assert len(classifier.predict("red sun", k=1000)) == len(classifier.labels)


def test_a_threshold_leaves_out_what_is_less_likely(classifier):
    every = classifier.predict("red sun moon", k=10)
    least = every[2][1]
    assert classifier.predict("red sun moon", k=10, threshold=least) == every[:3]
    assert classifier.predict("red sun moon", threshold=1.0) == []


def test_line_feeds_are_white_space(classifier):
    assert classifier.predict("red\nsun\nmoon\n") == classifier.predict("red sun moon")
    assert classifier.predict(["red\nsun", "moon"]) == [classifier.predict("red sun"), classifier.predict("moon")]


def test_labels_in_a_text_are_passed_over(classifier):
    assert classifier.predict("__label__red blue sun") == classifier.predict("blue sun")


def test_a_text_without_known_features_has_the_shares_of_the_labels(classifiers):
    """`</s>` is known, so that an empty text has a feature; without it in the vocabulary, it has none."""
    for classifier in classifiers.values():
        without_end = dataclasses.replace(
            classifier, map=dataclasses.replace(classifier.map, words=["<>", *classifier.words[1:]])
        )
        assert classifier.words[0] == "</s>"
        shares = classifier.label_counts / classifier.label_counts.sum()
        assert without_end.probabilities("") == pytest.approx(shares)
        assert without_end.probabilities(["", "unknown words", "red"])[:2] == pytest.approx(np.stack([shares] * 2))
        assert not np.allclose(classifier.probabilities(""), shares)


@pytest.mark.parametrize("arguments", [{"k": 0}, {"k": 1.5}, {"k": True}, {"threshold": -0.1}, {"threshold": np.nan}])
def test_arguments_out_of_range(arguments, classifier):
    with pytest.raises(OptionError, match=next(iter(arguments))):
        classifier.predict("a", **arguments)


def test_an_item_that_is_no_text(classifier):
    with pytest.raises(CorpusError, match="item 1 is NoneType"):
        classifier.predict(["a", None])


def test_scores(classifier, tmp_path):
    texts, labels = data()
    assert classifier.test(texts, labels).texts == 120
    assert classifier.test(texts, labels).precision == 1
    lines = "".join(f"__label__{label} {text}\n" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "test.txt").write_text(lines, encoding="utf-8")
    assert classifier.test(tmp_path / "test.txt", k=3) == classifier.test(texts, labels, k=3)
    assert classifier.test(texts, labels, k=3).recall == 1
    assert classifier.test(texts, labels, k=3).precision == 1 / 3
    assert classifier.test(texts, labels, k=3, threshold=0.5).overall.predicted == 120
    unknown = classifier.test(["red", "red"], ["purple", ["purple", "red"]])
    assert unknown.by_label["purple"].support == 2
    assert unknown.by_label["purple"].recall == 0
    with pytest.raises(CorpusError, match="no label"):
        classifier.test(["a"], [None])


def test_vectors_of_texts_are_means_of_rows(classifier):
    rows = classifier.inputs[[classifier.map.ids[word] for word in ("red", "</s>")]]
    bigram = classifier.encode(["red"])[0] * 3 - rows.sum(0)  # the pair red </s>, which the training may know
    assert np.abs(classifier.inputs - bigram).max(1).min() < 1e-6 or np.abs(bigram).max() < 1e-6
    found = classifier.encode(["red", "", ["red", "blue"], "red blue"], batch_size=2)
    assert found.shape == (4, classifier.dim) == (4, 12)
    assert (found[1] == classifier.inputs[classifier.map.ids["</s>"]]).all()
    assert (found[2] == found[3]).all()
    with pytest.raises(AttributeError, match=r"use encode\(texts\)"):
        classifier.sentence_vectors(["red"])


@pytest.mark.parametrize("loss", LOSSES)
def test_a_folder_comes_back(loss, classifiers, tmp_path):
    texts, _ = data()
    classifier = classifiers[loss]
    classifier.save(tmp_path / "c.firth")
    found = firth.load(tmp_path / "c.firth")
    assert (found.labels, list(found.words), found.loss) == (classifier.labels, classifier.words, loss)
    assert np.array_equal(found.probabilities(texts), classifier.probabilities(texts))
    assert found.metadata == classifier.metadata
    small = classifier.quantise(lengths=True, labels=True)
    small.save(tmp_path / "c.firth")
    again = firth.load(tmp_path / "c.firth")
    assert np.array_equal(again.probabilities(texts), small.probabilities(texts))
    with pytest.raises(OptionError, match="already quantised"):
        again.quantise()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_fasttext_file_comes_back(loss, classifiers, tmp_path):
    texts = [*data()[0], "unknown red words", ""]
    for name, classifier in {"c.bin": classifiers[loss], "c.ftz": classifiers[loss].quantise()}.items():
        classifier.save(tmp_path / name)
        found = firth.load(tmp_path / name)
        assert np.array_equal(found.probabilities(texts), classifier.probabilities(texts))
        assert found.labels == classifier.labels
        file = fasttext.read(tmp_path / name)
        assert file.labels == ["__label__" + label for label in classifier.labels]
        assert file.arguments.loss == loss
        assert load(tmp_path / name).labels == classifier.labels


def test_codes_stand_for_rows(classifier):
    """As many centroids as rows: what is lost is rounding, and n-grams that the training texts do not have."""
    small = trained(word_ngrams=1).quantise(labels=True)
    whole = trained(word_ngrams=1)
    assert isinstance(small.inputs, QuantisedMatrix)
    assert small.inputs.rows() == pytest.approx(whole.inputs, abs=1e-3)
    texts, _ = data()
    assert small.probabilities(texts) == pytest.approx(whole.probabilities(texts), abs=1e-2)


def test_pruning_keeps_the_longest_rows_and_the_end():
    whole = trained()
    small = whole.quantise(keep=20)
    assert small.inputs.shape == (20, 12)
    assert small.words[0] == "</s>"
    rows = small.map.bucket_rows
    assert ((rows == REMOVED) | (rows >= len(small.words))).all()
    norms = np.linalg.norm(whole.inputs, axis=1)
    kept = {whole.map.ids[word] for word in small.words} | set(whole.map.bucket_rows[rows >= 0].tolist())
    assert len(kept) == 20
    assert min(norms[list(kept - {0})]) >= max(np.delete(norms, list(kept)))
    assert (whole.map.bucket_rows == EMPTY).any()
    with pytest.raises(OptionError, match="keep=0"):
        whole.quantise(keep=0)


def test_labels_with_spaces_stay_in_firths_format(tmp_path):
    found = firth.TextClassifier(dim=4).train(["a", "b"], ["one label", "other"], threads=1, progress=False)
    found.save(tmp_path / "c.firth")
    assert firth.load(tmp_path / "c.firth").labels == ["one label", "other"]
    with pytest.raises(FormatError, match="__label__one label"):
        found.save(tmp_path / "c.bin", "fasttext")
    assert not (tmp_path / "c.bin").exists()


def test_vectors_are_no_classifier(classifier):
    file = to_fasttext(classifier)
    vectors = dataclasses.replace(file, arguments=dataclasses.replace(file.arguments, model="cbow"))
    with pytest.raises(OptionError, match="cbow word vectors"):
        from_fasttext(vectors)


@pytest.mark.parametrize("what", ["labels.json", "model.safetensors", "buckets", "loss"])
def test_a_damaged_folder_is_refused(what, classifier, tmp_path):
    folder = tmp_path / "c.firth"
    classifier.save(folder)
    if what in ("buckets", "loss"):
        config = (folder / "config.json").read_text()
        changed = config.replace('"bucket_count": 5000', '"bucket_count": 5') if what == "buckets" else config.replace(
            '"loss": "softmax",\n  "label', '"loss": "hinge",\n  "label'
        )  # fmt: skip
        assert changed != config
        (folder / "config.json").write_text(changed)
    else:
        (folder / what).unlink()
    with pytest.raises(FormatError):
        firth.load(folder)


def test_the_name_or_the_format_decides_between_a_folder_and_a_fasttext_file(classifier, tmp_path):
    for name, format, is_folder in (("a", None, True), ("a.bin", None, False), ("b.bin", "firth", True)):
        classifier.save(tmp_path / name, format)
        assert (tmp_path / name).is_dir() == is_folder
    classifier.save(tmp_path / "c.model", "fasttext")
    assert (tmp_path / "c.model").is_file()


def test_an_unknown_format(classifier, tmp_path):
    with pytest.raises(OptionError, match="expected firth or fasttext"):
        classifier.save(tmp_path / "c", "glove")


def test_it_tells_of_itself(classifier):
    assert repr(classifier) == "<Classifier: 10 labels, 11 words x 12>"
    assert "quantised" in repr(classifier.quantise())


def test_buckets_that_a_file_cannot_hold_are_refused(classifier, tmp_path):
    """The ninth number of fastText's options, behind its two magic ones, says how many buckets there are."""
    path = tmp_path / "c.ftz"
    classifier.quantise().save(path, "fasttext")
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, 4 * (2 + 8), 2**31 - 1)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"hold 2,147,483,647 buckets, which takes 8,589,934,588 bytes of memory"):
        firth.load(path)
