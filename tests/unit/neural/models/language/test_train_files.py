"""Neural language models on disk: the same numbers again, and a sentence for what is damaged."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError, OptionError
from firth.storage import tensors
from tests.robustness.tampering import array_of, change, with_number
from tests.unit.neural.models.language.tiny import EVERY, text_of, untrained


@pytest.fixture
def text(tmp_path):
    return text_of(tmp_path / "cache")


@pytest.mark.parametrize("name", EVERY)
def test_what_is_saved_comes_back(text, name, tmp_path):
    """Another seed than the one that loading draws with, so that every number has to come from the file."""
    model = untrained(EVERY[name], text, seed=5)
    model.metadata["note"] = "kept"
    model.save(tmp_path / "model")
    again = firth.load(tmp_path / "model")
    assert again.options == model.options
    assert again.rules == model.rules
    assert list(again.vocabulary.words) == list(text.vocabulary.words)
    assert again.vocabulary.counts.tolist() == text.vocabulary.counts.tolist()
    assert again.metadata == {"note": "kept"}
    assert (again.log_probs(text) == model.log_probs(text)).all()


def test_a_tied_weight_is_kept_once_and_is_one_again(text, tmp_path):
    model = untrained(EVERY["lstm"], text)
    model.save(tmp_path / "model")
    names = list(tensors.mapped(tmp_path / "model" / "model.safetensors"))
    assert "embedding.weight" in names
    assert "output.weight" not in names
    module = firth.load(tmp_path / "model").module
    assert module.output.weight is module.embedding.weight


def edited(path, **changes):
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    (path / "config.json").write_text(json.dumps({**config, **changes}), encoding="utf-8")
    (path / "checksums.json").unlink()


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"model": "Corpus"}, "model 'Corpus', expected one of FeedForwardLM, LogBilinearLM"),
        ({"model": "os.system"}, "expected one of FeedForwardLM"),
        ({"options": {"order": 1}}, "order=1: expected a whole number of at least 2"),
        ({"options": {"colour": 1}}, "colour=1: LogBilinearLM has no such option"),
        ({"options": {"dim": 7}}, "tensors of other shapes"),
        ({"options": {"output": None}}, "output=None: expected a text"),
        ({"rules": {}, "bos": None}, "config.json does not describe a language model"),
        ({"options": {"dim": 8, "order": 4, "context_matrices": "diagonal"}}, "tensors of other shapes"),
        ({"options": {"dim": 8, "order": 4, "tie_weights": True}}, "missing or unknown tensors: output.weight"),
        ({"options": {"dim": 10**9, "order": 4}}, "the option dim=1,000,000,000 in config.json"),
        ({"bos": 10**6}, "bos=1000000, expected the number of one of"),
        ({"total": "many"}, "config.json does not describe a language model"),
        ({"rules": {"tokens": 3, "sentences": "line", "ends": True}}, "invalid text rules"),
    ],
)
def test_a_folder_that_was_changed_is_refused(text, tmp_path, changes, found):
    untrained(EVERY["log-bilinear"], text).save(tmp_path / "model")
    edited(tmp_path / "model", **changes)
    with pytest.raises(FormatError, match="copy or save it again") as error:
        firth.load(tmp_path / "model")
    assert found in str(error.value)


@pytest.mark.parametrize("name", ["format_version", "model", "options", "rules", "bos", "total"])
@pytest.mark.parametrize("wrong", [None, [1], [], "x", {"x": [1]}, [{"steps": 1}]])
def test_a_value_of_another_kind_is_refused(text, tmp_path, name, wrong):
    untrained(EVERY["log-bilinear"], text).save(tmp_path / "model")
    edited(tmp_path / "model", **{name: wrong})
    with pytest.raises(FormatError):
        firth.load(tmp_path / "model")


def test_a_file_that_is_cut_short_is_refused(text, tmp_path):
    untrained(EVERY["gru"], text).save(tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FormatError):
        firth.load(tmp_path / "model")


def test_a_folder_of_something_else_is_left_alone(text, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(OptionError, match="a folder of something else"):
        untrained(EVERY["rnn"], text).save(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("name", ["classes", "adaptive"])
def test_where_words_are_found_must_follow_from_their_counts(text, tmp_path, name):
    """A table that sends words elsewhere gives probabilities of others, or reads rows that are not there."""
    untrained(firth.RecurrentLM(dim=4, hidden=4, output=name), text).save(tmp_path / "model")
    table = {"classes": "output.class_of", "adaptive": "output.rank"}[name]
    array = array_of(tmp_path / "model", table)
    for place, number in ((0, 10**12), (0, -1), (slice(None, 2), array[1::-1] if array[0] != array[1] else 5)):
        change(tmp_path / "model", **{table: with_number(array, place, number)})
        with pytest.raises(FormatError, match=f"tensor '{table}' does not fit the vocabulary and its counts"):
            firth.load(tmp_path / "model")


def test_weights_that_are_not_finite(text, tmp_path):
    untrained(EVERY["gru"], text).save(tmp_path / "model")
    weight = array_of(tmp_path / "model", "embedding.weight")
    change(tmp_path / "model", **{"embedding.weight": with_number(weight, (1, 0), np.nan)})
    with pytest.raises(FormatError, match=r"tensor 'embedding\.weight' holds NaN or infinity in row 1"):
        firth.load(tmp_path / "model")
