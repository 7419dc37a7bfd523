"""Pins: what a small model of each kind learns, predicts and saves, and what the command line prints.

    python -m tests.pins.pins make FILE [NAME ...]
    python -m tests.pins.pins compare FILE [NAME ...]

`compare` makes the pins of this tree and lists what differs from the file; without names, all of them. Names select by
their beginning: `model/`, `reader/`, `help/`, `json/`. Versions, dates and durations are left out.
"""

# mypy: ignore-errors

import contextlib
import io
import itertools
import json
import os
import random
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", COLUMNS="100", NO_COLOR="1", TERM="dumb")

import numpy as np

import firth
from firth.readers.conllu import DependencySentence
from firth.readers.questions import Answer, Question
from tests.fuzz.outcomes import digest_of
from tests.fuzz.readers import READERS

VOLATILE = {"firth", "firth_version", "version", "versions", "created", "date", "seconds", "time", "duration", "device"}
VOLATILE |= {"tokens_per_second", "words_per_second", "hardware", "machine", "python", "packages", "platform"}
SPEED = re.compile(r"seconds|per_second|_at$|time")


def plain(value: Any) -> Any:
    """Return JSON values without versions, dates and durations; numbers at six digits, arrays as digests."""
    if isinstance(value, dict):
        return {
            str(key): plain(each) for key, each in value.items() if key not in VOLATILE and not SPEED.search(str(key))
        }
    if isinstance(value, np.ndarray):
        rounded = np.array([float(f"{number:.6g}") for number in value.ravel()]) if value.dtype.kind == "f" else value
        return f"{value.dtype}{value.shape} {digest_of(rounded)}"
    if isinstance(value, float | np.floating):
        return float(f"{float(value):.6g}")
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


def folder(path: Path) -> dict[str, Any]:
    """Return digests of the files of a saved model."""
    from safetensors.numpy import load_file

    result: dict[str, Any] = {}
    for file in sorted(path.rglob("*")):
        name = str(file.relative_to(path))
        if not file.is_file() or file.name == "checksums.json":
            continue
        if file.suffix == ".safetensors":
            tensors = load_file(file)
            result[name] = {key: digest_of(tensors[key]) for key in sorted(tensors)}
        elif file.suffix == ".json":
            result[name] = digest_of(json.dumps(plain(json.loads(file.read_text(encoding="utf-8"))), sort_keys=True))
        elif file.suffix == ".md":
            lines = file.read_text(encoding="utf-8").splitlines()
            result[name] = digest_of([line for line in lines if firth.__version__ not in line])
        else:
            result[name] = digest_of(list(file.read_bytes()))
    return result


# Data: small, made up, the same in every run.

LINES = [
    f"The {a} {v} {o} near the {b}'s house."
    for a, b, v, o in zip(
        ["cat", "dog", "bird", "fish", "boy"] * 8,
        ["dog", "boy", "cat"] * 14,
        ["eats", "sees", "likes", "finds"] * 10,
        ["bread", "milk", "seeds", "water", "it", "trees", "you"] * 6,
        strict=False,
    )
]
WORDS = [f"W{i % 5} w{(i + 1) % 5} w{(i * i) % 7}. W{i % 3} w{i % 4}. Ww w{i % 6} w1." for i in range(12)]
TEXTS = [
    f"{a} {b} {c}" for a in ("the", "a") for b in ("goal", "vote", "law", "team") for c in ("now", "here", "of it")
]
LABELS = ["sport" if "goal" in text or "team" in text else "news" for text in TEXTS]
NEXT = list(itertools.pairwise(LINES[:13]))
PAIRS = [("send the report a1 please", "report a1"), ("send the parcel b2 now", "parcel b2")] * 6


def how(**options: Any) -> dict[str, Any]:
    """Return the arguments of a short run."""
    given = {"epochs": 2, "batch_size": 4, "lr": 0.01, **options}
    return {"training": firth.TrainingOptions(**given), "seed": 3, "threads": 1, "progress": False}


def tagged(count: int, seed: int = 0) -> list[tuple[list[str], dict[str, list[str]]]]:
    """Return sentences with parts of speech and entities."""
    draw, result = random.Random(seed), []
    for _ in range(count):
        names = [draw.choice(["Kara", "Lo", "Mi", "Ruven"]) for _ in range(2)]
        words = ["mr", names[0], draw.choice(["walks", "sings"]), "in", names[1]]
        result.append((words, {"pos": ["N", "P", "V", "A", "P"], "ner": ["O", "B-PER", "O", "O", "B-LOC"]}))
    return result


def treebank(count: int, seed: int = 0) -> list[DependencySentence]:
    """Return sentences with tags and trees."""
    draw, result = random.Random(seed), []
    for _ in range(count):
        rows = [("the", "DET", 2, "det"), (draw.choice(["cat", "dog"]), "NOUN", 3, "nsubj")]
        rows += [(draw.choice(["sees", "eats"]), "VERB", 0, "root"), (draw.choice(["fish", "it"]), "NOUN", 3, "obj")]
        if draw.random() < 0.5:
            rows += [(".", "PUNCT", 3, "punct")]
        words, tags, heads, relations = zip(*rows, strict=True)
        result.append(DependencySentence.of(words).annotated(tags=tags, heads=heads, relations=relations))
    return result


def documents(count: int) -> list[firth.Document]:
    """Return documents with chains."""
    draw, result = random.Random(1), []
    for _ in range(count):
        name, other = draw.choice(["Anna", "Tom"]), draw.choice(["Rome", "Oslo"])
        sentences = [DependencySentence.of([name, "likes", other, "."]), DependencySentence.of(["It", "knows", "her"])]
        result.append(firth.Document(sentences, clusters=[[(0, 1), (6, 7)], [(2, 3), (4, 5)]]))
    return result


def trees(count: int, seed: int = 0) -> list[str]:
    """Return trees with labels."""
    draw, result = random.Random(seed), []
    for _ in range(count):
        word, label = draw.choice([("good", 1), ("bad", 0)])
        first = draw.choice(["not", "so"])
        result.append(f"({1 - label if first == 'not' else label} (1 {first}) ({label} {word}))")
    return result


def questions(count: int, seed: int = 0) -> list[Question]:
    """Return questions with paragraphs."""
    draw, result = random.Random(seed), []
    for number in range(count):
        name, city = draw.choice(["Ann", "Bob"]), draw.choice(["Oslo", "Rome", "Lima"])
        text = f"{name} lives in {city} . It is old ."
        result.append(Question(f"Where does {name} live?", text, (Answer(city, text.index(city)),), f"q{number}"))
    return result


def embedder() -> Any:
    """A bidirectional language model, for taggers."""
    options = firth.BidirectionalLM(dim=4, char_dim=3, layers=1, highway=1, output="full")
    return options.train([line.split() for line in LINES], min_count=1, **how(epochs=1))


def make_language(options: Any, **more: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a language model and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(LINES, held_out=LINES[:3], min_count=1, **{**how(), **more})
        scores = model.score([LINES[0], "the unheard cat", ""])
        generated = model.generate("the", n=2, options=firth.GenerationOptions(max_length=4), seed=1)
        return model, [
            [each.log_probs for each in scores],
            model.next_words("the cat", topn=3),
            [str(x) for x in generated],
        ]

    return make


def make_texts(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a classifier and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(TEXTS, LABELS, held_out=TEXTS[::5], held_out_labels=LABELS[::5], **how())
        few = [*TEXTS[:3], "unheard of", ""]
        return model, [
            model.probabilities(few),
            model.predict(few),
            model.encode(few, progress=False),
            str(model.test(TEXTS, LABELS)),
        ]

    return make


def make_sentences(options: Any, source: Any, **more: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a sentence encoder and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(source, **{**how(batch_size=6), **more})
        return model, [model.encode(["the cat eats bread", "w1 w2", ""], progress=False)]

    return make


def make_pretrained(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what pretrains an encoder and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(LINES, held_out=LINES[:4], max_size=90, **how())
        return model, [model.encode(LINES[:3], progress=False), list(model.encode_tokens([["the", "cat"]]))]

    return make


def make_tagger() -> tuple[Any, Any]:
    """A tagger of two targets."""
    options = firth.Tagger(targets=("pos", "ner"), dim=5, hidden=4, char_dim=3, char_width=4, spelling=False)
    model = options.train(tagged(16), held_out=tagged(5, 1), **how())
    found = model.predict([words for words, _ in tagged(3, 2)] + [["one"]])
    (table,) = model.marginals([["mr", "unheard"]])
    return model, [[each.tags for each in found], dict(table), str(model.test(tagged(5, 3)))]


def make_tagger_elmo() -> tuple[Any, Any]:
    """A tagger over an encoder of words in context, by windows and softmax."""
    options = firth.Tagger(targets="pos", dim=5, hidden=4, char_dim=2, char_width=3, spelling=False)
    pairs = [(words, tags["pos"]) for words, tags in tagged(12)]
    model = options.train(pairs, held_out=pairs[:3], embed=firth.ELMo(embedder()), **how())
    return model, [[each.tags for each in model.predict([words for words, _ in pairs[:3]])]]


def make_parser(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a parser and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(treebank(16), held_out=treebank(4, 1), **how())
        found = model.predict(treebank(3, 2))
        return model, [[(each.heads, each.relations) for each in found], str(model.test(treebank(5, 3)))]

    return make


def make_translator(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a translator and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(PAIRS, held_out=PAIRS[:4], **how())
        texts = ["send a1 now", "parcel unheard please send"]
        found = [str(each) for each in model.translate(texts, beam=2)]
        return model, [found, [str(each) for each in model.translate(texts, beam=1)], model.score(PAIRS[:2])]

    return make


def make_summarizer(**options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a summarizer and uses it."""

    def make() -> tuple[Any, Any]:
        kind = firth.Summarizer(hidden=8, dim=6, max_length=9, **options)
        model = kind.train(PAIRS, held_out=PAIRS[:4], **how())
        return model, [[str(each) for each in model.summarize(["send a1 now", "q b2"], beam=2)], model.score(PAIRS[:2])]

    return make


def make_captioner() -> tuple[Any, Any]:
    """A captioner."""
    features = np.random.default_rng(0).random((12, 4, 3)).astype(np.float32)
    captions = [[f"a {c} ball", f"one {c} ball"] for c in ["red", "blue", "green"] * 4]
    model = firth.Captioner(hidden=8, dim=6).train(
        features, captions, held_out=features[:3], held_out_captions=captions[:3], **how()
    )
    return model, [[str(each) for each in model.caption(features[:3], beam=2)]]


def make_pointers() -> tuple[Any, Any]:
    """A pointer network."""
    draw = np.random.default_rng(0)
    inputs = [draw.random((n, 2)) for n in draw.integers(2, 5, 40)]
    targets = [np.argsort(each[:, 0]) for each in inputs]
    options = firth.PointerNetwork(hidden=6, order="permutation")
    model = options.train(inputs, targets, held_out=inputs[:8], held_out_targets=targets[:8], **how())
    return model, [model.predict(inputs[:4]), model.predict(inputs[:4], beams=2), str(model.test(inputs, targets))]


def make_graph(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a graph network and uses it."""

    def make() -> tuple[Any, Any]:
        draw = np.random.default_rng(0)
        edges = np.triu(draw.random((20, 20)) < 0.2, 1).astype(float)
        edges, features = edges + edges.T, draw.random((20, 5))
        labels = ["x", "y", None, "y", "x"] * 4
        model = options.train(edges, features, labels, held_out=[0, 3], **how())
        return model, [model.predict(edges, features), model.probabilities(edges, features)]

    return make


def make_text_graph() -> tuple[Any, Any]:
    """A graph of texts and words."""
    model = firth.TextGCN(hidden=4, min_count=1).train(TEXTS, LABELS, unlabelled=["goal of law"], **how())
    return model, [model.predict(TEXTS[:4]), model.probabilities(TEXTS[:4]), model.encode(TEXTS[:2])]


def make_reader(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a reader and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(questions(14), held_out=questions(4, 1), **how(optimiser="adam"))
        found = model.predict(questions(4, 2))
        return model, [str(found), str(model.answer("Where does Ann live?", "Ann lives in Oslo .", n=2))]

    return make


def make_context() -> tuple[Any, Any]:
    """context2vec."""
    model = firth.Context2Vec(dim=4, hidden=4).train(LINES, held_out=LINES[:4], min_count=1, **how())
    return model, [model.context_vector("the [] eats bread"), str(model.substitutes("the [] eats bread", n=3))]


def make_bidirectional() -> tuple[Any, Any]:
    """A bidirectional language model."""
    options = firth.BidirectionalLM(dim=4, char_dim=3, layers=1, highway=1, output="full")
    lines = [line.split() for line in LINES]
    model = options.train(lines, min_count=1, held_out=lines[:4], **how())
    return model, [model.token_states(lines[:2]).detach().numpy(), model.perplexity(lines[:3]).value]


def make_lattice() -> tuple[Any, Any]:
    """A lattice language model."""
    options = firth.LatticeLM(max_length=3, dim=3, hidden=4, dropout=0.0)
    lines = ["abcab", "bca", "abab cab"] * 4
    model = options.train(lines, held_out=lines[:2], tokens="characters", min_count=1, **how())
    return model, [model.perplexity(lines[:2]).value, str(model.lattice("abca"))]


def make_autoencoder() -> tuple[Any, Any]:
    """An autoencoder of sentences."""
    options = firth.SentenceVAE(dim=6, hidden=8, latent=3, label_dim=2, codes=4, slots=2, min_count=1, max_length=9)
    model = options.train(TEXTS, LABELS, held_out=TEXTS[::4], held_out_labels=LABELS[::4], **how())
    codes = model.encode(TEXTS[:3], LABELS[:3])
    found = [str(each) for each in model.sample(2, "sport", seed=1)]
    return model, [codes, found, str(model.test(TEXTS[:6], LABELS[:6]))]


def make_predictors() -> tuple[Any, Any]:
    """A latent predictor network."""
    records = [({"name": f"n{i % 4}", "cost": str(i)}, f"n{i % 4} at {i}") for i in range(12)]
    options = firth.LatentPredictorNetwork(dim=4, hidden=5)
    model = options.train([a for a, _ in records], [b for _, b in records], **how())
    return model, [str(model.predict([a for a, _ in records[:2]]))]


def make_coreference(options: Any) -> Callable[[], tuple[Any, Any]]:
    """Return what trains a model of coreference and uses it."""

    def make() -> tuple[Any, Any]:
        model = options.train(documents(8), held_out=documents(2), **how(batch_size=1))
        return model, [model.predict(documents(2)[1]).clusters, str(model.test(documents(3)))]

    return make


def make_trees() -> tuple[Any, Any]:
    """A model of trees."""
    options = firth.TreeLSTMClassifier(dim=4, hidden=4)
    model = options.train(trees(16), held_out=trees(5, 1), **how())
    return model, [
        model.predict(trees(3, 2)),
        model.encode(trees(3, 2), progress=False),
        model.node_probabilities(trees(2, 2)),
    ]


def make_encoder_classifier() -> tuple[Any, Any]:
    """A classifier over a pretrained encoder."""
    encoder = firth.MaskedLM(dim=8, layers=1, heads=2, max_length=24).train(LINES, max_size=90, **how(epochs=1))
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        encoder.save("encoder")
        judged = {"held_out": TEXTS[:8], "held_out_labels": LABELS[:8]}
        model = firth.EncoderClassifier(encoder="encoder").train(TEXTS, LABELS, **judged, **how())
    return model, [model.probabilities(TEXTS[:3])]


def make_boltzmann() -> tuple[Any, Any]:
    """A Boltzmann machine."""
    data = np.random.default_rng(0).integers(0, 2, (30, 6))
    model = firth.RBM(hidden=4, epochs=2).train(data, seed=1, progress=False)
    return model, [model.weights]


SMALL = {"dim": 8, "hidden": 8, "layers": 1}
WIDE = {"dim": 8, "layers": 1, "heads": 2}
SPANS = {"dim": 4, "hidden": 6, "ffnn": 5, "max_width": 2, "char_dim": 3, "char_width": 4}
PARSER = {"dim": 4, "tag_dim": 3, "hidden": 6, "min_count": 1}
MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "feedforward": make_language(firth.FeedForwardLM(dim=6, hidden=8, order=3, bptt=5)),
    "log-bilinear": make_language(firth.LogBilinearLM(dim=6, order=3, output="tree:tree=random", bptt=5)),
    "recurrent": make_language(firth.RecurrentLM(**SMALL, bptt=5, output="adaptive")),
    "recurrent-char": make_language(firth.RecurrentLM(embedding="char-cnn", char_dim=4, hidden=8, layers=1, bptt=5)),
    "transformer": make_language(firth.TransformerLM(**WIDE, context=6, bptt=5)),
    "bidirectional": make_bidirectional,
    "context2vec": make_context,
    "lattice": make_lattice,
    "cnn": make_texts(firth.CNNClassifier(dim=6, filters=3, widths="1,2")),
    "lstm-classifier": make_texts(firth.RecurrentClassifier(dim=6, hidden=4, pooling="attention")),
    "transformer-classifier": make_texts(firth.TransformerClassifier(dim=6, width=8, heads=2, layers=1)),
    "vdcnn": make_texts(firth.VDCNNClassifier(filters=3, hidden=6)),
    "encoder-classifier": make_encoder_classifier,
    "tree-lstm": make_trees,
    "text-gcn": make_text_graph,
    "gcn": make_graph(firth.GCN(hidden=4)),
    "gat": make_graph(firth.GAT(hidden=4, heads=2)),
    "pointers": make_pointers,
    "predictors": make_predictors,
    "autoencoder": make_autoencoder,
    "tagger": make_tagger,
    "tagger-elmo": make_tagger_elmo,
    "transition-parser": make_parser(firth.TransitionParser(**PARSER)),
    "biaffine-parser": make_parser(firth.BiaffineParser(dim=4, hidden=6, char_dim=2, char_width=3)),
    "coreference": make_coreference(firth.Coreference(dim=4, hidden=6, char_dim=2, char_width=3)),
    "coreference-clusters": make_coreference(firth.Coreference(dim=4, hidden=6, objective="clusters")),
    "coreference-spans": make_coreference(firth.SpanCoreference(**SPANS)),
    "translator": make_translator(
        firth.Translator(hidden=8, dim=6, min_count=1, source_units="words", target_units="words")
    ),
    "translator-subwords": make_translator(firth.Translator(hidden=8, dim=6, source_size=280, target_size=275)),
    "translator-transformer": make_translator(
        firth.Translator(
            encoder="transformer", decoder="transformer", hidden=8, heads=2, source_size=280, target_size=275
        )
    ),
    "summarizer": make_summarizer(),
    "summarizer-intra": make_summarizer(intra_temporal=True, intra_decoder=True, coverage=False),
    "captioner": make_captioner,
    "reader": make_reader(firth.Reader(dim=8, hidden=6, layers=1, max_answer_length=3, window=30)),
    "bidaf": make_reader(firth.BiDAF(dim=8, hidden=6)),
    "masked-lm": make_pretrained(firth.MaskedLM(**WIDE, max_length=24)),
    "electra": make_pretrained(firth.Electra(**WIDE, max_length=24, embedding_dim=6)),
    "coco-lm": make_pretrained(firth.CocoLM(**WIDE, max_length=24)),
    "skip-thought": make_sentences(firth.SkipThought(dim=4, hidden=6, output="full"), WORDS, min_count=1),
    "sentence-masked-lm": make_sentences(firth.SentenceMaskedLM(**WIDE), LINES, min_count=1),
    "simcse": make_sentences(firth.SimCSE(**WIDE), LINES, min_count=1),
    "moco": make_sentences(firth.MoCo(**WIDE, queue=8), LINES, min_count=1),
    "declutr": make_sentences(firth.DeCLUTR(**WIDE), [" ".join(LINES)] * 3, min_count=1),
    "supervised-simcse": make_sentences(firth.SupervisedSimCSE(**WIDE), NEXT, min_count=1),
    "boltzmann": make_boltzmann,
}


def pin_model(make: Callable[[], tuple[Any, Any]]) -> dict[str, Any]:
    """Return the history, the predictions and the folder of a model, and whether it predicts the same when loaded."""
    model, predictions = make()
    with tempfile.TemporaryDirectory() as name:
        model.save(Path(name) / "model")
        loaded = firth.load(Path(name) / "model")
        same = folder_of(loaded, Path(name) / "again") == folder(Path(name) / "model")
        return {
            "training": plain(model.metadata.get("training")),
            "predictions": plain(predictions),
            "folder": folder(Path(name) / "model"),
            "kept": same,
            "shown": [repr(model), repr(loaded)],
        }


def folder_of(model: Any, path: Path) -> dict[str, Any]:
    """Return the files of a model."""
    model.save(path)
    return folder(path)


def pin_reader(name: str) -> dict[str, Any]:
    """Return the files and the answers of a reader of the fuzzer."""
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / reader.path
        reader.make(path)
        files = folder(path) if path.is_dir() else digest_of(list(path.read_bytes()))
        return {"files": files, "answer": digest_of(plain(reader.use(path)))}


def run(*line: str) -> tuple[int, str]:
    """Return the status and the output of a command."""
    from firth.cli.app import build_app

    output, said, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(said):
        try:
            build_app(list(line))(list(line), prog_name="firth")
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        except Exception as error:
            status, _ = 1, print(f"{type(error).__name__}: {error}")
    return status, output.getvalue() or said.getvalue()


def commands() -> Iterator[tuple[str, ...]]:
    """Yield all commands."""
    import typer.main

    from firth.cli.app import COMMANDS, build_app

    yield ()
    for name in COMMANDS:
        yield (name,)
        inside = getattr(typer.main.get_group(build_app([name])).commands[name], "commands", {})
        yield from ((name, each) for each in inside)
    yield from (("train", name) for name in ("skipgram", "fasttext", "glove"))
    yield from (("lm", "train", name) for name in ("recurrent", "transformer", "ngrams"))
    for group in ("tag", "parse", "translate", "summarize", "sentences", "answer", "coref"):
        yield (group, "train")
    yield from (("classify", "train", "--model", name) for name in ("cnn", "vdcnn", "tree-lstm"))


def pin_json() -> dict[str, Any]:
    """Return what commands print as JSON."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        Path("text.txt").write_text("\n".join(LINES), encoding="utf-8")
        Path("labels.txt").write_text(
            "\n".join(f"__label__{label} {text}" for label, text in zip(LABELS, TEXTS, strict=True)), encoding="utf-8"
        )
        make_tagger()[0].save("tagger")
        make_parser(firth.TransitionParser(**PARSER))()[0].save("parser")
        make_texts(firth.CNNClassifier(dim=6, filters=3, widths="1,2"))()[0].save("cnn")
        make_language(firth.FeedForwardLM(dim=6, hidden=8, order=3, bptt=5))()[0].save("lm")
        make_pretrained(firth.MaskedLM(**WIDE, max_length=24))()[0].save("encoder")
        firth.Word2Vec(dim=4, epochs=1, sample=0).train(LINES, min_count=1, seed=1, threads=1, progress=False).save("v")
        lines = {
            "neighbours": ("vectors", "neighbours", "v", "cat", "--json"),
            "similarity": ("vectors", "similarity", "v", "cat", "dog", "--json"),
            "info": ("info", "cnn", "--json"),
            "tag": ("tag", "predict", "tagger", "text.txt", "--json"),
            "parse": ("parse", "predict", "parser", "text.txt", "--json", "--tagger", "tagger"),
            "classify-predict": ("classify", "predict", "cnn", "text.txt", "--json"),
            "classify-test": ("classify", "test", "cnn", "labels.txt", "--json"),
            "lm-score": ("lm", "score", "lm", "text.txt", "--json"),
            "lm-perplexity": ("lm", "perplexity", "lm", "text.txt", "--json"),
            "encode": ("encode", "encoder", "text.txt", "--json"),
            "explain": ("explain", "cnn", "the goal now", "--json"),
            "phrases": ("phrases", "text.txt", "--json"),
        }
        return {key: printed(*run(*line)) for key, line in lines.items()}


def printed(status: int, text: str) -> list[Any]:
    """Return the status and the lines that a command printed, JSON as values."""
    lines = text.splitlines()
    return [status, *(plain(json.loads(line)) if line[:1] in "[{" else line for line in lines)]


def quietly(work: Callable[[], Any]) -> Any:
    """Return what a function returns, or its error, with its warnings."""
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("always")
        try:
            result = work()
        except Exception as error:
            result = {"error": f"{type(error).__name__}: {error}"}
            if os.environ.get("PINS_TRACE"):
                traceback.print_exc(file=sys.__stderr__)
    said = [f"{each.category.__name__}: {each.message}" for each in caught if "firth" in each.category.__module__]
    return {**result, "warnings": said} if said else result


def pins(names: list[str]) -> dict[str, Any]:
    """Return all pins whose names begin so."""
    import torch

    torch.set_num_threads(1)
    work: dict[str, Callable[[], Any]] = {
        f"model/{name}": lambda make=make: pin_model(make) for name, make in MODELS.items()
    }
    work |= {
        f"reader/{name}": lambda name=name: pin_reader(name) for name in READERS if not name.startswith("checkpoint")
    }
    work["json"] = pin_json
    result = {name: quietly(each) for name, each in work.items() if not names or name.startswith(tuple(names))}
    if not names or any(name.startswith("help") for name in names):
        result["help"] = {" ".join(line): run(*line, "--help")[1] for line in commands()}
    return json.loads(json.dumps(result))


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield where two values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{place}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from differences(first, second, f"{place}[{number}]")
    elif one != other:
        yield f"{place}: {str(one)[:300]!r} -> {str(other)[:300]!r}"


def main() -> int:
    """Make or compare."""
    action, file, *names = sys.argv[1:]
    made = pins(names)
    if action == "make":
        Path(file).write_text(json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False), encoding="utf-8")
        print(f"{len(made)} pins; errors: {[name for name, pin in made.items() if 'error' in pin]}")
        return 0
    before = json.loads(Path(file).read_text(encoding="utf-8"))
    before = {name: pin for name, pin in before.items() if not names or name.startswith(tuple(names))}
    found = list(differences(before, made))
    print(*found, f"{len(found)} differences in {len(before)} pins", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
