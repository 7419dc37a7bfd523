"""`firth tag`: train, predict and test."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.cli.app import build_app
from firth.documents.files import write_documents
from firth.errors import CorpusError, FormatError, OptionError

TINY = ["--dim", "8", "--hidden", "8", "--char-width", "4", "--epochs", "4", "--lr", "0.05", "-q"]
CONLLU = "1\tShe\tshe\tPRON\t_\tCase=Nom\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ner.txt").write_text("Ann NNP I-PER\nruns VBZ O\n\nin IN O\nRome NNP I-LOC\n\n" * 15, encoding="utf-8")
    (tmp_path / "a.conllu").write_text(CONLLU * 20, encoding="utf-8")


def run(*arguments):
    line = ["tag", *arguments]
    return firth_command(*line)


def firth_command(*line):
    with pytest.raises(SystemExit) as ended:
        build_app(line)(line, prog_name="firth")
    return ended.value.code or 0


def test_columns(capsys, tmp_path):
    assert run("train", "ner.txt", "-o", "n", "--held-out", "ner.txt", "--json", *TINY) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["tags"], facts["sentences"]) == ("bilstm-crf", {"tag": 5}, 30)
    assert firth.load("n").options.hidden == 8
    assert run("test", "n", "ner.txt", "--json", "-q") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["spans"]["gold"] == 30
    assert scores["score"] > 0.9
    assert run("test", "n", "ner.txt", "-q") == 0
    assert "30 gold spans" in capsys.readouterr().out
    (tmp_path / "new.txt").write_text("Ann, of Rome, runs. He sat ,\n", encoding="utf-8")
    with pytest.warns(
        UserWarning, match=r"new.txt: 2 words with a mark behind, such as 'Ann,'; .* firth annotate FILE"
    ):
        assert run("predict", "n", "new.txt", "-q") == 0
    capsys.readouterr()
    (tmp_path / "new.txt").write_text("Ann runs in Rome\n\nRome\n", encoding="utf-8")
    assert run("predict", "n", "new.txt", "-q") == 0
    assert capsys.readouterr().out.split("\n\n")[0] == "Ann\tB-PER\nruns\tO\nin\tO\nRome\tB-LOC"
    assert run("predict", "n", "new.txt", "-q", "--probabilities") == 0
    assert 0 <= float(capsys.readouterr().out.splitlines()[0].split("\t")[2]) <= 1
    assert run("predict", "n", "ner.txt", "-q", "--columns", "--json") == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first == {"words": ["Ann", "runs"], "tags": {"tag": ["B-PER", "O"]}}
    (tmp_path / "counted.tsv").write_text("1\tAnn\tB-PER\n2\truns\tO\n\n1\tRome\tB-LOC\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="column 2 is read as words"):
        assert run("predict", "n", "counted.tsv", "-q", "--columns") == 0
    assert capsys.readouterr().out == "Ann\tB-PER\nruns\tO\n\nRome\tB-LOC\n\n"
    assert run("test", "n", "counted.tsv", "-q", "--word-column", "2") == 0
    assert "F1 100.00" in capsys.readouterr().out


def test_conllu_with_two_targets(capsys, tmp_path):
    assert run("train", "a.conllu", "-o", "p", "--targets", "upos,feats", *TINY) == 0
    assert "p: bilstm-crf, 2 tags of upos, 2 tags of feats, 2 words" in capsys.readouterr().out
    two_roots, damaged = CONLLU.replace("2\tnsubj", "0\troot"), "1\tShe\n\n"
    (tmp_path / "a.conllu").write_text(CONLLU * 20 + two_roots + damaged, encoding="utf-8")
    with pytest.warns(UserWarning, match="skipped 1 of 22 sentences: line 64: 2 columns"):
        assert run("test", "p", "a.conllu", "-q") == 0
    with pytest.raises(FormatError, match="line 64: 2 columns"):
        run("test", "p", "a.conllu", "-q", "--on-error", "stop")
    (tmp_path / "a.conllu").write_text(CONLLU * 20, encoding="utf-8")
    capsys.readouterr()
    assert run("predict", "p", "a.conllu", "-q") == 0
    assert capsys.readouterr().out == CONLLU * 20
    assert run("test", "p", "a.conllu", "-q") == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("feats: accuracy 100.00")


def test_a_tagger_gives_by_default_what_a_parser_reads_by_default(capsys):
    assert run("train", "a.conllu", "-o", "t", *TINY[:-1]) == 0
    printed = capsys.readouterr()
    assert "t: bilstm-crf, 2 tags of upos, 2 tags of feats, 2 words" in printed.out
    assert "targets=upos,feats" in printed.err
    sizes = ["--dim", "4", "--hidden", "4", "--epochs", "1", "-q"]
    assert firth_command("parse", "train", "a.conllu", "-o", "p", *sizes) == 0
    assert firth_command("parse", "test", "p", "a.conllu", "--tagger", "t", "-q") == 0
    assert "predicted" in capsys.readouterr().out


def test_lemmas_fill_their_column(capsys, tmp_path):
    assert run("train", "a.conllu", "-o", "p", "--targets", "upos,lemma", *TINY) == 0
    assert "2 tags of upos, 3 tags of lemma" in capsys.readouterr().out
    assert run("test", "p", "a.conllu", "-q") == 0
    assert "lemma: accuracy " in capsys.readouterr().out
    (tmp_path / "new.conllu").write_text(CONLLU.replace("\tshe\tPRON", "\t_\t_").replace("\trun\t", "\t_\t"))
    assert run("predict", "p", "new.conllu", "-q") == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.strip().splitlines()]
    assert [row[2] for row in rows] == ["she", "run"]


def test_a_window(capsys):
    how = ["--dim", "8", "--hidden", "8", "--epochs", "1", "-q"]
    assert run("train", "ner.txt", "-o", "w", "--model", "window", *how) == 0
    assert "w: window, 5 tags of tag" in capsys.readouterr().out
    assert firth.load("w").options.head == "margin"
    assert firth_command("info", "w", "-q") == 0
    assert "TaggerModel: window, margin, 5 tags of tag" in capsys.readouterr().out


def test_files_of_documents(capsys, tmp_path):
    document = firth.Document.from_text("Ann runs. In Rome.").annotated(entities=[(0, 1, "PER"), (4, 5, "LOC")])
    write_documents(tmp_path / "d.jsonl", [document] * 12)
    assert run("train", "d.jsonl", "-o", "n", *TINY) == 0
    assert "n: bilstm-crf, 5 tags of ner" in (printed := capsys.readouterr().out)
    assert "best epoch" in printed
    assert ": F1 of spans " in printed
    with pytest.raises(OptionError, match=r"use firth annotate d\.jsonl --tagger MODEL"):
        run("predict", "n", "d.jsonl", "-q")


def test_the_place_of_another_model_is_not_taken(tmp_path):
    firth.WordVectors(["a"], [[1.0]]).save(tmp_path / "v")
    for group in ("tag", "parse", "coref"):
        with pytest.raises(OptionError, match=r"v holds another model \(vectors\), which is not replaced"):
            firth_command(group, "train", "a.conllu", "-o", "v", "-q")
    for model in ("fasttext", "cnn"):
        with pytest.raises(OptionError, match="v holds another model"):
            firth_command("classify", "train", "ner.txt", "-o", "v", "-q", "--model", model)
    assert firth.load(tmp_path / "v").words == ["a"]


def test_what_is_no_text_is_refused(tmp_path):
    assert run("train", "ner.txt", "-o", "n", *TINY, "--epochs", "1") == 0
    for name, text, message in (
        ("tabs.txt", "Ann\tB-PER\nruns\tO\n", "a word per line, with tags behind it; use --columns"),
        ("ner.txt", "Ann NNP I-PER\nruns VBZ O\n", "use --columns"),
        ("bytes.txt", b"Ann\0", "binary data"),
    ):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises((OptionError, CorpusError), match=message):
            run("predict", "n", name, "-q")
    (tmp_path / "text.txt").write_text("Ann runs in\nRome IN O\n", encoding="utf-8")
    assert run("predict", "n", "text.txt", "-q") == 0
    (tmp_path / "wide.txt").write_bytes("Ann runs".encode("utf-16"))
    assert run("predict", "n", "wide.txt", "-q") == 0
    with pytest.raises(FormatError, match="the tag 'runs'"):
        run("test", "n", "wide.txt", "-q")


def test_names_of_other_programs(capsys):
    for line, advice in (
        (["tag", "train", "ner.txt", "-o", "n", "--dev", "ner.txt"], "use --held-out"),
        (["tag", "train", "ner.txt", "-o", "n", "--test-file", "ner.txt"], "tested by firth tag test MODEL FILE"),
        (["ner", "ner.txt"], "use firth tag train or firth tag predict"),
    ):
        assert firth_command(*line) == 2
        assert advice in " ".join(capsys.readouterr().err.replace("│", " ").split())
    with pytest.raises(AttributeError, match=r"use firth.Tagger\(...\).train"):
        firth.NER  # noqa: B018


def test_what_is_refused(tmp_path):
    with pytest.raises(OptionError, match="expected one of bilstm-crf, window"):
        run("train", "ner.txt", "-o", "n", "--model", "hmm")
    firth.WordVectors(["a"], [[1.0]]).save(tmp_path / "v")
    with pytest.raises(OptionError, match="expected a tagger"):
        run("predict", "v", "ner.txt")


def test_a_tagger_over_a_bidirectional_language_model(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "raw.txt").write_text("Ann runs in Rome.\nAnn runs.\n" * 10, encoding="utf-8")
    sizes = ["--dim", "6", "--layers", "1", "--epochs", "1", "--batch-size", "40", "--min-count", "1"]
    assert firth_command("lm", "train", "elmo", "raw.txt", "-o", "lm", "--held-out", "raw.txt", "-q", *sizes) == 0
    printed = capsys.readouterr().out
    assert "\nperplexity forward " in printed
    assert printed.endswith("next: firth tag train FILE -o TAGGER --embed lm\n")
    assert run("train", "ner.txt", "-o", "n", "--embed", "lm", *TINY) == 0
    tagger = firth.load("n")
    assert [each.settings for each in tagger.reader.embedders] == [{"kind": "ELMo", "tuned": False, "output": False}]
    assert "Ann" in firth.load("lm").vocabulary.words


def test_a_pretrained_encoder_has_a_flag_of_its_own():
    with pytest.raises(OptionError, match=r"--encoder bert: expected one of bilstm, window; a pre.* as --embed bert$"):
        run("train", "ner.txt", "-o", "n", "--encoder", "bert", "-q")
    with pytest.raises(OptionError, match=r"--encoder bilst: expected one of bilstm, window$"):
        run("train", "ner.txt", "-o", "n", "--encoder", "bilst", "-q")


def test_vectors_of_raw_text(capsys, tmp_path):
    (tmp_path / "raw.txt").write_text("Ann runs in Rome and Ann sings in Oran\n" * 30, encoding="utf-8")
    assert run("train", "ner.txt", "-o", "n", "--raw", "raw.txt", "--threads", "1", *TINY[2:]) == 0
    assert firth.load("n").options.dim == 100
    assert "oran" in firth.load("n").words  # known by its vector alone
    with pytest.raises(OptionError, match="--vectors and --raw: expected one of them"):
        run("train", "ner.txt", "-o", "m", "--raw", "raw.txt", "--vectors", "x.bin", *TINY)


def test_going_on_from_a_tagger(capsys, tmp_path):
    assert run("train", "ner.txt", "-o", "n", *TINY) == 0
    (tmp_path / "more.txt").write_text("Ann NNP I-PER\non IN O\nMonday NNP I-DATE\n\n" * 8, encoding="utf-8")
    assert run("train", "more.txt", "-o", "m", "--start", "n", "-q", "--epochs", "1") == 0
    assert {"B-LOC", "B-DATE"} <= set(firth.load("m").tags["tag"])
    with pytest.raises(OptionError, match=r"--hidden 5 with start: the tagger has --hidden 8"):
        run("train", "more.txt", "-o", "x", "--start", "n", "-q", "--hidden", "5")


def test_learning_curve(capsys, tmp_path):
    assert run("curve", "ner.txt", "--sizes", "4,8", "--draws", "1", "--json", "-q") == 0
    curve = json.loads(capsys.readouterr().out)
    assert (curve["measure"], [point["examples"] for point in curve["points"]]) == ("F1 of spans", [4, 8])
    with pytest.raises(OptionError, match="--sizes 4,x: expected whole numbers with commas"):
        run("curve", "ner.txt", "--sizes", "4,x")


def test_the_least_certain_sentences_to_correct(capsys, tmp_path):
    """What is corrected is trained on as it is, and left out the next time."""
    assert run("train", "ner.txt", "-o", "n", *TINY) == 0
    (tmp_path / "new.txt").write_text("Ann runs in Oslo.\n\nRome in Ann.\n\nin Rome\n", encoding="utf-8")
    capsys.readouterr()
    for name in ("next.jsonl", "next.ann"):
        assert run("correct", "n", "new.txt", "-o", name, "--most", "2", "--done", "ner.txt", "-q") == 0
        assert capsys.readouterr().err.startswith(f"{name}: 2 sentences, ")
        assert run("train", name, "-o", f"after {name}", "--targets", "ner", *TINY) == 0
        capsys.readouterr()
    assert (
        run("correct", "n", "new.txt", "-o", "rest.jsonl", "--done", "ner.txt", "--done", "next.ann", "-q", "--json")
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {"file": "rest.jsonl", "sentences": 0, "entities": 0}
    for line, problem in (
        (["new.txt"], "no file to write to: give -o FILE"),
        (["next.jsonl", "-o", "x.jsonl", "--lines", "word"], r"--lines word: of raw text, and next\.jsonl is none"),
        (["new.txt", "-o", "x.jsonl", "--measure", "entropy"], "--measure entropy: expected one of mnlp, total"),
        (["new.txt", "-o", "x.spam"], r"x\.spam: expected a name that ends in"),
    ):
        arguments = ["tag", "correct", "n", *line]
        with pytest.raises(OptionError, match=problem):
            build_app(arguments)(arguments, prog_name="firth", standalone_mode=False)
