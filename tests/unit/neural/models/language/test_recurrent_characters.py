"""Models over characters read words that they do not predict: in training, judging, scoring and generation."""

import dataclasses
import math
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.inference.generation_options import GenerationOptions
from firth.inference.scorer import Prompt
from firth.language.text import UNK, encode_sentences, training_text
from firth.neural.models.language.language_model import TextReader
from tests.unit.neural.models.language.tiny import EVERY, QUICK, corpus, untrained

each = pytest.mark.parametrize("name", ["char-aware", "c2w"])


def text_of(folder, words=4):
    """The small text with `words` words to predict out of 12."""
    return training_text(corpus(folder), {"max_size": words}, spelled=True)


def model_of(folder, name="char-aware"):
    return untrained(EVERY[name], text_of(folder))


@each
def test_the_spelling_of_an_unknown_word_changes_what_comes_after_it_alone(tmp_path, name):
    model = model_of(tmp_path, name)
    a, b = sorted(word for word in model.vocabulary.words if word.startswith("w"))[:2]
    scores = [model.score(f"{a} {word} {b}")[0] for word in ("looooook", "xyz", "<unk>")]
    assert {score.tokens for score in scores} == {(a, UNK, b, "</s>")}
    logs = np.array([score.log_probs for score in scores])
    assert (logs[:, :2] == logs[0, :2]).all()  # what is predicted is <unk> in all three
    assert (abs(np.diff(logs[:, 2:], axis=0)) > 1e-5).all()


@each
def test_it_is_read_as_its_vector(tmp_path, name):
    """The module over ids from V on gives what it gives over the vectors of the words as they are written."""
    model = model_of(tmp_path, name)
    module = model.module
    known = model.vocabulary.words[0]
    text = encode_sentences([f"{known} looooook {known} {'w7' * 9}"], model.vocabulary, model.rules)
    ids, unknown = module.inputs_of(text)
    found = module.embedding(torch.from_numpy(ids.astype(np.int64)), unknown)
    wanted = module.embedding.encode([known, "looooook", known, "w7" * 9, "</s>"])
    torch.testing.assert_close(found, wanted, atol=1e-6, rtol=0)


def test_prompts_are_read_by_their_spelling(tmp_path):
    """As scoring reads them, for prompts of several lengths at once, and without a warning."""
    model = model_of(tmp_path)
    known = next(word for word in model.vocabulary.words if word.startswith("w"))
    prompts = [["qqq"], [known, "rrrr"], [known], [known, "qqq"], []]
    ids = [tuple(model.vocabulary.ids.get(word, model.vocabulary.ids[UNK]) for word in words) for words in prompts]
    scores, state = model.start([Prompt(i, tuple(words)) for i, words in zip(ids, prompts, strict=True)])
    for words, row in zip(prompts, scores, strict=True):
        (score,) = model.score(" ".join([*words, known]))
        assert row[model.vocabulary.ids[known]] == pytest.approx(score.log_probs[len(words)], abs=1e-5)
    plain, _ = model.start(ids)  # ids alone are read as before
    assert [bool((a == b).all()) for a, b in zip(scores, plain, strict=True)] == [False, False, True, False, True]
    scores, _ = model.advance(state, np.array([1] * 5))
    assert np.exp(scores).sum(1) == pytest.approx(np.ones(5), abs=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (written,) = model.generate(f"{known} qqq", search="greedy", options=GenerationOptions(max_length=3))
        assert model.next_words("qqq", topn=9) != model.next_words("rrrr", topn=9)
    assert written.startswith(f"{known} qqq")


def test_training_and_judging_read_what_scoring_reads(tmp_path):
    """The loss of the training stream, read in one stream, is that of the finished model's scores."""
    text = text_of(tmp_path)
    model = untrained(EVERY["char-aware"], text)
    assert (text.ids == text.unk_id).mean() > 0.3
    reader = TextReader(model.module, text, batch_size=1, bptt=7)
    losses, state = [], None
    with torch.no_grad():
        for batch in reader.stream.epoch(0):
            hidden, state = reader.hidden(batch, state)
            losses.append(model.module.output.loss(*batch.predicted_rows(hidden)).numpy())
    logs = model.log_probs(text)
    assert np.concatenate(losses) == pytest.approx(-logs, abs=1e-5)
    unspelled = dataclasses.replace(text, unknown_words=(), unknown_ids=None)
    assert abs(model.log_probs(unspelled) - logs).max() > 1e-3


def suffixes(count, seed):
    """Made-up words that occur once, after which comes what their last letter says."""
    stems = np.random.default_rng(seed).integers(97, 123, size=(count, 5))
    words = ["".join(map(chr, row)) for row in stems.tolist()]
    return [f"{word}{'ak'[i % 2]} {('left', 'right')[i % 2]}" for i, word in enumerate(words)]


def test_it_learns_what_the_letters_of_unknown_words_tell(tmp_path):
    """After a made-up word comes what its last letter says: nothing to a model over words, all to one over characters.

    Held-out words are new. A model over words has log 2 to pay for each; the best over characters is chosen by held-out
    text, saved and loaded.
    """
    whole = firth.Corpus.build(suffixes(400, 0), cache=tmp_path, min_count=1)
    text = training_text(whole, {"max_size": 2}, spelled=True)
    assert sorted(text.vocabulary.words) == ["</s>", "<unk>", "left", "right"]
    training = firth.TrainingOptions(epochs=6, batch_size=8, lr=0.01)
    new, losses, judged = suffixes(100, 1), {}, {}
    for embedding in ("char-cnn", "words"):
        how = firth.RecurrentLM(embedding=embedding, char_dim=8, dim=16, hidden=16, layers=1, dropout=0.0, bptt=15)
        model = how.train(text, held_out=new, training=training, progress=False)
        model.save(tmp_path / embedding)
        found = firth.load(tmp_path / embedding)
        losses[embedding] = np.mean([-score.log_probs[1] for score in found.score(new)])
        judged[embedding] = found.metadata["training"]["rows"][-1][
            "loss"
        ]  # of three tokens a line, two of which are sure
    assert losses["words"] > 0.9 * math.log(2)
    assert losses["char-cnn"] < 0.1
    assert judged["words"] > 0.9 * math.log(2) / 3
    assert judged["char-cnn"] < 0.1


def test_a_mixture_reads_each_part_its_own_way(tmp_path):
    text = text_of(tmp_path)
    speller, reader = (untrained(EVERY[name], text) for name in ("char-aware", "rnn"))
    counter = firth.NgramLM(order=2, discount_fallback=True).train(text)
    mixture = firth.Mixture([speller, reader, counter], [0.4, 0.3, 0.3])
    prompts = [Prompt((text.unk_id,), (word,)) for word in ("qqq", "rrrrr")]
    parts = [np.exp(model.start(prompts)[0]) for model in (speller, reader, counter)]
    assert [bool((part[0] == part[1]).all()) for part in parts] == [False, True, True]
    mixed = np.exp(mixture.start(prompts)[0])
    assert mixed == pytest.approx(0.4 * parts[0] + 0.3 * parts[1] + 0.3 * parts[2], abs=1e-6)
    with pytest.warns(UserWarning, match="'qqq' not in the vocabulary"):
        assert mixture.generate("qqq", search="greedy", options=GenerationOptions(max_length=1))[0].startswith(UNK)
    assert firth.Mixture([speller], [1.0]).spells


def test_a_corpus_that_lost_the_spelling_is_warned_of(tmp_path):
    pruned = corpus(tmp_path, unknown=UNK, max_size=4)
    with pytest.warns(
        UserWarning, match=r"% of the training text is <unk>, which has lost its spelling: build the corpus"
    ):
        EVERY["char-aware"].train(pruned, training=QUICK, progress=False)
    EVERY["rnn"].train(pruned, training=QUICK, progress=False)  # which reads it so anyway


def test_train_limits_what_is_predicted_whatever_it_is_given(tmp_path, monkeypatch):
    """A corpus of every word with limits, the text itself with limits, and a text that has been read: one model."""
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    lines = suffixes(40, 0)
    corpus = firth.Corpus.build(lines, min_count=1)
    sources = [
        (corpus, {"min_count": 5}),
        (lines, {"min_count": 5}),
        (training_text(corpus, {"min_count": 5}, spelled=True), {}),
    ]
    how = EVERY["char-aware"]
    found = [how.train(source, training=QUICK, progress=False, **limits) for source, limits in sources]
    assert all(sorted(model.vocabulary.words) == ["</s>", "<unk>", "left", "right"] for model in found)
    logs = [model.log_probs(model.read(suffixes(5, 1))) for model in found]
    assert (logs[0] == logs[1]).all()
    assert (logs[0] == logs[2]).all()
    with pytest.raises(firth.errors.OptionError, match="built already"):
        EVERY["rnn"].train(corpus, training=QUICK, progress=False, min_count=5)


def test_a_run_goes_on_with_the_same_spellings_alone(tmp_path):
    """The text's digest holds the spelling of unknown words where the model reads them, and only there."""
    text = text_of(tmp_path)
    other = dataclasses.replace(text, unknown_words=tuple(word[::-1] for word in text.unknown_words))
    found = {}
    for name in ("char-aware", "rnn"):
        runs = [EVERY[name].train(each, training=QUICK, progress=False).metadata["training"] for each in (text, other)]
        found[name] = runs[0]["text"] == runs[1]["text"]
    assert found == {"char-aware": False, "rnn": True}
