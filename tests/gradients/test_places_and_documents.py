"""One window of each model of word order and of documents ascends the objective that its module states.

The update of a window, divided by the rate, against central differences in float64. The plain twins take the step; the
golden tests tie the compiled trainers to them.
"""

import numpy as np
import pytest

import firth
from tests.golden.test_paragraph_kernel import Twin as DocumentTwin
from tests.golden.test_structured_kernel import Twin as PlaceTwin
from tests.gradients.steps import derivative

TOLERANCE = 1e-6
SENTENCE = [3, 1, 4, 0, 5]  # distinct words: a row that stands twice would be updated twice, one after the other
NOISE = [6, 7, 1, 4]  # two of the sentence's own words among them
DIM = 4


def log_sigma(x):
    return -np.logaddexp(0, -x)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    sentences = [[f"w{i}" for i in range(8)], [f"w{i}" for i in range(4)]]
    return firth.Corpus.build(sentences, min_count=1, cache=tmp_path_factory.mktemp("cache"))


def prepared(twin):
    """The twin with random rows and a rate of 1: what it adds to rows is the derivative."""
    random = np.random.default_rng(0)
    for name in ("inputs", "outputs", "documents"):
        if hasattr(twin, name):
            setattr(twin, name, random.normal(0, 0.5, getattr(twin, name).shape))
    twin.rate = 1.0
    return twin


def check(twin, objective, names, take_step):
    """Every named matrix moves by the derivative of the objective with respect to it."""
    before = {name: getattr(twin, name).copy() for name in names}
    expected = {
        name: derivative(
            lambda batch, name=name: np.array([objective({**before, name: rows}) for rows in batch]), before[name]
        )
        for name in names
    }
    loss = -objective(before)
    take_step()
    assert twin.loss == pytest.approx(loss, rel=1e-12)
    for name in names:
        assert getattr(twin, name) - before[name] == pytest.approx(expected[name], abs=TOLERANCE)
        assert np.abs(expected[name]).max() > 1e-2


def negative(hidden, outputs, word, noise):
    return log_sigma(hidden @ outputs[word]) + sum(log_sigma(-hidden @ outputs[n]) for n in noise if n != word)


@pytest.mark.parametrize("t", [0, 2, 4])
def test_structured_skipgram(t, corpus):
    """sum_j [ log sigma(v_w . u^j_{c_j}) + sum_k log sigma(-v_w . u^j_{n_k}) ]."""
    twin = prepared(PlaceTwin(firth.StructuredWord2Vec(dim=DIM, window=2, epochs=1, sample=0), corpus, 0))
    offsets = [j for j in (-2, -1, 1, 2) if 0 <= t + j < 5]

    def objective(m):
        by_place = m["outputs"].reshape(8, 4, DIM)
        places = {-2: 0, -1: 1, 1: 2, 2: 3}
        v = m["inputs"][SENTENCE[t]]
        return sum(negative(v, by_place[:, places[j]], SENTENCE[t + j], NOISE) for j in offsets)

    check(twin, objective, ["inputs", "outputs"], lambda: twin.by_place(SENTENCE, t, offsets, NOISE))


@pytest.mark.parametrize("t", [0, 2, 4])
def test_continuous_window(t, corpus):
    """h = [v_{c_-2}; v_{c_-1}; v_{c_1}; v_{c_2}], zero where the sentence has ended."""
    twin = prepared(
        PlaceTwin(firth.StructuredWord2Vec(dim=DIM, window=2, epochs=1, sample=0, architecture="cwindow"), corpus, 0)
    )
    offsets = [j for j in (-2, -1, 1, 2) if 0 <= t + j < 5]

    def objective(m):
        parts = [m["inputs"][SENTENCE[t + j]] if j in offsets else np.zeros(DIM) for j in (-2, -1, 1, 2)]
        return negative(np.concatenate(parts), m["outputs"], SENTENCE[t], NOISE)

    check(twin, objective, ["inputs", "outputs"], lambda: twin.joined(SENTENCE, t, offsets, NOISE))


def document_window(twin, t=2, offsets=(-2, -1, 1, 2)):
    rows, signs = twin.targets(SENTENCE[t], NOISE)
    twin.window(0, [SENTENCE[t + j] for j in offsets], list(offsets), rows, signs)


@pytest.mark.parametrize(
    "options", [{"combine": "sum"}, {"combine": "concatenate"}, {"architecture": "dbow", "words": True}]
)
def test_documents_and_their_words(options, corpus):
    twin = prepared(DocumentTwin(firth.ParagraphVectors(dim=DIM, window=2, **options), corpus, 0))

    def objective(m):
        context, x = m["inputs"][[3, 1, 0, 5]], m["documents"][0]
        if options.get("combine") == "sum":
            return negative(x + context.sum(0), m["outputs"], 4, NOISE)
        if options.get("combine") == "concatenate":
            return negative(np.concatenate([*context, x]), m["outputs"], 4, NOISE)
        return sum(negative(row, m["outputs"], 4, NOISE) for row in [*context, x])

    check(twin, objective, ["inputs", "outputs", "documents"], lambda: document_window(twin))


def test_a_mean_hands_its_whole_gradient_to_every_row(corpus):
    """dJ/dh goes to each of the five rows, where the derivative of the mean is a fifth of it."""
    twin = prepared(DocumentTwin(firth.ParagraphVectors(dim=DIM, window=2, epochs=1, sample=0), corpus, 0))
    before = {name: getattr(twin, name).copy() for name in ("inputs", "outputs", "documents")}

    def objective(documents):
        h = (before["inputs"][[3, 1, 0, 5]].sum(0) + documents[..., 0, :]) / 5
        return np.array([negative(row, before["outputs"], 4, NOISE) for row in h])

    slope = derivative(objective, before["documents"])[0] * 5
    document_window(twin)
    assert twin.documents[0] - before["documents"][0] == pytest.approx(slope, abs=TOLERANCE)
    for word in (3, 1, 0, 5):
        assert twin.inputs[word] - before["inputs"][word] == pytest.approx(slope, abs=TOLERANCE)
    assert twin.documents[1:].tolist() == before["documents"][1:].tolist()


def test_a_bag_of_words(corpus):
    """sum_t log sigma(x_d . u_{w_t}), and after it the noise."""
    twin = prepared(DocumentTwin(firth.ParagraphVectors(dim=DIM, architecture="dbow"), corpus, 0))

    def objective(m):
        return sum(log_sigma(m["documents"][1] @ m["outputs"][word]) for word in SENTENCE)

    check(twin, objective, ["outputs", "documents"], lambda: twin.alone(1, SENTENCE, [1.0] * 5))
