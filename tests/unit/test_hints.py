"""A wrong name is answered with what is meant: all entries of hints.toml by rules, and one of each kind of message."""

import copy
import dataclasses
import inspect
import pickle
import pydoc
import re
import subprocess
import sys

import numpy as np
import pytest

import firth
from firth import hints
from firth.cli import app, flags
from firth.corpus.options import CorpusOptions
from firth.corpus.table_options import TableOptions
from firth.errors import ArgumentTypeError, DataError, OptionError, UnknownOptionError
from firth.hints import TEXT_OPTIONS, Hinted, suggestion, synonym

SPACE = firth.WordVectors(["red", "green"], np.eye(2, dtype=np.float32))
ARGUMENTS = {"threads", "seed", "embed", "start", "freeze", "checkpoint", "cluster"}  # besides options


LIBRARIES = {  # what their users type when they train a model
    "hugging face": "per_device_train_batch_size num_train_epochs learning_rate weight_decay warmup_steps "
    "warmup_ratio fp16 bf16 gradient_accumulation_steps evaluation_strategy eval_strategy load_best_model_at_end "
    "max_seq_length max_grad_norm eval_steps save_steps logging_steps output_dir lr_scheduler_type adam_beta1 optim "
    "report_to "
    "per_device_eval_batch_size early_stopping_patience max_steps save_total_limit label_smoothing_factor "
    "eval_dataset dataloader_num_workers metric_for_best_model no_cuda",
    "opennmt": "src tgt train_steps valid_steps rnn_size word_vec_size save_model beam_size n_best replace_unk "
    "world_size gpu_ranks learning_rate max_grad_norm accum_count save_checkpoint_steps report_every src_seq_length "
    "train_src valid_src",
    "spacy": "dropout patience n_iter drop max_epochs eval_frequency accumulate_gradient sgd gpu_id",
}
TRANSLATES = (
    "src tgt output beam_size n_best replace_unk batch_size block_ngram_repeat random_sampling_topk phrase_table"
)


def entries(*path):
    """All entries of a table, as pairs of a wrong name and what to use."""
    return [(name, ours) for name, answers in hints.table(*path).items() for ours in answers]


def public_names(text):
    return re.findall(r"\bfirth\.(\w+)", text)


def attribute_error(value, name):
    with pytest.raises(AttributeError) as caught:
        getattr(value, name)
    return str(caught.value)


def option_error(kind, *unnamed, **named):
    with pytest.raises(UnknownOptionError) as caught:
        kind(*unnamed, **named)
    return str(caught.value)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the program in an empty folder: its status, what it printed, and what it said on standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["firth", *arguments])
        with pytest.raises(SystemExit) as ended:
            app.main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


def test_options_that_are_advised_exist():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    known = {*ARGUMENTS, *TEXT_OPTIONS}
    for function in (firth.TfidfIndex, firth.Corpus.build, firth.keywords):
        known |= inspect.signature(function).parameters.keys()
    for name in firth.__all__:
        known |= getattr(getattr(firth, name), "__dataclass_fields__", {}).keys()
    assert {ours for _, ours in entries("options")} <= known
    assert all(name != ours for name, ours in entries("options"))


@pytest.mark.parametrize("module", ["firth", "firth.sklearn"])
def test_names_that_are_advised_exist_and_those_that_are_answered_do_not(module):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'firth[sklearn]'")
    owner = __import__(module, fromlist=["__all__"])
    for name, ours in entries("names", module):
        assert name not in owner.__all__
        assert attribute_error(owner, name) == f"module {module!r} has no attribute {name!r}; use {module}.{ours}"
        value = owner
        for part in re.split(r"[(:, ]", ours)[0].split("."):
            value = getattr(value, part)


def hinted():
    """Classes with a table of attributes, by their names."""
    for name in firth.__all__:  # so that all are imported
        getattr(firth, name)
    kinds, found = [Hinted], {"DocumentVectors": firth.DocumentVectors}
    while kinds:
        kinds += (more := kinds.pop().__subclasses__())
        found |= {kind.__name__: kind for kind in more}
    return found


def test_attributes_that_are_advised_exist_and_those_that_are_answered_do_not():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    classes = hinted()
    tables = hints._content()["attributes"].keys() - {"any", "options"}
    assert tables <= classes.keys()
    for table in tables:
        kind = classes[table]
        own = {*dir(kind), *getattr(kind, "__dataclass_fields__", ()), *inspect.signature(kind).parameters}
        own |= {"words", "key_to_index", "documents", "sentences"}  # set by __init__
        for name, answer in entries("attributes", table):
            assert name not in own - {"words"}, (table, name)
            used = re.match(r"use (\w+)", answer)
            assert not used or used[1] in {"firth", "zip"} | own, (table, answer)
            assert set(public_names(answer)) <= {*firth.__all__, "coreference"}, answer


def test_every_hinted_object_answers_the_names_of_any():
    for name, answer in (("save_model", "use save(path)"), ("push_to_hub", "use firth.push_to_hub(model, ")):
        assert answer in attribute_error(SPACE, name)
    assert "use save" not in attribute_error(firth.Document([]), "save_model")


def test_commands_that_are_advised_exist(run):
    advised = {
        each
        for group in hints._content()["commands"]
        for name in hints.table("commands", group)
        for each in (hints.command(group, name) or "").split(" or ")
    }
    for command in sorted(advised):
        words = command.partition(";")[0].split()[1:]
        status, out, err = run(*words, *([] if words[-1] in ("--help", "--version") else ["--help"]))
        assert status == 0, f"{command}: {err}"
        assert "firth" in out


def test_arguments_of_one_meaning_stand_in_one_group_or_are_ranked():
    assert hints.same("n", ["topn", "unknown"]) == "topn"
    assert hints.same("workers", ["threads"]) == "threads"
    assert hints.same("nothing", ["threads"]) is None


def test_suggestions():
    assert synonym("size", ["dim", "size_limit"]) == "dim"
    assert synonym("size", ["width"]) is None
    assert synonym("embedding_size", ["dim", "embedding_dim"]) == "embedding_dim"
    assert synonym("embedding_size", iter(["dim"])) == "dim"
    assert suggestion("size", ["dim", "sizes"]) == "use dim"
    assert suggestion("sizs", ["dim", "sizes"]) == "did you mean sizes?"
    assert suggestion("colour", []) == "expected one of none"


def test_nothing_is_read_until_a_name_is_wrong():
    code = "import sys, firth.cli.app; firth.Word2Vec(dim=2); assert 'tomllib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_import_is_answered_as_an_attribute_is():
    with pytest.raises(ImportError, match=r"^cannot import name 'Doc2Vec' from 'firth'; use firth\.ParagraphVectors$"):
        from firth import Doc2Vec  # noqa: F401
    with pytest.raises(ImportError, match=r"; did you mean Word2Vec\?$"):
        from firth import Word2Vecc  # noqa: F401
    assert attribute_error(firth, "Word2Vecc").endswith("; did you mean Word2Vec?")


def test_dir_lists_only_what_exists():
    for kind in (firth.Word2Vec, firth.Phrases, firth.WordVectors, SPACE, firth.Word2Vec()):
        for name in dir(kind):
            assert name == "__abstractmethods__" or hasattr(kind, name), name
    assert "from_pretrained" not in pydoc.render_doc(firth.Word2Vec)


@pytest.mark.parametrize("kind", [firth.Word2Vec, firth.ParagraphVectors, firth.Phrases])
def test_classes_of_options_say_how_to_load(kind):
    answer = f"{kind.__name__!r} has no attribute 'load'; firth.load(path) opens a saved model"
    assert attribute_error(kind, "load") == f"type object {answer}"
    assert attribute_error(kind(), "load") == answer.replace(" has no", " object has no")


def test_options_say_that_train_returns_the_model():
    assert attribute_error(firth.Word2Vec(), "wv").endswith(
        "train returns the model: model = Word2Vec(...).train(text)"
    )
    assert attribute_error(firth.Word2Vec(), "vector_size").endswith("use dim")
    assert attribute_error(firth.Phrases(), "train").endswith("use Phrases(...).learn(...)")
    assert "train returns" not in attribute_error(firth.GenerationOptions(), "sampler")


def test_attributes_of_vectors():
    assert attribute_error(SPACE, "most_simillar").endswith("; did you mean most_similar or most_similar_cosmul?")
    assert attribute_error(SPACE, "_ipython_display_").endswith("has no attribute '_ipython_display_'")


def test_objects_are_copied_and_pickled():
    for value in (firth.Word2Vec(dim=7), SPACE):
        for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert again.dim == value.dim


def test_options_of_a_text_are_those_of_a_corpus():
    names = {field.name for kind in (CorpusOptions, TableOptions) for field in dataclasses.fields(kind)}
    assert set(TEXT_OPTIONS) == names | {"column", "cache"}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"vector_size": 9}, "vector_size=9: Word2Vec has no such option; use dim (dimension of the vectors)"),
        ({"sg": 1}, "use architecture ('skipgram' or 'cbow')"),
        ({"workers": 4}, "workers=4: an argument of train: Word2Vec(...).train(text, threads=...)"),
        ({"hosts": ["a"]}, "firth.Cluster(address=...).train(model, text) trains on a cluster"),
        ({"min_count": 5}, "an option of the text: Word2Vec(...).train(text, min_count=...) or Corpus.build("),
        ({"sentences": [["a"]]}, "sentences=[['a']]: pass the text to train: Word2Vec(...).train(text)"),
        ({"sentences": "line"}, "sentences='line': an option of the text"),
        ({"widnow": 3}, "widnow=3: Word2Vec has no such option; did you mean window"),
        ({"zebra": 3}, "Word2Vec has no such option; expected one of architecture, objective, tree, dim,"),
    ],
)
def test_each_kind_of_answer_about_an_option(named, message):
    assert message in option_error(firth.Word2Vec, **named)


def test_options_of_the_training_of_neural_models():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    training = "an option of TrainingOptions: RecurrentLM(...).train(text, training=TrainingOptions(lr=...))"
    assert training in option_error(firth.RecurrentLM, learning_rate=0.1)
    assert "an argument of train: Tagger(...).train(text, embed=...)" in option_error(firth.Tagger, model_name="bert")


def test_every_unknown_name_has_its_line():
    lines = option_error(firth.Word2Vec, dim=9, vector_size=100, min_count=5, workers=4).splitlines()
    assert [line.partition("=")[0] for line in lines] == ["vector_size", "min_count", "workers"]


def test_values_without_names():
    message = option_error(firth.Word2Vec, [["a", "b"]] * 99)
    assert len(message) < 250
    assert "Word2Vec takes options by name, such as architecture='skipgram'; pass the text to train" in message
    assert "text" not in option_error(firth.GenerationOptions, 3)
    assert "pass the text to learn: Phrases(...).learn(text)" in option_error(firth.Phrases, [["new"]])


def test_a_value_without_a_name_is_shown_with_the_name_that_it_may_have():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert "takes options by name, such as encoder='bert'" in option_error(firth.EncoderClassifier, "bert")
    assert "such as encoder=None" in option_error(firth.EncoderClassifier, 3)


def test_it_is_a_type_error_and_an_option_error():
    for family in (TypeError, ValueError, OptionError, firth.FirthError):
        with pytest.raises(family):
            firth.Word2Vec(colour=1)
    assert str(pickle.loads(pickle.dumps(UnknownOptionError("text")))) == "text"


def test_an_options_class_shows_its_options():
    signature = inspect.signature(firth.Word2Vec)
    assert list(signature.parameters) == [field.name for field in dataclasses.fields(firth.Word2Vec)]
    model = firth.Word2Vec(dim=7)
    assert pickle.loads(pickle.dumps(model)) == model == dataclasses.replace(firth.Word2Vec(), dim=7)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.dim = 8


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("nn v.firth king", "No such command 'nn'; use firth neighbours"),
        ("train W2V text.txt", "use firth train skipgram or firth train cbow"),
        ("train CBOW text.txt", "No such command 'CBOW'; use firth train cbow"),
        ("train lstm text.txt", "use firth lm train lstm"),
        ("lm train 5gram text.txt", "use firth lm train kneser-ney --order 5"),
        ("train text.txt -o out.firth", "No such command 'text.txt'; use firth train skipgram text.txt"),
        ("trian", "Did you mean 'train', 'pretrain'?"),
        ("train skipgram text.txt -o x --vector-size 9", "--vector-size; use --dim: Dimension of the vectors"),
        ("train skipgram text.txt -o x -minCount 9", "use --min-count"),
        ("train cbow text.txt -o x --bootstrap 9", "No such option: --bootstrap; use --runs: Train N times"),
        ("train cbow text.txt -o x --iterations 9", "No such option: --iterations; use --epochs: "),
        ("keywords a --against b --bootstrap 9", "No such option: --bootstrap; use --resamples: Bootstrap"),
        ("concordance a b -o x.csv", "No such option: -o; the table is printed: write --csv > FILE at the end"),
        ("train cbow text.txt -o x --widnow 9", "No such option: --widnow (Possible options: --window"),
        ("train skipgram -train text.txt -output v", "--train; it needs no flag: firth train skipgram CORPUS -o OUT"),
        ("train cbow text.txt -o v.bin -binary 1", "the name after -o gives the format"),
        ("train cbow text.txt -o v --num-workers 4", "use --threads for threads of this machine, or --cluster with"),
        ("contrast a b --num-workers 4", "use --threads: Threads."),
        ("tag train a.txt -o v --test-file b.txt", "a trained model is tested by firth tag test MODEL FILE"),
        ("convert v.firth -o v.bin", "-o; it needs no flag: firth convert IN OUT"),
        ("neighbours v.firth word --topn 3", "use --number"),
        ("classify train text.txt -o c --model bert", "vdcnn; use --model encoder"),
        ("classify predict-prob m.bin a.txt", "No such command 'predict-prob'; use firth classify predict"),
        ("classify test-label m.bin a.txt", "No such command 'test-label'; use firth classify test"),
        ("train ner a.txt", "No such command 'ner'; use firth tag train"),
        ("udpipe --train m a.conllu", "No such command 'udpipe'; use firth pipeline train"),
        ("annotate a.txt --tokenize", "a pipeline does all of it: --pipeline MODEL"),
        ("annotate a.txt --outfile=b.conllu", "use -o OUT"),
        ("tag curve a.txt --epochs 3", "the options follow from each number of sentences"),
        ("sentences train text.txt -o s --model bert", "supervised-simcse; use --model masked-lm"),
    ],
)
def test_each_kind_of_answer_on_the_command_line(run, line, advice):
    status, _, err = run(*line.split())
    assert status
    assert advice in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize("outputs", [("-oA.arpa", "-oB.arpa"), ("-o", "A", "-oB"), ("-oA", "--output=B")])
def test_two_outputs_are_refused(run, outputs):
    assert "expected one output" in run("lm", "train", "kneser-ney", "text.txt", *outputs)[2]


def test_models_of_a_comparison_are_checked_before_the_text_is_read(run):
    _, _, error = run("compare", "no-such-text.txt", "-o", "x", "--models", "word2vec")
    assert "word2vec" in error
    assert "no-such-text" not in error


def test_flags_may_have_one_dash_and_underscores(run, tmp_path):
    (tmp_path / "text.txt").write_text("a b c d e f\n" * 40, encoding="utf-8")
    line = "train skipgram text.txt -output out.firth -dim 3 --min_count 1 -q -epochs=1 -sample 0"
    status, _, err = run(*line.split())
    assert (status, err) == (0, "")


def test_a_text_in_place_of_a_file(run, tmp_path):
    firth.TextClassifier(dim=2, epochs=1).train(["good", "bad"], ["a", "b"], threads=1).save(tmp_path / "m")
    status, _, err = run("classify", "predict", "m", "a good text")
    assert status == 1
    assert "no file is called 'a good text'; a text itself is read from standard input: echo TEXT | ... -" in err


def is_answered(message):
    """Whether a message says what to write, in place of a list of what there is."""
    return not any(text in message for text in ("expected one of", "did you mean", "Possible options"))


@pytest.mark.parametrize("names", LIBRARIES.values(), ids=LIBRARIES)
def test_names_of_other_libraries_are_answered_wherever_a_training_is_described(names):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    calls = {
        "TrainingOptions": lambda name: firth.TrainingOptions(**{name: 1}),
        "options": lambda name: firth.Translator(**{name: 1}),
        "train": lambda name: firth.Translator().train([("a", "b")], **{name: 1}),
    }
    for name in names.split():
        for how, call in calls.items():
            if how == "TrainingOptions" and name in ("weight_decay", "patience"):
                continue  # ours, too
            if how == "options" and name == "dropout":
                continue
            with pytest.raises(UnknownOptionError) as caught:
                call(name)
            assert is_answered(str(caught.value)), (how, str(caught.value))


@pytest.mark.parametrize(
    ("line", "names"),
    [
        *(("translate train a b -o c", names) for names in LIBRARIES.values()),
        *(("tag train a -o c", names) for names in (LIBRARIES["hugging face"], LIBRARIES["spacy"])),
        ("translate predict m t", TRANSLATES),
        ("translate test m a b", "tgt replace_unk beam_size"),
    ],
)
def test_flags_of_other_libraries_are_answered(run, monkeypatch, line, names):
    """One command line is parsed; the other names are those of its error."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    errors, suggest = [], flags._suggest_flag
    monkeypatch.setattr(flags, "_suggest_flag", errors.append)
    run(*line.split(), "--no-such-flag", "1")
    (error,) = errors
    known = {flag for parameter in error.ctx.command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
    for name in names.split():
        for flag in (f"--{name.replace('_', '-')}", f"--training.{name.replace('_', '-')}"):
            error.option_name, error.message, error.possibilities = flag, "", ["--lr"]
            suggest(error)
            assert error.message or flag in known or f"--{name.replace('_', '-')}" in known, flag
            assert is_answered(error.message)
            assert set(re.findall(r"--[\w-]+", error.message)) <= known, error.message


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("translate train a b -o c --fp16", "use --precision fp16: Precision"),
        ("translate train a b -o c --load-best-model-at-end", "is best on held-out data is kept, and --held-out gives"),
        ("translate train a b -o c -src a", "--src; it needs no flag: firth translate train"),
        ("translate predict m -src a", "it needs no flag: firth translate predict MODEL FILE"),
        ("translate predict m a -tgt b", "use --targets: Forced decoding"),
        ("translate predict m a -replace_unk", "use --unknown copied: Unknown words"),
        ("translate predict m a -output b", "answers are printed: write > FILE at the end"),
        ("translate train config.yaml -o c -data d", "it needs no flag: firth translate train"),
        ("train config.cfg --paths.train a", "use flags in place of a file of options: firth tag train FILE... -o OUT"),
        ("tag train a -o b --paths.dev c", "use --held-out"),
    ],
)
def test_answers_to_lines_of_other_programs(run, line, advice):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    _, _, err = run(*line.split())
    assert advice in " ".join(err.replace("│", " ").split())


def test_values_of_other_names_are_written_as_ours():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert "use precision='fp16' (" in option_error(firth.TrainingOptions, fp16=True)
    assert "training=TrainingOptions(precision='bf16')" in option_error(firth.Translator().train, [], bf16=True)
    names = {name for name, _ in entries("values")}
    assert names <= {name for table in ("options", "same") for name, _ in entries(table)}


class TestGensim:
    """Names that users of gensim type, with what each is answered."""

    @pytest.mark.parametrize(
        ("name", "answer"),
        [
            ("callbacks", "progress= of train takes a function"),
            ("compute_loss", "the losses of all epochs are in vectors.metadata['training']"),
            ("total_examples", "firth counts the text itself"),
            ("dimension", "use dim"),
        ],
    )
    def test_options(self, name, answer):
        assert answer in option_error(firth.Word2Vec, **{name: 3})
        with pytest.raises(UnknownOptionError, match=re.escape("Word2Vec(dim=3)" if name == "dimension" else answer)):
            firth.Word2Vec().train(["a b"], **{name: 3})

    def test_a_model_with_callbacks_takes_them(self):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
        assert "an argument of train: Tagger(...).train(text, callbacks=...)" in option_error(
            firth.Tagger, callbacks=[]
        )

    @pytest.mark.parametrize(
        ("name", "answer"),
        [
            ("predict_output_word", "firth.Context2Vec(...).train(text).substitutes(sentence, position)"),
            (
                "intersect_word2vec_format",
                "train(text, start=firth.load(path)) goes on from vectors, and with freeze=True",
            ),
            ("to_polars", "polars.from_arrow(vectors.to_arrow())"),
            ("to_numpy", "use vectors"),
        ],
    )
    def test_attributes(self, name, answer):
        assert answer in attribute_error(SPACE, name)
        if name == "intersect_word2vec_format":
            assert answer in attribute_error(firth.Word2Vec(), name)

    def test_phrases(self):
        table = firth.PhraseTable([{("new", "york"): (3, 1.5)}], (), "_")
        answer = attribute_error(table, "export_phrases")
        code = answer.partition("write ")[2]
        assert eval(code, {"table": table}) == {"new_york": 1.5}
        with pytest.raises(ArgumentTypeError, match=r"use table\.join\(tokens\) for a sentence"):
            table[["in", "new", "york"]]

    def test_words_in_place_of_vectors(self):
        for words in ("red", ["red", "green"]):
            with pytest.raises(ArgumentTypeError, match="use similar_by_word for words"):
                SPACE.similar_by_vector(words)

    def test_data_of_the_downloader(self):
        with pytest.raises(DataError, match=r"no data set is called 'text8'; .*Corpus\.build\(FILE\) reads it"):
            firth.data.get("text8")
        with pytest.raises(DataError, match=r"load\(FILE\) reads them"):
            firth.data.path_of("glove-wiki-gigaword-100")
        for name in ("simlex-999", "sample"):
            with pytest.raises(OptionError, match=rf"get\('{name}'\): the folder to write is missing"):
                firth.data.get(name)

    @pytest.mark.parametrize(
        ("name", "answer"),
        [
            ("topics", "firth clusters or firth keywords"),
            ("doesnt-match", "firth similarity; in Python vectors.doesnt_match(words)"),
            ("kwic", "firth concordance"),
        ],
    )
    def test_commands(self, name, answer):
        assert hints.command("firth", name).startswith(answer)
