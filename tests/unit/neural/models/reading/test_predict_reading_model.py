"""Readers: spans, attention, losses, answers of long paragraphs, folders, bad input."""

import dataclasses
import itertools
import math
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, FormatError, MissingFileError, OptionError, ShapeError
from firth.neural.models.reading.bidaf import TrilinearScores
from firth.neural.models.reading.data import Pair, PassageReader, collate, match_features
from firth.neural.models.reading.examples import questions_from, read_all, split, training_pairs
from firth.neural.models.reading.predict import best_spans, found_spans, log_totals, windows_of
from firth.neural.models.tokens.reader import learn_token_reader
from firth.neural.training.devices import new_module
from firth.readers.questions import Answer, Question

PEOPLE, CITIES = ("Ann", "Bob", "Eve", "Max"), ("Rome", "Oslo", "Lima", "Bern", "Cairo")
SMALL = {"dim": 8, "hidden": 6, "dropout": 0.0}
KINDS = [firth.Reader(**SMALL, layers=2), firth.BiDAF(**SMALL, char_dim=3, char_width=4)]
QUICK = firth.TrainingOptions(epochs=8, batch_size=8, optimiser="adam", lr=0.02)


def made_questions(count=60, seed=0, titles=True):
    """Who lives where: the answer is the city after the person of the question."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        people, cities = draw.sample(PEOPLE, 3), draw.sample(CITIES, 3)
        text = " ".join(f"{one} lives in {city}." for one, city in zip(people, cities, strict=True))
        which = draw.randrange(3)
        city = cities[which]
        found.append(
            Question(f"Where does {people[which]} live?", text, (Answer(city, text.index(city)),), str(number),
                     f"T{number % 9}" if titles else "")
        )  # fmt: skip
    return found


@pytest.fixture(scope="module")
def model():
    options = firth.Reader(dim=16, hidden=12, layers=1, dropout=0.0, max_answer_length=3, window=30)
    return options.train(made_questions(), held_out=made_questions(20, 1), training=QUICK, seed=1, progress=False)


def passages(*texts):
    reader = PassageReader(learn_token_reader([text.split() for text in texts]))
    return reader, reader.read(texts)


def built(options, *pairs):
    """A module with random parameters, its vocabulary, and pairs of texts as it reads them."""
    tokens = learn_token_reader(
        [text.split() for pair in pairs for text in pair], characters=options.characters != "none"
    )
    reader = PassageReader(tokens)
    read = [Pair(*reader.read(pair)) for pair in pairs]
    module = new_module(0, options.build, reader).double()
    return module.eval(), tokens, read


@pytest.mark.parametrize("longest", [1, 2, 3, 9])
def test_the_best_spans_are_those_of_a_search_over_all(longest):
    torch.manual_seed(longest)
    starts, ends = torch.randn(4, 7), torch.randn(4, 7)
    starts[2, 5:] = ends[2, 5:] = -torch.inf
    scores, firsts, lasts = best_spans(starts, ends, max_answer_length=longest, n=4)
    for row in range(4):
        size = 5 if row == 2 else 7
        every = [(i, j) for i, j in itertools.combinations_with_replacement(range(size), 2) if j - i < longest]
        ranked = sorted(every, key=lambda span: -float(starts[row, span[0]] + ends[row, span[1]]))[:4]
        assert list(zip(firsts[row].tolist(), lasts[row].tolist(), strict=True)) == ranked
        values = [float(starts[row, i] + ends[row, j]) for i, j in every]
        assert float(log_totals(starts, ends, longest)[row]) == pytest.approx(np.logaddexp.reduce(values))
        assert float(scores[row, 0]) == pytest.approx(max(values))


def test_a_text_shorter_than_the_number_of_spans():
    scores, firsts, lasts = best_spans(torch.zeros(1, 1), torch.zeros(1, 1), max_answer_length=5, n=3)
    assert (scores.shape, firsts.tolist(), lasts.tolist()) == ((1, 1), [[0]], [[0]])


def test_trilinear_scores_are_those_of_the_concatenated_vectors():
    torch.manual_seed(0)
    layer, h, u = TrilinearScores(5).double(), torch.randn(2, 4, 5).double(), torch.randn(2, 3, 5).double()
    w = torch.cat([layer.one.weight[0], layer.other.weight[0], layer.both])
    every = torch.cat([h[:, :, None].expand(2, 4, 3, 5), u[:, None].expand(2, 4, 3, 5), h[:, :, None] * u[:, None]], 3)
    torch.testing.assert_close(layer(h, u), every @ w)


def test_attention_of_bidaf_in_both_directions():
    """Each word of the paragraph over the question, and one over the paragraph by its best match."""
    options = firth.BiDAF(**SMALL, char_dim=3, char_width=4)
    module, _, _ = built(options, ("a b", "c d e"))
    torch.manual_seed(1)
    h, u = torch.randn(1, 3, 12).double(), torch.randn(1, 2, 12).double()
    asked, inside = torch.ones(1, 2, dtype=torch.bool), torch.tensor([[True, True, False]])
    found, summary, weights = module.attended(h, u, asked, inside)
    scores = module.scores(h, u)[0]
    torch.testing.assert_close(weights[0], scores.softmax(1))
    torch.testing.assert_close(found[0], scores.softmax(1) @ u[0])
    torch.testing.assert_close(summary[0], scores[:2].amax(1).softmax(0)[None] @ h[0, :2])
    for other in ("to-question", "none"):
        changed, _, _ = built(firth.BiDAF(**SMALL, char_dim=3, char_width=4, attention=other), ("a b", "c d e"))
        mean, ones, even = changed.attended(h, u, asked, inside)
        assert bool((ones == 1).all())
        assert torch.allclose(even, torch.full_like(even, 0.5)) == (other == "none")
        assert torch.allclose(mean[0, 0], u[0].mean(0)) == (other == "none")


def softmax(scores):
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def test_what_bidaf_makes_of_its_attention():
    """G = [h; c; h c; h s] with c of the question and one s of the paragraph; the end reads the expected start."""
    module, tokens, read = built(KINDS[1], ("Where is Ann ?", "Ann is in Rome today ."))
    kept = {"context": []}
    module.context.register_forward_hook(lambda _, inputs, output: kept["context"].append(output[0].numpy()))
    for name in ("model", "after"):
        layer = getattr(module, name)
        layer.register_forward_hook(
            lambda _, inputs, output, name=name: kept.update({name: (inputs[0][0].numpy(), output[0].numpy())})
        )
    with torch.no_grad():
        scores = module(collate(tokens, read))
    h, u = kept["context"]
    w = {name: each.detach().numpy() for name, each in module.named_parameters()}
    pairs = h @ w["scores.one.weight"].T + u @ w["scores.other.weight"][0] + (h * w["scores.both"]) @ u.T
    c, s = softmax(pairs) @ u, softmax(pairs.max(1)) @ h
    g, m = kept["model"]
    np.testing.assert_allclose(g, np.hstack([h, c, h * c, h * s]), atol=1e-12)
    starts = np.hstack([g, m]) @ w["start.weight"][0]
    np.testing.assert_allclose(scores.starts[0], starts, atol=1e-12)
    at = np.broadcast_to(softmax(starts) @ m, m.shape)
    given, n = kept["after"]
    np.testing.assert_allclose(given, np.hstack([g, m, at, m * at]), atol=1e-6)  # the softmax is float32
    np.testing.assert_allclose(scores.ends[0], np.hstack([g, n]) @ w["end.weight"][0], atol=1e-12)


@pytest.mark.parametrize("options", KINDS)
def test_the_probability_of_no_answer(options):
    """exp(none), divided by the sum of exp(score) over all spans of all paragraphs and none."""
    options = dataclasses.replace(options, no_answer=True, max_answer_length=2)
    texts = ("Ann is in Rome today .", "Bob sleeps .")
    module, tokens, read = built(options, *(("Where is Ann ?", text) for text in texts))
    with torch.no_grad():
        module.no_answer.copy_(torch.tensor([0.7, 0.4]))
        sides = [module(collate(tokens, [pair])) for pair in read]
    starts, ends = ([getattr(each, side)[0].tolist() for each in sides] for side in ("starts", "ends"))
    spans = {
        (number, i, j): starts[number][i] + ends[number][j]
        for number, text in enumerate(texts)
        for i, j in itertools.combinations_with_replacement(range(len(text.split())), 2)
        if j - i < 2
    }
    total = np.logaddexp.reduce([*spans.values(), 1.1])
    windows = [windows_of(read[0].question, [pair.paragraph for pair in read], 30)]
    (found,) = found_spans(module, tokens, windows, max_answer_length=2, n=99)
    assert len(found) == len(spans) + 1
    (none,) = [each for each in found if each.no_answer]
    assert none.probability == pytest.approx(np.exp(1.1 - total), rel=1e-5)
    assert [each.score for each in found] == pytest.approx(sorted([*spans.values(), 1.1], reverse=True), abs=1e-5)
    assert sum(each.probability for each in found) == pytest.approx(1)


@pytest.mark.parametrize("options", KINDS)
def test_padding_and_neighbours_change_nothing(options):
    pairs = [
        ("Where is it ?", "It is here ."),
        ("Who came to the town ?", "Ann and Bob came to the town in the night ."),
    ]
    module, tokens, read = built(options, *pairs)
    both = module(collate(tokens, read))
    for row, pair in enumerate(read):
        alone, size = module(collate(tokens, [pair])), len(pair.paragraph)
        for one, other in ((alone.starts, both.starts), (alone.ends, both.ends)):
            torch.testing.assert_close(one[0], other[row, :size], atol=1e-6, rtol=1e-5)
            assert bool((other[row, size:] == -torch.inf).all())
        asked = len(pair.question)
        torch.testing.assert_close(both.attention[row, :size, :asked].sum(1), torch.ones(size).double())
        assert not both.attention[row, :, asked:].any()


@pytest.mark.parametrize("options", KINDS)
def test_every_parameter_is_learned(options):
    module, tokens, read = built(options, ("Where is Ann ?", "Ann is in Rome today ."))
    batch = collate(tokens, [Pair(read[0].question, read[0].paragraph, (3, 3))])
    module.losses(batch).sum().backward()
    still = {name for name, each in module.named_parameters() if each.grad is None or not each.grad.abs().sum()}
    assert not still


def test_the_loss_is_that_of_the_right_start_and_end():
    module, tokens, read = built(firth.Reader(**SMALL, layers=1, no_answer=True), ("Where ?", "In Rome ."))
    with torch.no_grad():
        module.no_answer.copy_(torch.tensor([0.3, -0.2]))
    scores = module(collate(tokens, read))
    starts = [*scores.starts[0].tolist(), module.no_answer[0].item()]
    ends = [*scores.ends[0].tolist(), module.no_answer[1].item()]
    for span, (first, last) in {(0, 1): (0, 1), None: (3, 3)}.items():
        batch = collate(tokens, [Pair(read[0].question, read[0].paragraph, span)])
        expected = np.logaddexp.reduce(starts) - starts[first] + np.logaddexp.reduce(ends) - ends[last]
        assert module.losses(batch).item() == pytest.approx(expected, rel=1e-5)


def test_what_question_and_paragraph_share():
    _, (paragraph, question) = passages("Cities of Rome loved Walking walking .", "the city of rome , walked ?")
    features = match_features(paragraph, question)
    exact, lower, stemmed = features[:, :3].T.astype(bool).tolist()
    assert exact == [False, True, False, False, False, False, False]
    assert lower == [False, True, True, False, False, False, False]
    assert stemmed == [True, True, True, False, True, True, False]
    np.testing.assert_allclose(features[:, 3], np.array([1, 1, 1, 1, 2, 2, 1]) / 7)


def test_a_reader_learns_and_answers(model):
    scores = model.test(made_questions(30, 2))
    assert scores.exact_match >= 90  # one of three cities, by chance, is 33
    answer = model.answer("Where does Bob live?", "Ann lives in Lima. Bob lives in Oslo. Eve lives in Rome.", n=4)
    assert answer.text == "Oslo"
    assert answer.paragraph == 0
    assert (answer.start, answer.end) == (32, 36)
    ranked = [answer, *answer.others]
    assert len(ranked) == 4
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
    assert 0 < sum(each.probability for each in ranked) <= 1 + 1e-9
    ratio = math.exp(ranked[1].score - ranked[0].score)
    assert ranked[1].probability / ranked[0].probability == pytest.approx(ratio)


def test_the_epoch_with_the_best_f1_is_kept():
    held_out = made_questions(20, 1)
    model = KINDS[0].train(
        made_questions(), held_out=held_out, training=dataclasses.replace(QUICK, epochs=3, lr=0.005), progress=False
    )
    facts = model.metadata["training"]
    best = min(facts["rows"], key=lambda row: (row["held_out_error"], row["held_out_loss"]))
    assert 0 < best["held_out_error"] < 1
    assert facts["best"]["epoch"] == best["epoch"]
    assert model.test(held_out).f1 == pytest.approx(100 * (1 - best["held_out_error"]))


def test_answers_together_are_those_one_by_one(model):
    questions = made_questions(8, 3)
    texts = [each.question for each in questions]
    together = model.answer(texts, [each.paragraph for each in questions])
    alone = [model.answer(each.question, each.paragraph) for each in questions]
    assert [each.text for each in together] == [each.text for each in alone]
    np.testing.assert_allclose([each.score for each in together], [each.score for each in alone], atol=1e-4)
    assert model.predict(questions) == {each.name: found.text for each, found in zip(questions, together, strict=True)}
    one = questions[0].paragraph
    assert [each.text for each in model.answer(texts[:2], one)] == [model.answer(each, one).text for each in texts[:2]]


def test_a_long_paragraph_is_read_in_parts(model):
    """Fifty sentences, of which one answers; the window has thirty tokens. Offsets are those of the whole text."""
    filler = "Nothing stands here at all. " * 25
    text = f"{filler}Bob lives in Oslo. {filler}"
    answer = model.answer("Where does Bob live?", text, attention=True)
    assert (answer.text, text[answer.start : answer.end]) == ("Oslo", "Oslo")
    assert answer.attention.shape == (len(answer.words), len(answer.question))
    assert "Oslo" in answer.words
    np.testing.assert_allclose(answer.attention.sum(1), 1, rtol=1e-5)
    several = model.answer("Where does Bob live?", [filler, "Bob lives in Oslo."])
    assert (several.text, several.paragraph, several.start) == ("Oslo", 1, 13)


@pytest.mark.parametrize("window", [2, 5, 8, 30])
def test_parts_cover_the_paragraph(window):
    _, (question, paragraph) = passages("What ?", " ".join(f"w{number}" for number in range(23)))
    parts = [pair.paragraph for _, pair in windows_of(question, [paragraph], window)]
    assert all(1 <= len(part) <= window for part in parts)
    assert {form for part in parts for form in part.sentence.forms} == set(paragraph.sentence.forms)
    pairs = {form for part in parts for form in itertools.pairwise(part.sentence.forms)}
    assert window < 5 or pairs == set(itertools.pairwise(paragraph.sentence.forms))


def test_training_reads_the_part_with_the_answer():
    words = [f"w{number}" for number in range(50)]
    text = " ".join(words)
    for at in (0, 3, 24, 49):
        question = Question("Which?", text, (Answer(words[at], text.index(words[at])),))
        found = questions_from([question])
        reader = PassageReader(learn_token_reader([words]))
        (pair,) = training_pairs(read_all(found, reader), "x", window=10, no_answer=False)
        assert len(pair.paragraph) == 10
        assert pair.paragraph.sentence.forms[pair.span[0] : pair.span[1] + 1] == (words[at],)
    answer = " ".join(words[5:15])  # as long as the window
    question = Question("Which?", text, (Answer(answer, text.index(answer)),))
    (pair,) = training_pairs(read_all(questions_from([question]), reader), "x", window=10, no_answer=False)
    assert (pair.paragraph.sentence.forms, pair.span) == (tuple(words[5:15]), (0, 9))


def test_a_saved_reader_answers_alike(model, tmp_path):
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    questions = made_questions(6, 4)
    assert again.predict(questions) == model.predict(questions)
    assert again.fingerprint() == model.fingerprint()


def test_no_answer_is_learned():
    questions = made_questions(60)
    without = [Question("Where does Zoe live?", each.paragraph, (), f"n{each.name}") for each in questions[:40]]
    options = firth.Reader(dim=16, hidden=12, layers=1, dropout=0.0, no_answer=True)
    model = options.train(
        [*questions, *without], held_out=questions[:10] + without[:10], training=QUICK, progress=False
    )
    scores = model.test(made_questions(20, 5) + [Question("Where does Zoe live?", questions[50].paragraph)] * 5)
    assert scores.unanswerable == 5
    assert scores.no_answer_f1 == 100
    assert scores.f1 > 70
    found = model.answer("Where does Zoe live?", questions[50].paragraph, n=2)
    assert found.text == ""
    assert str(found) == "(no answer)"
    assert found.others[0].text


def test_questions_without_an_answer_are_left_out_and_said():
    questions = made_questions(4)
    with pytest.warns(UserWarning, match="1 questions without an answer are left out; no_answer=True"):
        pairs = _pairs([*questions, Question("Why?", questions[0].paragraph)])
    assert len(pairs) == 4
    with pytest.raises(CorpusError, match="no question has an answer"):
        _pairs([Question("Why?", "Because.")])
    read = read_all(questions_from([Question("Why?", "Because.")]), PassageReader(learn_token_reader([["a"]])))
    how = {"window": 40, "held_out": True}
    assert len(training_pairs(read, "x", no_answer=True, **how)) == 1  # enough to select by
    with pytest.raises(CorpusError, match="x: no question has an answer"):
        training_pairs(read, "x", no_answer=False, **how)


def test_what_is_held_out_has_an_answer():
    answered = made_questions(3, titles=False)
    questions = [*answered, *(Question("Why?", f"Because {number}.") for number in range(40))]
    for seed in range(5):
        _, judged = split(questions_from(questions), seed, answered=True)
        assert any(each.answers for each in judged.questions)
    with pytest.raises(CorpusError, match="1 paragraph with an answer; expected at least two"):
        split(questions_from(questions[2:]), 0, answered=True)


def _pairs(questions):
    reader = PassageReader(learn_token_reader([["a"]]))
    return training_pairs(read_all(questions_from(questions), reader), "x", window=40, no_answer=False)


def test_articles_are_held_out_whole():
    train, judged = split(questions_from(made_questions(60)), seed=0)
    assert len(train.questions) + len(judged.questions) == 60
    assert {each.title for each in judged.questions}.isdisjoint({each.title for each in train.questions})
    train, judged = split(questions_from(made_questions(60, titles=False)), seed=0)
    assert {each.paragraph for each in judged.questions}.isdisjoint({each.paragraph for each in train.questions})
    untitled = [Question("Why?", f"Because {number}.") for number in range(50)]
    train, judged = split(questions_from([*made_questions(9), *untitled]), seed=0)
    assert len({each.title or each.paragraph for each in judged.questions}) == 6  # a tenth of 9 articles, 50 paragraphs
    with pytest.raises(CorpusError, match="1 paragraph; expected at least two"):
        split(questions_from([made_questions(1, titles=False)[0]] * 3), seed=0)


def test_tags_of_taggers_are_features(tmp_path):
    sentences = [([*"ab"], ["X", "Y"]), (["Bob", "lives", "in", "Oslo", "."], ["P", "V", "I", "C", "."])] * 4
    tagger = firth.Tagger(dim=4, hidden=4, char_dim=2, char_width=2).train(
        sentences, held_out=sentences, training=firth.TrainingOptions(epochs=2, optimiser="adam"), progress=False
    )
    options = firth.Reader(**SMALL, layers=1, column_dim=3)
    how = {"training": firth.TrainingOptions(epochs=1, optimiser="adam"), "progress": False}
    model = options.train(made_questions(12), taggers=tagger, **how)
    assert model.reader.tag_counts == (7,)
    model.save(tmp_path / "m")
    questions = made_questions(3, 6)
    assert firth.load(tmp_path / "m").predict(questions) == model.predict(questions)
    with pytest.raises(ArgumentTypeError, match="taggers: found 'upos'; expected"):
        options.train(made_questions(12), taggers="upos", **how)


@pytest.mark.parametrize(
    ("question", "paragraph", "error", "problem"),
    [
        ("", "Text.", CorpusError, "the question '' has no word"),
        ("Who?", "  ", CorpusError, "its paragraph has no word"),
        ("Who?", 3, ArgumentTypeError, "paragraph"),
        (3, "Text.", ArgumentTypeError, "question"),
        (["Who?", "Why?"], ["Text."], ShapeError, "2 questions and 1 paragraphs"),
        (["Who?", 4], "Text.", ArgumentTypeError, r"question\[1\]"),
    ],
)
def test_wrong_questions_are_refused(model, question, paragraph, error, problem):
    with pytest.raises(error, match=problem):
        model.answer(question, paragraph)


def test_an_empty_paragraph_among_others_is_passed_over(model):
    assert model.answer("Where does Bob live?", ["", "Bob lives in Oslo."]).paragraph == 1


def test_wrong_options_and_sources(model, tmp_path):
    with pytest.raises(OptionError, match="n=0"):
        model.answer("Who?", "Ann.", n=0)
    with pytest.raises(ArgumentTypeError, match="source: found 3"):
        firth.Reader().train(3)
    with pytest.raises(CorpusError, match="source: no question"):
        firth.Reader().train([])
    with pytest.raises(CorpusError, match="the paragraph of question 'e' has no word"):
        firth.Reader().train([*made_questions(5), Question("Why?", " ", (), "e")], progress=False)
    with pytest.raises(AttributeError, match=r"use answer\(question, paragraph\)"):
        model.ask("Who?", "Ann.")


def test_the_same_seed_gives_the_same_reader():
    how = {"training": firth.TrainingOptions(epochs=1, batch_size=8, optimiser="adam"), "progress": False}
    one, same, other = (KINDS[0].train(made_questions(20), seed=seed, **how) for seed in (1, 1, 2))
    assert one.fingerprint() == same.fingerprint() != other.fingerprint()


def test_answers_are_found_in_many_texts(model):
    texts = [f"{each.paragraph}" for each in made_questions(5, 7)] + ["Bob sleeps in Paris.", "", "Zoe lives in Cairo."]
    index = firth.TfidfIndex(texts)
    found = model.answer_from("Where does Zoe live?", index, paragraphs=2, n=2)
    assert (found.text, found.paragraph) == ("Cairo", 7)
    assert texts[found.paragraph][found.start : found.end] == found.text
    assert all(texts[each.paragraph][each.start : each.end] == each.text for each in found.others)
    together = model.answer_from(["Where does Zoe live?", "xyz"], index, paragraphs=2)
    assert together[0].text == "Cairo"
    assert (together[1].text, together[1].paragraph) == ("", -1)
    with pytest.raises(ArgumentTypeError, match="index: found 3; expected"):
        model.answer_from("Who?", 3)


def test_peers_names_have_an_answer(model):
    answer = model.answer("Where does Bob live?", "Bob lives in Oslo.")
    with pytest.raises(AttributeError, match="use text"):
        answer.answer  # noqa: B018 - the attribute is looked up
    with pytest.raises(ArgumentTypeError, match="found the text 'Where does Bob live"):
        model.predict("Where does Bob live?")
    with pytest.raises(MissingFileError, match="expected a file of questions"):
        model.predict("what?.json")
    same = [Question("Where?", "Bob lives in Oslo.", name=name) for name in ("1", "")]
    with pytest.raises(FormatError, match="questions: the questions 0 and 1, from 0, have the same name '1'"):
        model.predict(same)
    with pytest.raises(CorpusError, match="the question '' has no word"):
        model.answer_from("", firth.TfidfIndex(["Bob lives in Oslo."]))
    with pytest.raises(OptionError, match="use max_answer_length"):
        firth.Reader(max_answer_len=3)
