"""Translators: searches against enumeration, padding, gradients, and tasks that they must learn."""

import itertools

import numpy as np
import pytest
import torch

import firth
from firth.errors import ArgumentTypeError, CorpusError, FormatError, OptionError, ShapeError, UnknownOptionError
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.units import UNKNOWN, learn_units
from firth.neural.training.devices import new_module
from tests.gradients.neural.directions import check_parameters

SAMPLED = firth.GenerationOptions(temperature=1)
PADDING = ("source_embedding.characters.weight",)
TEXTS = ["a b c", "b a", "c c a b", "a", "b c b a c"]
KINDS = {
    "none": {"attention": "none", "bridge": "last"},
    "general": {},
    "additive gru": {"attention": "additive", "encoder": "gru", "decoder": "gru", "layers": 2},
    "dot qrnn": {"attention": "dot", "encoder": "qrnn", "decoder": "qrnn", "input_feeding": False},
    "local": {"local": "predictive", "window": 2, "bidirectional": False, "dim": 6},
    "coverage": {"coverage": True, "bridge": "none"},
    "intra-attention": {"intra_temporal": True, "intra_decoder": True},
    "transformer": {"encoder": "transformer", "decoder": "transformer", "heads": 2, "layers": 2},
    "mixed": {"encoder": "transformer", "heads": 2, "reverse_source": True},
    "spelled": {"source_units": "characters"},
    "tied": {"joint": True, "tie_weights": "all", "decoder": "gru"},
    "copying": {"copying": True, "coverage": True, "coverage_loss": 0.5, "label_smoothing": 0.0},
}


def untrained(seed=0, texts=TEXTS, **how):
    options = firth.Translator(
        **{"source_units": "words", "target_units": "words", "min_count": 1, "hidden": 8, "max_length": 9, **how}
    )
    source = learn_units(texts, options.source_units, 300)
    target = source if options.joint else learn_units(texts, options.target_units, 300)
    module = new_module(seed, options.build, source, target)
    for parameter in module.parameters():  # far from uniform, so that scores differ
        torch.nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(seed))
    return TranslationModel(module, options, PairReader(source, target, options.reverse_source, options.copying))


@pytest.mark.parametrize("kind", KINDS)
def test_batches_give_what_single_texts_give(kind):
    """To the bit, with sources shorter and longer than 16 tokens, where `translate` says so."""
    model, texts = untrained(**{**KINDS[kind], "hidden": 32, "max_length": 20}), [*TEXTS, "c b a a b " * 4]
    options, near = firth.GenerationOptions(max_length=6), 1e-4 * (kind in ("local", "spelled", "copying"))
    for beam in (1, 3, firth.BeamSearch(beams=6, groups=2)):
        together = model.translate(texts, beam=beam, options=options)[1::2]
        alone = [model.translate(text, beam=beam, options=options) for text in texts[1::2]]
        assert [each.tokens for each in together] == [each.tokens for each in alone]
        assert [each.log_prob for each in together] == pytest.approx([each.log_prob for each in alone], 0, near)
    pairs = list(zip(texts, reversed(texts), strict=True))
    assert model.score(pairs)[::3] == pytest.approx([model.score([pair])[0] for pair in pairs[::3]], 0, near)


@pytest.mark.parametrize("how", KINDS.values(), ids=KINDS)
def test_log_probs_of_translations_are_their_scores(how):
    model = untrained(**how)
    found = model.translate(TEXTS, beam=3, unknown="kept", options=firth.GenerationOptions(max_length=10))
    ended = [(text, each) for text, each in zip(TEXTS, found, strict=True) if each.ended and each.tokens]
    scores = [model.score([(text, each.text)])[0] for text, each in ended if "<unk>" not in each.tokens]
    assert scores == pytest.approx([each.log_prob for _, each in ended if "<unk>" not in each.tokens], abs=1e-4)


@pytest.mark.parametrize("how", [KINDS["general"], KINDS["none"], KINDS["transformer"]], ids=str)
def test_a_wide_beam_finds_the_best_of_all_sequences(how):
    model = untrained(seed=1, texts=["a b"], **how)
    every = [" ".join(words) for n in (1, 2) for words in itertools.product("ab", repeat=n)]
    wide = firth.BeamSearch(beams=64, length_normalisation="none")
    found = model.translate(
        "b a", beam=wide, n_best=20, unknown="kept", options=firth.GenerationOptions(min_length=1, max_length=3)
    )
    ended = [each for each in (found, *found.others) if each.ended]
    best = max(every, key=lambda text: model.score([("b a", text)])[0])
    assert next(each for each in ended if "<unk>" not in each.tokens).text == best


def test_one_beam_is_greedy_search():
    model = untrained(seed=2)
    wide = model.translate(TEXTS, beam=firth.BeamSearch(beams=1))
    assert [each.tokens for each in wide] == [each.tokens for each in model.translate(TEXTS, beam=1)]


@pytest.mark.parametrize("how", [how for name, how in KINDS.items() if name not in ("none", "local")], ids=str)
def test_attention_sums_to_one(how):
    model = untrained(**how)
    for text, found in zip(TEXTS, model.translate(TEXTS, return_attention=True), strict=True):
        assert found.attention.shape == (len(found.tokens) + 1, len(text.split()) + 1)
        assert found.attention.sum(1) == pytest.approx(np.ones(len(found.attention)), abs=1e-5)


@pytest.mark.parametrize("how", KINDS.values(), ids=KINDS)
def test_the_gradient_equals_differences(how):
    model = untrained(**{**how, "hidden": 4, "dropout": 0.0})
    module = model.module.double().train()
    batch = model.collator.pairs([model.reader.read(*pair) for pair in itertools.pairwise(TEXTS[:3])])

    def loss():
        losses = module.losses(batch)
        return (losses.tokens + losses.coverage).sum()

    check_parameters(module, loss, without=PADDING)


def test_an_ensemble_of_a_model_with_itself_is_the_model():
    model, other = untrained(seed=3), untrained(seed=4, encoder="transformer", decoder="transformer")
    twice = firth.TranslationEnsemble([model, model])
    mine = model.translate(TEXTS, beam=3)
    assert [each.tokens for each in twice.translate(TEXTS, beam=3)] == [each.tokens for each in mine]
    pairs = list(zip(TEXTS, TEXTS, strict=True))
    assert twice.score(pairs) == pytest.approx(model.score(pairs), abs=1e-5)
    both = firth.TranslationEnsemble([model, other], weights=[3, 1])
    short = [("a b", "c")]
    steps = [
        np.exp(one.token_scores([one.reader.read(*pair) for pair in short], None, False)[0]) for one in (model, other)
    ]
    assert both.score(short)[0] == pytest.approx(np.log(0.75 * steps[0] + 0.25 * steps[1]).sum(), abs=1e-6)


def test_prefixes_are_kept():
    model = untrained(seed=5)
    found = model.translate(TEXTS[:3], prefixes=["c a", "", "b"], beam=3)
    assert found[0].tokens[:2] == ("c", "a")
    assert found[2].tokens[0] == "b"
    assert found[1].tokens == model.translate(TEXTS[1], beam=3).tokens
    (score,) = model.score([(TEXTS[0], found[0].text)])
    assert not found[0].ended or found[0].log_prob == pytest.approx(score, abs=1e-4)  # the prefix belongs to it
    with pytest.raises(OptionError, match="prefix 1: the model does not know 'z'"):
        model.translate(TEXTS[:1], prefixes=["a z"])
    with pytest.raises(ShapeError, match="1 prefixes for 2 texts"):
        model.translate(TEXTS[:2], prefixes=["a"])


def test_half_precision_is_near():
    model, how = untrained(), {"unknown": "kept", "beam": 1}
    exact, near = (model.translate(TEXTS, precision=precision, **how) for precision in ("fp32", "bf16"))
    assert [each.log_prob for each in near] != [each.log_prob for each in exact]
    same = [abs(a.log_prob - b.log_prob) for a, b in zip(near, exact, strict=True) if a.tokens == b.tokens]
    assert len(same) > 2
    assert max(same) < 0.5
    with pytest.raises(OptionError, match="precision='int8'"):
        model.translate("a", precision="int8")


@pytest.mark.parametrize("how", [{}, KINDS["transformer"]], ids=["general", "transformer"])
def test_forced_phrases_are_in_translations(how):
    model = untrained(seed=5, **how)
    found = model.translate(TEXTS[:3], forced=[["c a", "b"], [], ["a", "a"]], prefixes=["b c", "", ""], beam=6)
    assert "c a" in found[0].text
    assert found[0].text.startswith("b c")
    assert found[1].tokens == model.translate(TEXTS[1], beam=6).tokens
    assert found[2].tokens.count("a") >= 2
    assert found[2].tokens == model.translate(TEXTS[2], forced=["a", "a"], beam=6).tokens
    assert "c a" in model.translate(TEXTS[1], forced="c a", beam=6).text
    for wrong, error in (
        ({"forced": [["a z"]]}, "forced phrase of text 1: the model does not know 'z'"),
        (
            {"forced": [["a"]], "options": firth.GenerationOptions(max_length=1)},
            "text 1: prefix and forced phrases need",
        ),
        (
            {"forced": [["a a"]], "options": firth.GenerationOptions(no_repeat_ngram=1)},
            "text 1: forced phrase 'a a': it repeats 1 word",
        ),
        ({"options": firth.GenerationOptions(temperature=0)}, "temperature=0 with 5 beams: expected beam=1"),
        ({"options": firth.GenerationOptions(temperature=1), "n_best": 2}, "n_best=2 with sampling: expected 1"),
    ):
        with pytest.raises(OptionError, match=error):
            model.translate(TEXTS[:1], **wrong)
    with pytest.raises(ShapeError, match="1 lists of forced phrases for 2 texts"):
        model.translate(TEXTS[:2], forced=[["a"]])


def test_phrases_in_one_list_are_forced_in_every_text():
    model = untrained()
    flat = model.translate(TEXTS[:2], forced=["c a"])
    assert all("c a" in each.text for each in flat)
    assert flat == model.translate(TEXTS[:2], forced=[["c a"], ["c a"]])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"options": {"temperature": 1}}, "expected GenerationOptions: GenerationOptions[(]temperature=1[)]"),
        ({"prefixes": 5}, "prefixes=5 is an int; expected a list of texts"),
        ({"forced": 5}, "forced=5 is an int; expected a list of phrases"),
        ({"dictionary": "words.tsv"}, "dictionary='words.tsv' is a str; expected words of the target"),
        ({"dictionary": {"a": 1}}, "dictionary, an entry={'a': 1} is a dict; expected words of the target"),
    ],
)
def test_wrong_arguments_of_translate_are_named(how, message):
    with pytest.raises(ArgumentTypeError, match=message):
        untrained().translate("a b", **how)


def test_habits_of_other_libraries_are_answered():
    model, translator = untrained(), firth.Translator()
    with pytest.raises(UnknownOptionError, match=r"num_beams=5: not an argument of translate; use beam$"):
        model.translate("a", num_beams=5)
    for call in (translator.train, model.test, model.score):
        with pytest.raises(
            UnknownOptionError, match=r"2 arguments without a name; expected pairs; .*\(\(sources, targ"
        ):
            call(["a"], ["b"])
    with pytest.raises(ArgumentTypeError, match=r"held_out=0\.1 is a float"):
        translator.train([("a", "b")] * 4, held_out=0.1)
    with pytest.raises(ArgumentTypeError, match=r"models=<TranslationModel.*expected a list of translators"):
        firth.TranslationEnsemble(model)
    with pytest.raises(ArgumentTypeError, match=r"model 1='m'.*firth\.load"):
        firth.TranslationEnsemble(["m"])
    with pytest.raises(AttributeError, match=r"use source\.words and target\.words"):
        _ = model.vocab


def test_a_temperature_means_sampling_whatever_it_is():
    model, every = untrained(), firth.GenerationOptions(top_k=1000)
    for seed in range(2):
        drawn = model.translate(TEXTS, options=SAMPLED, seed=seed)
        assert drawn == model.translate(TEXTS, options=every, seed=seed) != model.translate(TEXTS)
    greedy = model.translate(TEXTS, options=firth.GenerationOptions(temperature=0), beam=1)
    assert greedy == model.translate(TEXTS, options=firth.GenerationOptions(), beam=1)


def test_samples_do_not_depend_on_how_texts_are_batched():
    model, every = untrained(hidden=32), [*TEXTS, "a", ""]
    together = model.translate(every, options=SAMPLED, seed=2)
    assert together == model.translate(every, options=SAMPLED, seed=2, batch_size=2)
    assert together[0] == model.translate(every[0], options=SAMPLED, seed=2)
    assert len({each.text for each in model.translate(["a"] * 9, options=SAMPLED, batch_size=3)}) > 3


def test_pairs_without_a_score_are_refused():
    model = untrained()
    left_out = pytest.warns(UserWarning, match="2 of 3 pairs left out, because one side is empty")
    with left_out, pytest.raises(CorpusError, match=r"2 pair\(s\) with an empty side have no score"):
        model.score([("a", "b"), ("", "b"), ("b", " ")])


def test_subwords_never_write_the_unknown_word():
    model = untrained(target_units="subwords")
    with torch.no_grad():
        model.module.output.bias[UNKNOWN] = 1e4
    for how in ({"beam": 1}, {"beam": 3}, {"beam": 3, "prefixes": ["a"] * 5}, {"options": SAMPLED}):
        assert not any("<unk>" in each.tokens for each in model.translate(TEXTS, **how))


def test_coverage_penalty_ranks_by_the_attention_of_translations():
    """The score is that of the attention that is returned: b sum log min(c, 1), beside the mean log-probability."""
    model, twice = untrained(seed=6), firth.TranslationEnsemble([untrained(seed=6)] * 2)
    how = firth.BeamSearch(beams=4, coverage_penalty=0.3)
    found = model.translate(TEXTS, beam=how, n_best=4, return_attention=True)
    for best in found:
        for each in (best, *best.others):
            covered = np.log(each.attention[: len(each.tokens) + each.ended].sum(0).clip(max=1)).sum()
            assert each.score == pytest.approx(
                each.log_prob / (len(each.tokens) + each.ended) + 0.3 * covered, abs=1e-4
            )
    assert [each.tokens for each in twice.translate(TEXTS, beam=how)] == [each.tokens for each in found]
    with pytest.raises(OptionError, match="a coverage penalty needs a recurrent decoder with attention"):
        untrained(attention="none", bridge="last").translate(TEXTS, beam=how)
    with pytest.raises(OptionError, match="a coverage penalty needs a recurrent decoder with attention"):
        untrained(**KINDS["transformer"]).translate(TEXTS, beam=how)


def test_unknown_words_are_copied_or_looked_up():
    model = untrained()
    bias = model.module.output.bias
    with torch.no_grad():
        bias[0] = 100.0  # of <unk>
    short = firth.GenerationOptions(max_length=3)
    kept = model.translate("x y", unknown="kept", options=short)
    assert kept.text == "<unk> <unk> <unk>"
    copied = model.translate("x y", options=short, return_attention=True)
    best = copied.attention[:3, :2].argmax(1)
    assert copied.tokens == tuple("xy"[place] for place in best)
    table = {"x": "one", "y": "two"}
    assert model.translate("x y", dictionary=table, options=short).tokens == tuple(table[t] for t in copied.tokens)


@pytest.mark.parametrize("how", [KINDS["spelled"], KINDS["tied"], KINDS["transformer"], KINDS["copying"]], ids=str)
def test_folders_keep_everything(how, tmp_path):
    model = untrained(**how)
    model.save(tmp_path / "it.firth")
    other = firth.load(tmp_path / "it.firth")
    texts = [*TEXTS, "d e"]
    assert [str(each) for each in other.translate(texts)] == [str(each) for each in model.translate(texts)]
    assert repr(other) == repr(model)


def test_a_folder_without_special_tokens_is_refused(tmp_path):
    model = untrained()
    content = model._content()
    content.texts["target-vocab"][:3] = ["x", "y", "z"]

    with pytest.raises(FormatError, match="expected <unk>, <s>, </s>"):
        TranslationModel.restore(content)


@pytest.mark.parametrize(
    ("side", "name", "value"),
    [
        ("target", "spelled", True),
        ("source", "lowercase", True),
        ("source", "lowercase", 0),
        ("target", "subwords", "{}"),
        ("target", "characters", 3),
    ],
)
def test_rules_of_texts_that_are_not_those_of_the_options_are_refused(side, name, value):

    content = untrained(**KINDS["tied"])._content()
    TranslationModel.restore(content)
    content.texts["tokens"][side][name] = value
    with pytest.raises(FormatError, match=f"{side} as the options do|characters of the target"):
        TranslationModel.restore(content)


def test_a_joint_vocabulary_is_one():

    content = untrained(joint=True)._content()
    content.texts["source-vocab"] = [*content.texts["source-vocab"][:-1], "new"]
    with pytest.raises(FormatError, match="different words on both sides"):
        TranslationModel.restore(content)


def learn(order, seed=0, pairs=900, epochs=4):
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(list("abcdef"), random.integers(2, 6))) for _ in range(pairs + 100)]
    both = [(text, " ".join(text.split()[::order])) for text in texts]
    training = firth.TrainingOptions(epochs=epochs, batch_size=32, lr=0.02, clip_norm=1.0, schedule="linear")
    translator = firth.Translator(
        source_units="words", target_units="words", hidden=32, dropout=0.0, label_smoothing=0.0
    )
    return translator.train(both[:-100], held_out=both[-100:], training=training, progress=False), both[-100:]


def aligned(model, pairs):
    """Share of the tokens that attend most to the source token at their own position."""
    found = model.translate([source for source, _ in pairs], beam=1, return_attention=True)
    places = [each.attention[:-1].argmax(1) == np.arange(len(each.tokens)) for each in found]
    return np.concatenate(places).mean()


def exact(model, pairs):
    found = model.translate([source for source, _ in pairs], beam=1)
    return np.mean([each.text == target for each, (_, target) in zip(found, pairs, strict=True)])


def test_it_learns_to_copy():
    model, pairs = learn(1)
    assert aligned(model, pairs) > 0.5  # by chance less than a third
    assert exact(model, pairs) > 0.5
    assert model.test(pairs, beam=1, resamples=10).rows[0].value > 50


@pytest.mark.slow
def test_copies_are_aligned_and_reversals_exact():
    model, pairs = learn(1, pairs=3000, epochs=6)
    assert aligned(model, pairs) >= 0.95
    model, pairs = learn(-1, pairs=3000, epochs=6)
    assert exact(model, pairs) >= 0.95


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"joint": True, "source_units": "characters"}, "joint with source_units='characters'"),
        ({"tie_weights": "all"}, "expected joint=True"),
        ({"attention": "none", "coverage": True}, "need attention"),
        ({"output_layer": "adaptive"}, "label_smoothing=0.1 with output_layer='adaptive'"),
        ({"bridge": "last", "decoder": "gru"}, "expected the same cell"),
        ({"coverage_loss": 1.0}, "coverage_loss=1.0 without coverage"),
        ({"copying": True}, "label_smoothing=0.1 with copying"),
        ({"copying": True, "label_smoothing": 0.0}, "copying of subwords: expected joint=True"),
        ({"copying": True, "decoder": "transformer"}, "copying needs a recurrent decoder with attention"),
        ({"hidden": 7}, "expected an even number"),
    ],
)
def test_options_that_do_not_fit_are_named(how, message):
    with pytest.raises(OptionError, match=message):
        firth.Translator(**how)


def test_bad_input_is_named(tmp_path):
    translator = firth.Translator(source_units="words", target_units="words", min_count=1, hidden=8, max_length=4)
    (tmp_path / "one").write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "two").write_text("a\nb\nc\n", encoding="utf-8")
    with pytest.raises(ShapeError, match="2 sources and 3 targets"):
        translator.train((tmp_path / "one", tmp_path / "two"))
    with pytest.raises(CorpusError, match="all pairs have more than 4 tokens"):
        translator.train([("a b c d e", "a")] * 3)
    model = untrained(max_length=3)
    with pytest.raises(OptionError, match="text 2 has more than 3 tokens"):
        model.translate(["a", "a b c a"], truncate=False)
    with pytest.warns(UserWarning, match="1 of 2 texts have more than 3"):
        model.translate(["a", "a b c a"])
    with pytest.raises(OptionError, match="beams"):
        model.translate("a", beam=0)
    with pytest.raises(OptionError, match="n_best=3"):
        model.translate("a", beam=2, n_best=3)
    with pytest.raises(OptionError, match="no attention"):
        untrained(**KINDS["none"]).translate("a", return_attention=True)
    with pytest.raises(OptionError, match="model 2 writes other tokens"):
        firth.TranslationEnsemble([model, untrained(texts=["x y"])])
    assert model.translate(["", "a"])[0].text == ""
    assert model.translate([]) == []
