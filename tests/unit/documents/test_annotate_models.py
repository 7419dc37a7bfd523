"""Annotation by trained models of all kinds, from their folders, in one process and in several."""

import random

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.readers.conllu import DependencySentence

pytestmark = pytest.mark.slow


def treebank(rng):
    """Sentences of names and pronouns with tags, names of people and trees."""
    for _ in range(60):
        words = [rng.choice(["Ada", "Tom", "She", "He"]), rng.choice(["saw", "met"]), rng.choice(["Tom", "him"]), "."]
        tags = ["PROPN" if word in ("Ada", "Tom") else "PRON" if word[0] in "SHh" else "VERB" for word in words[:3]]
        yield DependencySentence.of(words).annotated(
            tags=[*tags, "PUNCT"], heads=[2, 0, 2, 2], relations=["nsubj", "root", "obj", "punct"]
        )


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    sentences = list(treebank(random.Random(0)))
    once = firth.TrainingOptions(epochs=12, batch_size=5, lr=0.02)
    small = {"dim": 8, "hidden": 8, "characters": "none", "min_count": 1, "dropout": 0.0}
    firth.Tagger(**small).train(sentences, training=once).save(folder / "words")
    names = [(each.words, ["B-PER" if tag == "PROPN" else "O" for tag in each.tags]) for each in sentences]
    firth.Tagger(**small, targets="ner").train(names, training=once).save(folder / "names")
    parser = firth.TransitionParser(dim=8, tag_dim=8, hidden=16, min_count=1, dropout=0.0)
    parser.train(sentences, training=once).save(folder / "parser")
    documents = [
        firth.Document(pair, clusters=[[(0, 1), (4, 5)], [(2, 3), (6, 7)]])
        for pair in zip(sentences[::2], sentences[1::2], strict=True)
    ]
    coref = firth.Coreference(dim=4, hidden=8, min_count=1, dropout=0.0)
    coref.train(documents, training=firth.TrainingOptions(epochs=3)).save(folder / "coref")
    return {"tagger": [folder / "words", folder / "names"], "parser": folder / "parser", "coref": folder / "coref"}


def test_all_stages_in_one_process_and_in_two(models, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("Ada met Tom. She saw him.\n\n" * 300, "utf-8")
    files = sorted(tmp_path.glob("*.txt"))
    for processes in (1, 2):
        result = firth.annotate_files(files, tmp_path / f"{processes}.conllu", **models, processes=processes)
        assert (result.documents, result.sentences, result.tokens) == (2, 1200, 4800)
        assert result.entities == 1200
        assert result.chains > 0
    assert (tmp_path / "1.conllu").read_bytes() == (tmp_path / "2.conllu").read_bytes()
    document = next(firth.read_documents(tmp_path / "1.conllu"))
    first = document.sentences[0]
    assert (first.tags, first.heads) == (("PROPN", "VERB", "PROPN", "PUNCT"), (2, 0, 2, 2))
    assert document.entities[:2] == (firth.Entity(0, 1, "PER"), firth.Entity(2, 3, "PER"))
    assert firth.annotate(document.text, **models).clusters == document.clusters


def test_what_a_stage_needs_is_said_at_once(models, tmp_path):
    (tmp_path / "a.txt").write_text("Ada met Tom.", "utf-8")
    for given, problem in (({"parser": models["parser"]}, "upos"), ({"coref": models["coref"]}, "tree")):
        with pytest.raises(firth.FirthError, match=f"raw text cannot be annotated by these models alone: .*{problem}"):
            firth.annotate_files(tmp_path / "a.txt", tmp_path / "out.conllu", **given)
    with pytest.raises(firth.FirthError, match="expected a tagger"):
        firth.annotate("Ada.", tagger=models["parser"])
    with pytest.raises(firth.FirthError, match="expected a parser"):
        firth.annotate("Ada.", parser=models["coref"])
    with pytest.raises(firth.FirthError, match="expected a coreference model"):
        firth.annotate("Ada.", coref=models["tagger"][0])
