import numpy as np
import pytest

import firth
from firth import registry
from firth.errors import FormatError, OptionError
from firth.language.files import load_language_model, save_language_model
from firth.language.mixture import Mixture
from tests.unit.language.toys import random_model


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setitem(registry.LOADERS, "firth-toy", "tests.unit.language.toys:restore")


def test_reads_what_was_saved(tmp_path):
    Mixture([random_model(0)], [1.0]).save(tmp_path / "model")
    assert isinstance(load_language_model(tmp_path / "model"), Mixture)


def test_what_is_no_language_model_is_told(tmp_path):
    firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).save(tmp_path / "vectors")
    (tmp_path / "text.txt").write_text("a b")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OptionError, match="holds word vectors, expected a language model"):
        load_language_model(tmp_path / "vectors")
    for name in ("text.txt", "folder"):
        with pytest.raises(
            FormatError, match="not a language model; expected a folder saved by `firth lm train`, or an ARPA"
        ):
            load_language_model(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="expected a language model saved by `firth lm train`"):
        load_language_model(tmp_path / "missing")


@pytest.mark.parametrize("name", ["three.arpa", "three.lm", "three.ARPA.gz", "three.firth"])
def test_n_grams_there_and_back(name, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    lines = ["a b a c", "b a c c b", "a c b"] * 3
    corpus = firth.Corpus.build(lines, min_count=1, tokens="whitespace", cache=tmp_path)
    model = firth.NgramLM(order=3, discount_fallback=True).train(corpus)
    save_language_model(model, tmp_path / name)
    assert (tmp_path / name).is_dir() == name.endswith(".firth")
    again = load_language_model(tmp_path / name)
    for one, other in zip(model.score(lines), again.score(lines), strict=True):
        assert one.tokens == other.tokens
        np.testing.assert_allclose(one.log_probs, other.log_probs, atol=1e-7)


def test_only_n_grams_go_into_arpa_files(tmp_path):
    with pytest.raises(OptionError, match="an ARPA file holds an n-gram model, and this is TableModel"):
        save_language_model(random_model(0), tmp_path / "model.arpa")
    assert not list(tmp_path.iterdir())


def test_the_rule_of_a_folder_cannot_be_changed(tmp_path):
    Mixture([random_model(0)], [1.0]).save(tmp_path / "model")
    assert load_language_model(tmp_path / "model", tokens="whitespace").rules.tokens == "whitespace"
    with pytest.raises(OptionError, match=r"model: tokens='words', but the model reads text with tokens='whitespace'"):
        load_language_model(tmp_path / "model", tokens="words")
