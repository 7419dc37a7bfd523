"""context2vec: what a context sees, its loss, substitutes, files."""

import numpy as np
import pytest
import torch

import firth
from firth.errors import ArgumentTypeError, CorpusError, DataError, FormatError, OptionError
from firth.neural.models.context2vec.context2vec import context_task
from firth.neural.models.sentences.data import TokenBatch
from firth.vocabulary import Vocabulary
from tests.gradients.neural.directions import check_parameters

ANIMALS, FOOD, VERBS = ("dog", "cat", "cow"), ("bone", "fish", "grass"), ("eats", "likes", "smells")
TEXT = [f"the {a} {v} the {f}" for a in ANIMALS for v in VERBS for f in FOOD]


@pytest.fixture(scope="module")
def model():
    training = firth.TrainingOptions(epochs=20, batch_size=8, lr=0.01)
    return firth.Context2Vec(dim=12, hidden=12).train(TEXT, training=training, min_count=1, progress=False)


def built(**options):
    torch.manual_seed(0)
    options = firth.Context2Vec(dim=5, hidden=4, samples=6, negative=3.0, **options)
    words = ["a", "b", "c", "d", "<unk>", "</s>"]
    return options.build(Vocabulary(words, np.array([9, 5, 4, 3, 2, 4]), 27))


def test_no_context_sees_its_own_word_and_every_context_sees_all_others():
    module = built().eval()
    ids, lengths = torch.tensor([[0, 1, 2, 3], [3, 1, 0, 0]]), torch.tensor([4, 2])
    with torch.no_grad():
        before = module(ids, lengths)
        for place in range(4):
            changed = ids.clone()
            changed[0, place] = 4
            same = (module(changed, lengths)[0] == before[0]).all(1)
            assert same.tolist() == [each == place for each in range(4)]


def test_padding_and_other_sentences_change_nothing():
    module = built().eval()
    alone = module(torch.tensor([[3, 1]]), torch.tensor([2]))
    beside = module(torch.tensor([[0, 1, 2, 3], [3, 1, 2, 2]]), torch.tensor([4, 2]))
    assert torch.allclose(alone[0], beside[1, :2], atol=1e-6)


class Doubling(torch.nn.Module):
    """In place of dropout: shows where it acts."""

    def forward(self, x):
        return 2 * x


def test_vectors_are_those_of_two_lstms_that_stop_before_the_word():
    """c = V relu(U s) of their states s; dropout acts on what the LSTMs read, and on s."""
    module = built().eval()
    module.dropout = Doubling()
    ids, end = [2, 0, 3], 5
    D, H = 5, 4
    lstms = []
    for layer in (module.forward_layer, module.backward_layer):
        lstm = torch.nn.LSTM(D, H)
        lstm.load_state_dict({f"{name}_l0": value for name, value in layer.state_dict().items()})
        lstms.append(lstm)
    with torch.no_grad():
        read = [2 * module.embedding(torch.tensor(each))[:, None] for each in ([end, 2], [end, 3])]
        states = 2 * torch.cat([lstm(x)[0][-1, 0] for lstm, x in zip(lstms, read, strict=True)])
        first, second = module.joint[0], module.joint[2]
        expected = second.weight @ (first.weight @ states + first.bias).clamp(min=0) + second.bias
        found = module(torch.tensor([ids]), torch.tensor([3]))[0, 1]
    assert torch.allclose(found, expected, atol=1e-6)


def test_gradients_of_the_loss():
    module = built().double()
    batch = TokenBatch(torch.tensor([[0, 1, 2, 3], [3, 4, 0, 0]]), torch.tensor([4, 2]))

    def loss():
        torch.manual_seed(1)
        return context_task(module, None, None).step(batch, None, None).loss

    check_parameters(module, loss)


def test_loss_is_that_of_the_paper_with_shared_noise():
    module = built().double()
    batch = TokenBatch(torch.tensor([[0, 1, 4]]), torch.tensor([3]))  # the unknown word is no target
    torch.manual_seed(3)
    found = context_task(module, None, None).step(batch, None, None)
    torch.manual_seed(3)
    noise = module.output.noise.sample(6)
    contexts = module(batch.ids, batch.lengths)[0, :2]
    scores = contexts @ module.targets.T + module.output.full.bias
    losses = []
    for step, target in enumerate((0, 1)):
        others = [-torch.log(torch.sigmoid(-scores[step, n])) for n in noise if n != target]
        losses.append(-torch.log(torch.sigmoid(scores[step, target])) + 3 / 6 * sum(others))
    assert found.predictions == 2
    assert found.loss.item() == pytest.approx((sum(losses) / 2).item(), rel=1e-9)


def test_unknown_words_and_sentence_ends_are_no_noise_but_once():
    module = built()
    shares = module.output.noise.probabilities
    assert shares[4] == shares[5] < shares[3]


def test_substitutes_fit_the_place(model):
    assert {word for word, _ in model.substitutes("the [] eats the bone", n=3)} == set(ANIMALS)
    assert {word for word, _ in model.substitutes("the dog [] the fish", n=3)} == set(VERBS)
    words = [word for word, _ in model.substitutes("the dog eats the bone", 4, n=2)]
    assert set(words) == {"fish", "grass"}  # bone itself is left out
    assert model.substitutes(["the", "dog", "eats"], 1, n=2) == model.substitutes("the dog eats", 1, n=2)


def test_candidates_are_ranked_and_unknown_ones_left_out(model):
    found = model.substitutes("the [] eats the bone", candidates=["grass", "cow", "zebra", "Cat"])
    assert {word for word, _ in found[:2]} == {"cow", "cat"}
    assert len(found) == 3


def test_the_product_asks_for_words_like_the_one_that_stands_there(model):
    table = model.word_vectors().get_normed_vectors()
    row = model.vocabulary.ids
    context = model.context_vector("the dog eats", 1)
    fits = table @ context / np.linalg.norm(context)
    expected = (1 + fits[row["cow"]]) / 2 * (1 + table[row["cow"]] @ table[row["dog"]]) / 2
    found = dict(model.substitutes("the dog eats", 1, measure="mult"))
    assert found["cow"] == pytest.approx(expected, rel=1e-4)


def test_many_places_at_once_are_those_one_by_one(model):
    places = [(text.split(), number % 5) for number, text in enumerate(TEXT)]
    found = model.context_vectors(places)
    for row, place in zip(found, places, strict=True):
        assert np.allclose(row, model.context_vectors([place])[0], atol=1e-5)


def test_long_sentences_are_read_around_the_place():
    options = firth.Context2Vec(dim=8, hidden=8, max_length=5)
    model = options.train(TEXT, training=firth.TrainingOptions(epochs=1), min_count=1, progress=False)
    words = ["dog"] * 20 + ["the", "cat", "eats", "the", "bone"] + ["dog"] * 20
    assert np.allclose(model.context_vector(words, 22), model.context_vector(["the", "cat", "eats", "the", "bone"], 2))


def test_a_saved_model_gives_the_same_vectors(model, tmp_path):
    model.save(tmp_path / "c2v")
    again = firth.load(tmp_path / "c2v")
    assert (again.context_vector("the [] eats") == model.context_vector("the [] eats")).all()
    assert again.substitutes("the [] eats") == model.substitutes("the [] eats")


def test_a_folder_without_the_unknown_word_is_refused(model, tmp_path):
    model.save(tmp_path / "c2v")
    file = tmp_path / "c2v" / "vocab.json"
    file.write_text(file.read_text().replace("<unk>", "<unknown>"))
    with pytest.raises(FormatError):
        firth.load(tmp_path / "c2v")


def test_the_best_epoch_is_that_of_held_out_text_and_its_noise_is_always_the_same():
    training = firth.TrainingOptions(epochs=2)
    model = firth.Context2Vec(dim=8, hidden=8).train(TEXT, held_out=TEXT[:5], training=training, min_count=1)
    again = firth.Context2Vec(dim=8, hidden=8).train(TEXT, held_out=TEXT[:5], training=training, min_count=1)
    losses = [each.metadata["training"]["best"]["held_out_loss"] for each in (model, again)]
    assert losses[0] == losses[1] > 0


def test_candidates_of_substitution_sets_are_ranked(model, tmp_path):
    (tmp_path / "tiny.gold").write_text("dog.n 1 :: cat 2;cow 1;\ndog.n 2 :: bone 1;\n", encoding="utf-8")
    (tmp_path / "tiny.preprocessed").write_text(
        "dog.n\t1\t1\tthe dog eats the bone\ndog.n\t2\t4\tthe cat eats the dog\n", encoding="utf-8"
    )
    report = model.test(tmp_path / "tiny.gold", resamples=50)
    assert [row.metric for row in report.rows] == ["gap-context", "gap-mult"]
    assert report.rows[0].value > 0.7 > report.rows[0].baseline
    with pytest.raises(OptionError, match="skip, count"):
        model.test(tmp_path / "tiny.gold", unknown="infer")
    with pytest.raises(DataError):
        model.test("missing")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("the dog eats",), OptionError, "which word"),
        (("the [] eats", 1), OptionError, "then no position"),
        (("the [] eats []",), OptionError, "one \\[\\]"),
        (("the dog eats", 3), OptionError, "from 0 to 2"),
        (("[]",), CorpusError, "no context"),
        ((7, 0), ArgumentTypeError, "a text or a list of words"),
        ((["the", 3], 0), ArgumentTypeError, "a text or a list of words"),
    ],
)
def test_unusable_places_are_refused(model, arguments, error, message):
    with pytest.raises(error, match=message):
        model.context_vector(*arguments)


def test_unusable_requests_are_refused(model):
    with pytest.raises(OptionError, match="context, mult"):
        model.substitutes("the [] eats", measure="cosine")
    with pytest.raises(OptionError, match="n=0"):
        model.substitutes("the [] eats", n=0)
    with pytest.raises(OptionError, match="the word that stands there"):
        model.substitutes("the [] eats", measure="mult")
    with pytest.raises(ArgumentTypeError, match="a list of words"):
        model.substitutes("the [] eats", candidates="dog")
    with pytest.raises(AttributeError, match="substitutes"):
        _ = model.most_similar


def test_held_out_text_of_single_words_is_refused(tmp_path):
    (tmp_path / "words.txt").write_text("dog\n\ncat\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="no context"):
        firth.Context2Vec().train(TEXT, held_out=tmp_path / "words.txt", min_count=1, progress=False)


def test_many_places_are_checked_and_folded_as_one_is(model):
    words = ["the", "cat", "eats", "bread"]
    one = model.context_vector(words, 3)
    np.testing.assert_allclose(model.context_vectors([(["The", "CAT", *words[2:]], 3)])[0], one, atol=1e-6)
    for place in ((words, 4), (words, -1), (words, True), ([], 0)):
        with pytest.raises(OptionError, match="position="):
            model.context_vectors([place])
    with pytest.raises(CorpusError, match="a word alone"):
        model.context_vectors([(["cat"], 0)])


def test_texts_with_a_mark_are_places(model):
    found = model.context_vectors(["the [] eats the bone", (["the", "cat", "eats", "the", "bone"], 1)])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    with pytest.raises(
        ArgumentTypeError, match=r"places: found 3; expected pairs \(sentence, position\), or texts with \[\]"
    ):
        model.context_vectors([3])


def test_a_file_without_ends_of_sentences(tmp_path):
    """Most of it would not be read."""
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(TEXT * 4), encoding="utf-8")
    options = firth.Context2Vec(dim=4, hidden=4)
    with pytest.raises(
        CorpusError, match=r'a text of 1 sentences.*476 words stand after the first 64.*sentences="line"'
    ):
        options.train(path, min_count=1, progress=False)
    how = firth.TrainingOptions(epochs=1, batch_size=8)
    options.train(path, min_count=1, sentences="line", training=how, progress=False)


def test_a_text_is_read_as_its_words(model):
    """In lower case where only that is known."""
    found = model.context_vectors(["THE [] EATS the bone", (["THE", "cat", "EATS", "the", "bone"], 1)])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
