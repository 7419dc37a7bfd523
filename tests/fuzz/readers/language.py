"""Language models: n-grams, ARPA files, mixtures, neural ones, checkpoints of their training; tokenisers."""

import contextlib
import functools
import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import firth
from tests.fuzz.outcomes import Reader, near
from tests.fuzz.readers import seeds


def use_model(path: Path) -> Any:
    """Score, judge, go on, generate."""
    from firth.language.files import load_language_model

    model = load_language_model(path)
    scores = model.score([seeds.LINES[0], "w1 unheard the", ""])
    return [
        [near(score.log_probs) for score in scores],
        near(model.log_probs(model.token_ids(list(seeds.LINES[:3])))),
        [word for word, _ in model.next_words("w0 w1", topn=3)],
        [str(text) for text in model.generate("w0", n=2, options=firth.GenerationOptions(max_length=5), seed=1)],
    ]


@functools.cache
def ngrams(order: int = 3, smoothing: str = "kneser-ney") -> Any:
    """A model of n-grams."""
    model = firth.NgramLM(order=order, smoothing=smoothing, discount_fallback=True)
    return model.train(seeds.corpus(), progress=False)


def make_arpa(path: Path) -> None:
    """An ARPA file, packed where the name says so."""
    ngrams().to_arpa(path.parent / "model.arpa")
    content = (path.parent / "model.arpa").read_bytes()
    (path.parent / "model.arpa").unlink()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def make_mixture(path: Path) -> None:
    """Two models as one."""
    firth.Mixture([ngrams(3), ngrams(2, "absolute")], [0.4, 0.6]).save(path)


def neural(name: str, options: Callable[[], Any]) -> Reader:
    """A neural model as its seed draws it."""

    def make(path: Path) -> None:
        import torch

        from firth.language.text import training_text
        from firth.neural.models.language.language_model import new_module
        from firth.neural.models.language.predict import NeuralLanguageModel

        torch.set_num_threads(1)
        how, text = options(), training_text(seeds.corpus())
        bos = text.unk_id if text.eos_id is None else text.eos_id
        module = new_module(how, text.vocabulary, bos, 1)
        NeuralLanguageModel(module, how, text.vocabulary, text.rules).save(path)

    return Reader(name=f"neural-{name}", make=make, use=use_model, own=True, cost=0.02, needs="torch")


def make_pretrained(path: Path) -> None:
    """A pretrained encoder as its seed draws it."""
    import firth
    from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
    from firth.neural.training.devices import new_parameters

    pieces = firth.WordPieces.train(seeds.LINES, 80)
    options = firth.Electra(dim=4, layers=1, heads=2, max_length=64, embedding_dim=2)
    with new_parameters(1):
        objective = options.build_objective(options.config(pieces), pieces)
    PretrainedEncoder(objective.encoder, pieces, "electra", objective.head, {"made": "for tests"}).save(path)


def use_pretrained(path: Path) -> Any:
    """Vectors of texts and words, and chances."""
    import firth

    model = firth.load(path)
    words = [line.split() for line in seeds.LINES[:2]]
    states = [each.tolist() for each in model.encode_tokens(words)]
    chances = [] if model.head is None else model.replaced(words[0]).tolist()
    return [model.encode(seeds.LINES[:3]).tolist(), states, chances]


def make_tagger(path: Path) -> None:
    """A tagger as its seed draws it."""
    import firth
    from firth.neural.models.tagging.predict import TaggerModel
    from firth.neural.models.tagging.tag_set import learn_tag_set
    from firth.neural.models.tokens.reader import learn_token_reader
    from firth.neural.training.devices import new_module

    options = firth.Tagger(targets="pos,ner", dim=4, hidden=3, char_dim=2, char_width=3, spelling=True, extra_words=0)
    reader = learn_token_reader([["a", "b", "a"]], columns=options.read_columns)
    sets = [learn_tag_set([["X", "Y"]], "bioes"), learn_tag_set([["B-A", "O"]], "bioes")]
    TaggerModel(new_module(0, options.build, reader, sets), options, reader, sets).save(path)


def make_pointers(path: Path) -> None:
    """A pointer network as its seed draws it."""
    import torch

    import firth
    from firth.neural.models.pointers.predict import PointerModel

    options = firth.PointerNetwork(hidden=4, order="permutation")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        PointerModel(options.build(2), options, 2, {"made": "for tests"}).save(path)


def use_pointers(path: Path) -> Any:
    """Positions in two sets."""
    import firth

    model = firth.load(path)
    sets = [[[0.1 * i, 0.3] for i in range(n)] for n in (2, 4)]
    return [found.tolist() for found in model.predict([[each[: model.dim] for each in some] for some in sets])]


def make_reader(path: Path) -> None:
    """A reader as its seed draws it, with a tagger."""
    import firth
    from firth.neural.models.reading.data import PassageReader
    from firth.neural.models.reading.predict import ReadingModel
    from firth.neural.models.tokens.reader import learn_token_reader
    from firth.neural.training.devices import new_module

    make_tagger(path.with_name("tagger"))
    tagger = firth.load(path.with_name("tagger"))
    shutil.rmtree(path.with_name("tagger"))
    options = firth.Reader(dim=4, hidden=3, layers=1, column_dim=2, no_answer=True, extra_words=0)
    reader = PassageReader(learn_token_reader([["a", "b", "a", "?"]], characters=False), (tagger,))
    ReadingModel(new_module(0, options.build, reader), options, reader, {"made": "for tests"}).save(path)


def use_reader(path: Path) -> Any:
    """The answer to a question."""
    import firth

    found = firth.load(path).answer("a b ?", "b a b a a", n=2)
    return [(each.text, each.start, round(each.score, 3)) for each in (found, *found.others)]


def make_lattice(path: Path) -> None:
    """A lattice language model as its seed draws it."""
    import torch

    import firth
    from firth.language.text import training_text
    from firth.neural.models.lattices.predict import LatticeModel

    options = firth.LatticeLM(max_length=2, dim=3, hidden=4, senses=2)
    text = training_text([["a", "b", "a"]], {"min_count": 1}, progress=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        module = options.build(len(text.vocabulary), [(0, 1), (1, 1)], text.unk_id)
    LatticeModel(module, options, text.vocabulary, text.rules, {"made": "for tests"}).save(path)


def use_lattice(path: Path) -> Any:
    """Log-probabilities, the chunks and the words."""
    import firth

    model = firth.load(path)
    return [near(model.log_probs(model.read([["a", "b"]]))), model.chunks, list(model.vocabulary.words)]


def make_predictors(path: Path) -> None:
    """A latent predictor network as its seed draws it."""
    import torch

    import firth
    from firth.neural.models.predictors.predict import PredictorModel

    options = firth.LatentPredictorNetwork(dim=3, hidden=4, max_length=5)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        PredictorModel(options.build(2), options, ["name", "kind"], {"made": "for tests"}).save(path)


def use_predictors(path: Path) -> Any:
    """Likelihoods of a text."""
    import firth

    model = firth.load(path)
    return near(model.log_likelihood([dict.fromkeys(model.fields[:9], "ab")], ["abc"]))


def make_graph_network(path: Path) -> None:
    """A graph network as its seed draws it."""
    import torch

    import firth
    from firth.neural.models.graphs.predict import NodeModel

    options = firth.GCN(hidden=3)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        NodeModel(options.build(2, 3), options, ["a", "b", "c"], 2, {"made": "for tests"}).save(path)


def use_graph_network(path: Path) -> Any:
    """Labels of three nodes."""
    import firth

    model = firth.load(path)
    return model.predict([[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0.5] * min(model.dim, 9)] * 3)


def make_autoencoder(path: Path) -> None:
    """An autoencoder of sentences with labels as its seed draws it."""
    import firth
    from firth.neural.models.autoencoders.data import SentenceItems
    from firth.neural.models.autoencoders.predict import AutoencoderModel
    from firth.neural.models.translation.units import learn_units
    from firth.neural.training.devices import new_parameters

    options = firth.SentenceVAE(dim=3, hidden=4, latent=2, label_dim=2, code="vq", codes=3)
    units = learn_units(["a b a"], "words", 9, lowercase=True)
    with new_parameters(1):
        module = options.build(units, 2)
    AutoencoderModel(module, options, SentenceItems(units, ["no", "yes"], 9), {"made": "for tests"}).save(path)


def use_autoencoder(path: Path) -> Any:
    """Codes of two texts, and a text."""
    import firth

    model = firth.load(path)
    labels = model.labels[:1] * 2 or None
    codes = model.encode(["a b", "b"], labels)
    return [codes.tolist(), model.decode(codes, labels, options=firth.GenerationOptions(max_length=5))]


def make_text_graph(path: Path) -> None:
    """Two texts and three words with numbers at random."""
    import numpy as np

    from firth.neural.models.graphs.text_predict import TextGraphModel, digests

    random = np.random.default_rng(1)
    vectors, chances = (random.random((5, 2), dtype=np.float32) for _ in range(2))
    chances /= chances.sum(1, keepdims=True)
    texts = digests([["a", "b"], ["b", "c"]])
    TextGraphModel(["x", "y"], ["a", "b", "c"], texts, vectors, chances, metadata={"made": "for tests"}).save(path)


def use_text_graph(path: Path) -> Any:
    """Labels and vectors of texts and words."""
    import firth

    model = firth.load(path)
    return [model.predict(["a b", "b c"]), near(model.encode(["b c"])), model.label_words(model.labels[0])]


def make_captioner(path: Path) -> None:
    """A caption model as its seed draws it."""
    import torch

    import firth
    from firth.neural.models.captions.data import Shape
    from firth.neural.models.captions.predict import CaptionModel
    from firth.neural.models.translation.units import learn_units

    options, units = firth.Captioner(hidden=4, max_length=5, gate_bias=True), learn_units(["x y"], "words", 9)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        CaptionModel(options.build(Shape(2, 3, True), units), options, units, Shape(2, 3, True)).save(path)


def use_captioner(path: Path) -> Any:
    """A caption, the score of another, and the words."""
    import firth

    model = firth.load(path)
    features = [[[0.5] * model.shape.dim] * model.shape.cells]
    words = list(model.units.words)[:200]
    return [model.caption(features, beam=2)[0].text, near(model.score(features, ["x"])), words]


def make_boltzmann_machine(path: Path) -> None:
    """A machine after one epoch."""
    import firth

    firth.RBM(hidden=3, epochs=1).train([[0, 1, 0, 1], [1, 0, 1, 0]], progress=False).save(path)


def use_boltzmann_machine(path: Path) -> Any:
    """Features of a row."""
    import firth

    model = firth.load(path)
    return model.encode([[0.5] * min(len(model.weights), 9)]).tolist()


def make_translator(path: Path) -> None:
    """A translator as its seed draws it."""
    import firth
    from firth.neural.models.translation.data import PairReader
    from firth.neural.models.translation.predict import TranslationModel
    from firth.neural.models.translation.units import learn_units
    from firth.neural.training.devices import new_module

    options = firth.Translator(source_units="words", target_units="words", hidden=4, max_length=5)
    source, target = learn_units(["a b a"], "words", 9), learn_units(["x y"], "words", 9)
    TranslationModel(new_module(0, options.build, source, target), options, PairReader(source, target)).save(path)


def use_translator(path: Path) -> Any:
    """A translation, the score of a pair, and the words."""
    import firth

    model = firth.load(path)
    found = model.translate("a b", beam=2, unknown="kept")
    words = [list(units.words)[:200] for units in (model.source, model.target)]
    return [found.text, near(model.score([("a", "x")])), *words]


def make_spelling_translator(path: Path) -> None:
    """A translator of words that it spells."""
    import firth
    from firth.neural.models.translation.data import PairReader
    from firth.neural.models.translation.predict import TranslationModel
    from firth.neural.models.translation.units import UNKNOWN, learn_units
    from firth.neural.training.devices import new_module

    options = firth.Translator(
        source_units="characters", target_units="words", hidden=4, max_length=5, spelling="all", spelling_hidden=3
    )
    source, target = learn_units(["a b a"], "characters", 9), learn_units(["x yz"], "words", 1, characters=True)
    module = new_module(0, options.build, source, target)
    module.output.bias.data[UNKNOWN] = 9
    TranslationModel(module, options, PairReader(source, target, spelling=options.spelling)).save(path)


def use_spelling_translator(path: Path) -> Any:
    """A translation with spelled words, and what they are spelled with."""
    import firth

    model = firth.load(path)
    found = model.translate("a b", beam=1, unknown="spelled", options=firth.GenerationOptions(max_length=3))
    return [list(found.tokens), near(model.score([("a", "x z")])), model.target.characters[:200]]


def make_summarizer(path: Path) -> None:
    """A summarizer as its seed draws it."""
    import firth
    from firth.neural.models.summaries.predict import SummaryModel
    from firth.neural.models.translation.data import PairReader
    from firth.neural.models.translation.predict import TranslationModel
    from firth.neural.models.translation.units import learn_units
    from firth.neural.training.devices import new_module

    options = firth.Summarizer(hidden=4, dim=3, max_length=5)
    both = learn_units(["a b a"], "words", 9, lowercase=True)
    module = new_module(0, options.translator.build, both, both)
    SummaryModel.of(TranslationModel(module, options.translator, PairReader(both, both)), options).save(path)


def use_summarizer(path: Path) -> Any:
    """The score of a pair, and the words."""
    import firth

    model = firth.load(path)
    return [near(model.score([("a b c", "c")])), list(model.translator.target.words)[:200]]


def use_tagger(path: Path) -> Any:
    """Marginals, the best tags, and the tags there are."""
    import firth

    model = firth.load(path)
    (table,) = model.marginals([["a", "b", "unheard"]])
    return [*(near(each) for each in table.values()), model.tags, list(model.words)]


def make_coreference(path: Path) -> None:
    """A model of coreference as its seed draws it."""
    import firth
    from firth.neural.models.coreference.predict import CoreferenceModel
    from firth.neural.models.tokens.reader import learn_token_reader

    options = firth.Coreference(dim=3, hidden=4, characters="cnn", char_dim=2, char_width=3, extra_words=0)
    tokens = learn_token_reader([["a", "b", "a"]])
    CoreferenceModel(options.build(tokens, 0), options, tokens).save(path)


def make_spans(path: Path) -> None:
    """An end-to-end model as its seed draws it."""
    import firth
    from firth.neural.models.coreference.predict import SpanCoreferenceModel
    from firth.neural.models.tokens.reader import learn_token_reader

    options = firth.SpanCoreference(dim=3, hidden=4, ffnn=5, max_width=2, char_dim=2, char_width=3, extra_words=0)
    reader = learn_token_reader([["a", "b", "a"]])
    SpanCoreferenceModel(options.build(reader, 0), options, reader).save(path)


def use_spans(path: Path) -> Any:
    """Scores of spans and chains."""
    import firth
    from firth.neural.models.coreference.span_data import collate, read_document
    from firth.readers.conllu import DependencySentence

    model = firth.load(path)
    document = firth.Document([DependencySentence.of(["a", "b", "c"])] * 2)
    width = model.options.max_width
    inputs = collate(read_document(document, model.tokens, width), model.tokens, width)
    scores = model.module.spans(inputs).scores[inputs.valid]
    return [near(scores.detach().numpy()), list(model.words), model.predict(document).clusters]


def use_coreference(path: Path) -> Any:
    """The scores of pairs, chains, and the words there are."""
    import firth
    from firth.readers.conllu import DependencySentence

    model = firth.load(path)
    document = firth.Document((DependencySentence.of(["a", "b", "unheard"]),), clusters=[[(0, 1), (1, 2)], [(2, 3)]])
    scores = model.module(model.reader.read(document))
    chains = model.predict(document).clusters
    return [near(scores.pairs.detach().numpy()), near(scores.new.detach().numpy()), chains, list(model.words)]


def make_trees(path: Path) -> None:
    """A model of trees as its seed draws it."""
    import torch

    from firth.classify.labels import LabelSet
    from firth.neural.models.classification.classifier import new_module
    from firth.neural.models.classification.reader import TextReader
    from firth.neural.models.trees.predict import TreeModel

    torch.set_num_threads(1)
    options, reader = (
        firth.TreeLSTMClassifier(dim=4, hidden=4, extra_words=0),
        TextReader(list("abcdef"), "whitespace", 9),
    )
    module = new_module(options, reader, 2, seed=1)
    TreeModel(module, options, reader, LabelSet(["x", "y"], np.array([3, 2]))).save(path)


def use_trees(path: Path) -> Any:
    """Labels of nodes, and a vector."""
    model = firth.load(path)
    tree = "(0 (0 a) (0 (0 b) (0 unheard)))"
    return [near(model.node_probabilities([tree])[0]), near(model.encode([tree], progress=False)), model.labels]


def make_parser(path: Path) -> None:
    """A transition parser as its seed draws it."""
    import torch

    from firth.neural.models.parsers.predict import ParserModel
    from firth.neural.models.parsers.transition_data import TransitionVocabulary

    torch.manual_seed(1)
    options = firth.TransitionParser(dim=4, tag_dim=3, hidden=4, extra_words=0)
    vocabulary = TransitionVocabulary(list("abcdef"), ["X", "Y"], ["root", "dep"])
    ParserModel(options.build(vocabulary, None), options, vocabulary).save(path)


def use_parser(path: Path) -> Any:
    """Trees of two sentences."""
    found = firth.load(path).predict([(["a", "b", "unheard"], ["X", "Y", "Z"]), (["c"], ["Y"])])
    return [(each.heads, each.relations) for each in found]


def label_model(name: str, options: Callable[[], Any]) -> Reader:
    """A model of texts with labels as its seed draws it."""

    def make(path: Path) -> None:
        import torch

        from firth.classify.labels import LabelSet
        from firth.neural.models.classification.classifier import new_module
        from firth.neural.models.classification.predict import LabelModel
        from firth.neural.models.classification.reader import TextReader

        torch.set_num_threads(1)
        how = options()
        tokens, limit = how.reads
        reader = TextReader(["a", "b", " ", "c"], tokens, limit)
        labels = LabelSet(["x", "y"], np.array([3, 2]))
        LabelModel(new_module(how, reader, 2, 1), how, reader, labels).save(path)

    return Reader(name=f"label-{name}", make=make, use=use_labels, own=True, cost=0.02, needs="torch")


def use_labels(path: Path) -> Any:
    """Probabilities, vectors and labels."""
    model: Any = firth.load(path)
    texts = ["a b c", "", "unheard"]
    return [near(model.probabilities(texts)), near(model.encode(texts, progress=False)), model.labels]


def make_encoder(path: Path) -> None:
    """A sentence encoder as its seed draws it, with added words."""
    import torch

    from firth.language.text import training_text
    from firth.neural.models.sentences.predict import SentenceEncoder
    from firth.neural.training.devices import new_module

    torch.set_num_threads(1)
    options, text = firth.SkipThought(dim=4, hidden=4, encoder="bi", output="full"), training_text(seeds.corpus())
    module = new_module(1, options.build_module, text.vocabulary)
    added = firth.WordVectors(["unheard", "of"], [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]])
    SentenceEncoder(module, options, text.vocabulary, text.rules, added=added).save(path)


def use_encoder(path: Path) -> Any:
    """Vectors of texts and of words."""
    model = firth.load(path)
    return [near(model.encode([*seeds.LINES[:3], "w1 unheard the", ""])), near(model.word_vectors()["of"])]


class StoppedError(Exception):
    """Breaks a training off."""


def make_checkpoint(path: Path) -> None:
    """The state of a neural training that was broken off after an evaluation."""
    import torch

    torch.set_num_threads(1)

    def stop(status: Any) -> None:
        if (path / "training.safetensors").exists():
            raise StoppedError

    with contextlib.suppress(StoppedError):
        _train(path, stop)


def _train(path: Path, progress: Any) -> Any:
    from firth.neural.training import checkpoints

    checkpoints.COST_RATIO = 0
    training = firth.TrainingOptions(epochs=2, batch_size=4, lr=0.01)
    model = firth.FeedForwardLM(dim=4, hidden=4, order=3, bptt=5)
    return model.train(seeds.corpus(), training=training, seed=1, threads=1, checkpoint=path, progress=progress)


def use_checkpoint(path: Path) -> Any:
    """Go on."""
    return near(_train(path, False).score(seeds.LINES[0])[0].log_probs)


def make_tokeniser(kind: str) -> Callable[[Path], None]:
    """Pieces of words."""
    return lambda path: firth.Subwords.train(
        list(seeds.LINES), 530 if kind == "wordpiece" else 275, kind=kind, min_count=1
    ).save(path)


def use_tokeniser(path: Path) -> Any:
    """There and back, and with draws."""
    found = firth.Subwords.open(path)
    ids = found.encode(seeds.LINES[0])
    sampled = [] if found.kind == "wordpiece" else found.tokenize(seeds.LINES[1], sample=0.1, seed=1)
    return [ids, found.decode(ids), found.tokenize("unseen café"), sampled, found.vocabulary[:200], len(found)]


READERS = (
    Reader(name="ngrams-folder", make=lambda path: ngrams().save(path), use=use_model, own=True, cost=0.003),
    Reader(name="ngrams-katz", make=lambda path: ngrams(3, "katz").save(path), use=use_model, own=True, cost=0.003),
    Reader(name="arpa", make=make_arpa, use=use_model, path="seed.arpa", cost=0.003),
    Reader(name="arpa-gz", make=make_arpa, use=use_model, path="seed.arpa.gz", cost=0.005),
    Reader(name="mixture", make=make_mixture, use=use_model, own=True, cost=0.005),
    neural("feedforward", lambda: firth.FeedForwardLM(dim=4, hidden=4, order=3)),
    neural("log-bilinear-tree", lambda: firth.LogBilinearLM(dim=4, order=3, output="tree:tree=random:codes=2")),
    neural("log-bilinear-classes", lambda: firth.LogBilinearLM(dim=4, order=3, output="classes")),
    neural("lstm", lambda: firth.RecurrentLM(cell="lstm", dim=4, hidden=4, layers=1, tie_weights=True)),
    neural("c2w", lambda: firth.RecurrentLM(embedding="c2w", char_dim=4, dim=4, hidden=4, layers=1)),
    neural("transformer", lambda: firth.TransformerLM(dim=8, layers=1, heads=2, context=6)),
    label_model("cnn", lambda: firth.CNNClassifier(dim=4, filters=3, widths="1,2", extra_words=0)),
    label_model("lstm", lambda: firth.RecurrentClassifier(dim=4, hidden=3, pooling="attention", extra_words=0)),
    label_model("vdcnn", lambda: firth.VDCNNClassifier(dim=4, filters=2, hidden=4)),
    Reader(name="coreference-spans", make=make_spans, use=use_spans, own=True, cost=0.02, needs="torch"),
    Reader(name="coreference", make=make_coreference, use=use_coreference, own=True, cost=0.02, needs="torch"),
    Reader(name="sentence-autoencoder", make=make_autoencoder, use=use_autoencoder, own=True, cost=0.02, needs="torch"),
    Reader(name="lattice", make=make_lattice, use=use_lattice, own=True, cost=0.02, needs="torch"),
    Reader(name="predictors", make=make_predictors, use=use_predictors, own=True, cost=0.02, needs="torch"),
    Reader(name="graph-network", make=make_graph_network, use=use_graph_network, own=True, cost=0.02, needs="torch"),
    Reader(name="text-graph", make=make_text_graph, use=use_text_graph, own=True, cost=0.02, needs="torch"),
    Reader(name="captioner", make=make_captioner, use=use_captioner, own=True, cost=0.02, needs="torch"),
    Reader(name="boltzmann-machine", make=make_boltzmann_machine, use=use_boltzmann_machine, own=True, cost=0.02),
    Reader(name="reader", make=make_reader, use=use_reader, own=True, cost=0.04, needs="torch"),
    Reader(name="pointers", make=make_pointers, use=use_pointers, own=True, cost=0.02, needs="torch"),
    Reader(name="summarizer", make=make_summarizer, use=use_summarizer, own=True, cost=0.02, needs="torch"),
    Reader(name="translator", make=make_translator, use=use_translator, own=True, cost=0.02, needs="torch"),
    Reader(
        name="translator-spelling",
        make=make_spelling_translator,
        use=use_spelling_translator,
        own=True,
        cost=0.02,
        needs="torch",
    ),
    Reader(name="tagger", make=make_tagger, use=use_tagger, own=True, cost=0.02, needs="torch"),
    Reader(name="tree-model", make=make_trees, use=use_trees, own=True, cost=0.02, needs="torch"),
    Reader(name="parser", make=make_parser, use=use_parser, own=True, cost=0.02, needs="torch"),
    Reader(name="contextual-encoder", make=make_pretrained, use=use_pretrained, own=True, cost=0.02, needs="torch"),
    Reader(name="sentence-encoder", make=make_encoder, use=use_encoder, own=True, cost=0.02, needs="torch"),
    Reader(name="checkpoint-neural", make=make_checkpoint, use=use_checkpoint, own=True, cost=0.1, needs="torch"),
    *(
        Reader(
            name=f"tokeniser-{kind}", make=make_tokeniser(kind), use=use_tokeniser, path="seed.json", needs="tokenizers"
        )
        for kind in ("bpe", "wordpiece", "unigram")
    ),
)
