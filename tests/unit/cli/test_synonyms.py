"""Commands and models under other programs' names are answered with ours, which exist."""

import inspect
import shlex

import pytest

import firth
from firth.cli.synonyms import FLAGS, SYNONYMS, meant
from firth.cli.train_vectors import command
from firth.comparison.models import MODELS

ADVICE = [(group, name, each) for group, names in SYNONYMS.items() for name in names for each in [meant(group, name)]]


@pytest.mark.parametrize("group", SYNONYMS)
def test_what_is_advised_exists(run, group):
    for each in sorted({part for of, _, advice in ADVICE if of == group for part in advice.split(" or ")}):
        words = shlex.split(each)[1:]
        status, out, err = run(*words, *([] if words[-1] in ("--help", "--version") else ["--help"]))
        assert status == 0, f"{each}: {err}"
        assert "firth" in out


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("nn v.firth king", "No such command 'nn'; use firth neighbours"),
        ("train word2vec text.txt", "No such command 'word2vec'; use firth train skipgram or firth train cbow"),
        ("train W2V text.txt", "use firth train skipgram or firth train cbow"),
        ("train CBOW text.txt", "No such command 'CBOW'; use firth train cbow"),
        ("lm train GPT text.txt", "No such command 'GPT'; use firth lm train transformer"),
        ("lm ppl model text.txt", "use firth lm perplexity"),
        ("classify supervised text.txt", "use firth classify train"),
        ("train supervised text.txt", "use firth classify train"),
        ("train lstm text.txt", "use firth lm train lstm"),
        ("lm train skipgram text.txt", "use firth train skipgram"),
        ("lm train 5gram text.txt", "use firth lm train kneser-ney --order 5"),
        ("download glove", "use firth pull or firth data get"),
        ("train text.txt -o out.firth", "No such command 'text.txt'; use firth train skipgram text.txt"),
        ("train tests/ -o out.firth", "No such command 'tests/'; use firth train skipgram tests/"),
        ("lm train text.txt", "use firth lm train kneser-ney text.txt"),
        ("plot v.firth", "use firth plot map v.firth"),
        ("help", "use firth --help"),
        ("simcse text.txt", "use firth sentences train --model simcse"),
        ("dedup v.firth text.txt", "use firth duplicates"),
        ("search v.firth text.txt word --top-k 3", "No such option: --top-k; use --number: Texts per query."),
        (
            "clusters v.firth text.txt --n-clusters 3",
            "No such option: --n-clusters; use --clusters: Number of clusters.",
        ),
        ("pretrain bert text.txt", "No such command 'bert'; use firth pretrain masked"),
        ("pretrain elmo text.txt", "use firth lm train elmo"),
        ("bert text.txt", "use firth pretrain masked"),
        ("electra text.txt", "use firth pretrain electra"),
        ("fill-mask", "use firth substitutes predict"),
        ("trian", "Did you mean 'train', 'pretrain'?"),
    ],
)
def test_other_names_are_answered_with_ours(run, line, advice):
    status, _, err = run(*line.split())
    assert status == 2
    assert advice in " ".join(err.replace("│", " ").split())


def test_flags_may_have_one_dash_and_underscores(run, tmp_path):
    (tmp_path / "text.txt").write_text("a b c d e f\n" * 40, encoding="utf-8")
    line = [
        "train",
        "skipgram",
        "text.txt",
        "-output",
        "out.firth",
        "-dim",
        3,
        "--min_count",
        1,
        "-q",
        "-epochs=1",
        "-sample",
        0,
    ]
    status, _, err = run(*line)
    assert (status, err) == (0, "")
    for flag, right in (
        ("-ws", "--window"),
        ("-minCount", "--min-count"),
        ("-t", "--sample"),
        ("--vector_size", "--dim"),
    ):
        status, _, err = run("train", "skipgram", "text.txt", "-o", "out.firth", flag, 5)
        assert status == 2
        assert f"use {right}" in " ".join(err.replace("│", " ").split()), flag


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("train skipgram -train text.txt -output v", "--train; it needs no flag: firth train skipgram CORPUS -o OUT"),
        ("train fasttext -input text.txt -output v", "--input; it needs no flag: firth train fasttext CORPUS -o OUT"),
        ("lm score model --text words", "--text; it needs no flag: firth lm score MODEL FILE"),
        ("classify train -input text.txt -o v", "--input; it needs no flag: firth classify train"),
        ("train cbow text.txt -o v.bin -binary 1", "the name after -o gives the format"),
        ("train skipgram text.txt -o v -cbow 0", "each model is a command: firth train skipgram, firth train cbow"),
        (
            "train cbow text.txt -o v --num-workers 4",
            "use --threads for threads of this machine, or --cluster with --w",
        ),
        ("train lsa text.txt -o v --num-workers 4", "use --threads: Threads."),
        ("train lsa text.txt -o v --cluster local", "a cluster trains skipgram, cbow, hierarchical, fasttext,"),
        ("train glove text.txt -o v --freeze", "old vectors can stay as they are in: skipgram, cbow,"),
        ("train glove text.txt -o v --merge-every 9", "only word vectors that a cluster trains are merged: skipg"),
        ("subwords train text.txt -o v --model unigram", "use --kind bpe, wordpiece or unigram"),
        ("subwords train text.txt -o v --model_type bpe", "use --kind bpe, wordpiece or unigram"),
        ("train skipgram text.txt -o v --hosts a", "use --cluster: Work on a Ray cluster"),
        ("train skipgram text.txt -o v --ckpt a", "use --checkpoint: Folder for checkpoints"),
        ("convert v.firth -o v.bin", "-o; it needs no flag: firth convert IN OUT"),
        ("neighbours v.firth word --topn 3", "use --number"),
        ("neighbours v.firth word -topn 3", "use --number"),
        ("neighbours v.firth word -k 3", "use --number"),
        ("neighbours v.firth word --num 3", "use --number"),
        ("classify train text.txt -o c --encoder bert", "No such option: --encoder; add --model encoder"),
    ],
)
def test_flags_of_other_programs(run, line, advice):
    status, _, err = run(*line.split())
    assert status == 2
    text = " ".join(err.replace("│", " ").split())
    assert advice in text
    assert "Possible options" not in text


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("electra --embedding-size 8", "--embedding-size; use --embedding-dim: Width of the vectors of tokens"),
        ("masked --embedding-size 8", "--embedding-size; use --dim: Width of the encoder."),
        ("electra --generator-dim 64", "use --generator: Width of the generator, as a share of the encoder's."),
        ("electra --temperature 1", "No such option: --temperature"),
        ("masked --mlm_probability 0.2", "use --mask-rate: Share of tokens that are hidden."),
        ("masked --hidden_size 8", "use --dim: Width of the encoder."),
        ("masked --max_seq_length 8", "use --max-length: Length of a sequence in word pieces"),
        ("masked --output_dir x", "use --output: Folder to save the encoder in."),
        ("masked --resume x", "use --checkpoint: Folder for checkpoints"),
        ("masked --fp16", "use --precision bf16, or --precision fp16 on a GPU"),
        ("masked --max-steps 10", "use --epochs or --minutes"),
        ("masked --whole-word-masking", "use --masking words"),
        ("masked --model bert", "each model is a command: firth pretrain masked, firth pretrain electra"),
    ],
)
def test_flags_of_other_pretraining(run, line, advice):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    status, _, err = run("pretrain", *line.split(), "text.txt")
    assert status == 2
    text = " ".join(err.replace("│", " ").split())
    assert advice in text
    assert "Possible options" not in text


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("classify train text.txt -o c --model bert", "vdcnn; use --model encoder"),
        ("sentences train text.txt -o s --model bert", "supervised-simcse; use --model masked-lm"),
    ],
)
def test_values_of_model(run, line, advice):
    status, _, err = run(*line.split())
    assert status == 1
    assert advice in err


def test_a_text_in_place_of_a_file(run, tmp_path):
    firth.TextClassifier(dim=2, epochs=1).train(["good", "bad"], ["a", "b"], threads=1).save(tmp_path / "m")
    status, _, err = run("classify", "predict", "m", "a good text")
    assert status == 1
    assert "no file is called 'a good text'; a text itself is read from standard input: echo TEXT | ... -" in err


@pytest.mark.parametrize("model", MODELS)
def test_only_models_of_clusters_are_sent_there(model):
    advised = "--cluster" in FLAGS.get(f"firth train {model}", {}).get("num_workers", "")
    assert advised == ("cluster" in inspect.signature(command(MODELS[model])).parameters)
