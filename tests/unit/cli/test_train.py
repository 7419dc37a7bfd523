import contextlib
import dataclasses
import inspect
import json
from pathlib import Path

import numpy as np
import pytest
import typer

import firth
from firth.cli.flags import Flags, with_flags
from firth.cli.train_vectors import command
from firth.comparison.models import vector_models
from firth.corpus.options import CorpusOptions
from firth.options import option
from tests.robustness.command import sentences

BASE = {"seed": 3, "threads": 1, "quiet": True}


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "text.txt").write_text(sentences(300), encoding="utf-8")


def run(model="skipgram", corpus=("text.txt",), output="out.firth", **options):
    train_model = command(vector_models()[model])
    given = {name: each.default for name, each in inspect.signature(train_model).parameters.items()}
    train_model(**{**given, **BASE, "corpus": list(corpus), "output": Path(output), **options})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    size: int = option(7, "how big", minimum=1)
    rate: float | None = option(None, "how quick")
    kind: str = option("a", "which", choices=("a", "b"))
    loud: bool = option(True, "whether to shout")
    stops: tuple[str, ...] = option((), "no flag can give this")
    plain: int = 3


def test_flags_are_the_fields_of_the_dataclass():
    found = {each.name: each for each in Flags(Options, "Panel").parameters()}
    assert list(found) == ["size", "rate", "kind", "loud"]
    helps = {name: each.annotation.__metadata__[0].help for name, each in found.items()}
    assert helps == {
        "size": "How big. Default: 7.",
        "rate": "How quick.",
        "kind": "Which. One of a, b. Default: a.",
        "loud": "Whether to shout. Default: yes.",
    }
    assert all(each.default is None for each in found.values())


def test_a_flag_that_is_not_given_is_not_passed_on():
    assert Flags(Options, "Panel").select({"size": 9, "rate": None, "other": 1}) == {"size": 9}
    assert Flags(Options, "Panel", frozenset({"size"})).select({"size": 9, "kind": "b"}) == {"kind": "b"}


def test_a_command_gets_its_flags():
    def command(name: str, **options: object) -> None:
        """Do it."""
        seen.update(name=name, **options)

    seen: dict[str, object] = {}
    app = typer.Typer()
    app.command()(with_flags(command, [Flags(Options, "Panel")]))
    with pytest.raises(SystemExit):
        app(["it", "--size", "9", "--no-loud", "--kind", "b"])
    assert seen == {"name": "it", "size": 9, "rate": None, "kind": "b", "loud": False}


def test_every_option_of_every_model_and_of_the_corpus_has_a_flag_or_a_reason():
    for name, model in vector_models().items():
        flags = set(inspect.signature(command(vector_models()[name])).parameters)
        fields = {field.name for field in dataclasses.fields(model.kind)}
        assert fields - set(model.preset) <= flags
        assert set(model.preset) <= fields
        assert not set(model.preset) & flags
        assert {field.name for field in dataclasses.fields(CorpusOptions)} <= flags


@pytest.mark.parametrize("model", list(vector_models()))
def test_trains_what_python_code_would(model, capsys):
    kind = vector_models()[model].kind
    passes = {"epochs": 2} if "epochs" in kind.__dataclass_fields__ else {}
    run(model, dim=8, min_count=1, json=True, **passes)
    told = json.loads(capsys.readouterr().out)
    found = firth.load("out.firth")
    corpus = firth.Corpus.build("text.txt", **{**getattr(kind, "corpus_options", {}), "min_count": 1})
    options = dict(vector_models()[model].preset, dim=8, **passes)
    expected = kind(**options).train(corpus, seed=3, threads=1, progress=False)
    np.testing.assert_array_equal(found.vectors, expected.vectors)
    assert found.metadata["training"]["options"] == expected.metadata["training"]["options"]
    assert found.metadata["name"] == "out"
    assert {name: told[name] for name in ("vectors", "words", "dim", "interrupted")} == {
        "vectors": "out.firth",
        "words": len(found),
        "dim": 8,
        "interrupted": False,
    }
    assert len(told["loss"]) == passes.get("epochs", 0)


def test_says_where_how_fast_and_what_next(capsys):
    run(dim=8, epochs=1)
    where, how_fast, what_next = capsys.readouterr().out.splitlines()
    assert where.startswith("out.firth: 26 words x 8")
    assert "words/s" in how_fast
    assert what_next.startswith("next: firth neighbours out.firth ")
    assert what_next.split()[-1] in firth.load("out.firth")


def test_goes_on_from_vectors(capsys):
    run(dim=8, epochs=1, output="first.firth")
    run(dim=8, epochs=1, output="second.firth", start=Path("first.firth"))
    run(dim=8, epochs=1, output="alone.firth")
    second, alone = firth.load("second.firth").vectors, firth.load("alone.firth").vectors
    assert not np.array_equal(second, alone)


def test_old_words_are_frozen(capsys, tmp_path):
    run(dim=8, epochs=1, output="first.firth")
    (tmp_path / "text.txt").write_text("aaa novel bbb novel ccc\n" * 50, encoding="utf-8")
    run(dim=8, epochs=1, output="second.firth", start=Path("first.firth"), freeze=True)
    first, second = firth.load("first.firth"), firth.load("second.firth")
    assert set(second.words) - set(first.words) == {"novel"}
    assert all(second[word].tobytes() == first[word].tobytes() for word in first.words)
    with pytest.raises(firth.FirthError, match="--freeze without --start; expected --start"):
        run(freeze=True)


@pytest.mark.parametrize(("model", "shown"), [("fasttext", True), ("structured", True), ("glove", False)])
def test_models_that_cannot_freeze_have_no_flag(model, shown):
    assert ("freeze" in inspect.signature(command(vector_models()[model])).parameters) == shown


def test_a_corpus_folder_is_trained_on_as_it_is(capsys):
    corpus = firth.Corpus.build("text.txt", min_count=1)
    run(corpus=[str(corpus.path)], dim=8, epochs=1)
    assert firth.load("out.firth").words == list(corpus.vocabulary.words)
    with pytest.raises(firth.FirthError, match="built already; min_count can only"):
        run(corpus=[str(corpus.path)], output="other.firth", min_count=2)


def test_stop_words_come_from_a_file(tmp_path, capsys):
    (tmp_path / "stop.txt").write_text("aaa\nbbb\n", encoding="utf-8")
    run(dim=8, epochs=1, stop_words=tmp_path / "stop.txt")
    found = firth.load("out.firth")
    assert "aaa" not in found
    assert "ccc" in found


def test_standard_input_stands_alone():
    with pytest.raises(firth.FirthError, match="expected it alone"):
        run(corpus=["-", "text.txt"])


def test_old_vectors_of_ours_are_replaced(capsys):
    run(dim=8, epochs=1)
    run(dim=4, epochs=1, overwrite=True)
    assert firth.load("out.firth").dim == 4


def test_deterministic_gives_the_same_bits_for_any_number_of_threads(capsys):
    saved = []
    for threads in (1, 2):
        run(dim=8, epochs=1, threads=threads, deterministic=True, overwrite=True)
        saved.append(firth.load("out.firth"))
    assert saved[0].vectors.tobytes() == saved[1].vectors.tobytes()
    assert [vectors.metadata["training"]["deterministic"] for vectors in saved] == [True, True]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"workers": 9}, "--workers 9 without --cluster; use --threads for threads of this machine, or --cluster"),
        ({"merge_every": 900}, "--merge-every 900 without --cluster: only a cluster merges so; leave it out, or use"),
        (
            {"cluster": "local", "threads": None, "merge_every": 9},
            "merge_every=9: expected a whole number of at least 64",
        ),
        ({"cluster": "local", "threads": 2}, "--threads with --cluster: each of --workers is one process"),
        (
            {"cluster": "local", "threads": 2, "deterministic": True, "workers": 2},
            "--threads and --deterministic with --cluster",
        ),
    ],
)
def test_flags_of_a_cluster_that_contradict_others(flags, message, monkeypatch):
    monkeypatch.setattr("firth.cluster.ray_crew.ray_package", lambda: None)
    with pytest.raises(firth.FirthError, match=message):
        run(**flags)
    assert not Path("out.firth").exists()


def test_a_cluster_merges_as_often_as_the_flag_says(monkeypatch):
    seen = []

    def train(self, model, text, **how):
        seen.append((self, how))
        return model.train(text, seed=how["seed"], threads=1, progress=False)

    monkeypatch.setattr(firth.Cluster, "train", train)
    monkeypatch.setattr(firth.Cluster, "lend", lambda self: contextlib.nullcontext())
    monkeypatch.setattr("firth.cluster.ray_crew.ray_package", lambda: None)
    run(dim=8, epochs=1, threads=None, cluster="local", workers=2, merge_every=900)
    run(dim=8, epochs=1, threads=None, cluster="local", start=Path("out.firth"), freeze=True, overwrite=True)
    assert [(each.workers, each.merge_every) for each, _ in seen] == [(2, 900), (None, 4096)]
    assert seen[1][1]["freeze"] is True
    assert "freeze" not in seen[0][1]


@pytest.mark.parametrize(("model", "shown"), [("fasttext", True), ("glove", True), ("adagram", False), ("lsa", False)])
def test_models_without_such_a_training_have_no_flag(model, shown):
    assert ("deterministic" in inspect.signature(command(vector_models()[model])).parameters) == shown


def test_a_model_of_senses_refuses_deterministic():
    with pytest.raises(firth.FirthError, match="deterministic=True: MultiSenseSkipGram has no training"):
        run("mssg", deterministic=True)


def test_a_model_of_senses_says_what_it_made(capsys):
    run("adagram", dim=4, max_senses=2, epochs=1, sample=0.0, json=True)
    facts = json.loads(capsys.readouterr().out)
    senses = firth.load("out.firth")
    assert (facts["words"], facts["dim"]) == (len(senses), 4)
    assert (senses.num_senses >= 1).all()
    assert senses.metadata["training"]["options"]["max_senses"] == 2


def test_common_options_are_options():
    kinds = {model.kind for model in vector_models().values()} | {firth.TextClassifier}
    for kind in kinds:
        assert set(kind.common_options) <= {field.name for field in dataclasses.fields(kind)}, kind.__name__
    assert all(model.description.endswith(").") for model in vector_models().values())  # each names its paper


def test_a_name_that_no_file_can_have_is_refused_as_such(run, tmp_path):
    long, text = "a" * 300, tmp_path / "text.txt"
    text.write_text("the cat sat\n")
    for arguments in (long, "-o", tmp_path / "v"), (text, "-o", long):
        status, _, err = run("train", "skipgram", *arguments)
        assert (status, "no file can have this name" in err, "corpus.json" in err) == (1, True, False), err
