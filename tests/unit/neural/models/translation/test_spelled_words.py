"""Spelled words: searches over characters, training, and a small language whose inflected words are regular."""

import itertools
import random

import pytest
import torch

import firth
from firth.errors import OptionError
from firth.neural.layers.character_decoder import CharacterDecoder
from firth.neural.layers.spelling import BEGIN, END
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.spelled_words import spelled
from firth.neural.models.translation.train import reinforce, translation_task
from firth.neural.models.translation.units import UNKNOWN, learn_units
from firth.neural.training.devices import new_module
from firth.neural.training.schedules import TrainingProgress
from tests.gradients.neural.directions import check_parameters

TEXTS = ["a b c!", "b a", "c c a ba", "a", "b caab b a"]
SHORT = firth.GenerationOptions(max_length=4)


def untrained(seed=0, unknown=3.0, **how):
    """A translator that knows the words a, b and c, and writes many unknown words."""
    how = {"source_units": "characters", "target_units": "words", "spelling": "all", "min_count": 1, **how}
    options = firth.Translator(**{"hidden": 8, "max_length": 9, "spelling_hidden": 6, **how})
    source = learn_units(TEXTS, options.source_units, 100)
    target = learn_units(TEXTS, "words", 3, characters=options.spells)
    module = new_module(seed, options.build, source, target)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        module.output.bias[UNKNOWN] = unknown
    return TranslationModel(module, options, PairReader(source, target, spelling=options.spelling))


@pytest.mark.parametrize(
    "how",
    [{}, {"spelling_copying": True}, {"attention": "none"}, {"decoder": "transformer", "heads": 2}],
    ids=["general", "copying", "none", "transformer"],
)
@pytest.mark.parametrize("beam", [1, 3])
def test_no_word_is_unknown_and_batches_give_what_single_texts_give(how, beam):
    model = untrained(seed=1, **how)
    kept = model.translate(TEXTS, beam=beam, n_best=beam, unknown="kept", options=SHORT)
    found = model.translate(TEXTS, beam=beam, n_best=beam, options=SHORT)
    assert any("<unk>" in each.tokens for each in kept)
    for one, other in zip(kept, found, strict=True):
        for old, new in zip((one, *one.others), (other, *other.others), strict=True):
            assert "<unk>" not in new.text
            assert all(new.tokens)
            assert [a == b for a, b in zip(old.tokens, new.tokens, strict=True)] == [a != "<unk>" for a in old.tokens]
    alone = [model.translate(text, beam=beam, options=SHORT).tokens for text in TEXTS]
    assert alone == [each.tokens for each in found]
    with_attention = model.translate(TEXTS, beam=beam, return_attention=True, options=SHORT) if not how else found
    assert alone == [each.tokens for each in with_attention]


@pytest.mark.parametrize("attention", ["general", "none"])
def test_targets_without_unknown_words_have_no_words_to_spell(attention):
    """Alone, beside others, and of no pairs at all."""
    model = untrained(attention=attention)
    known, unknown = model.reader.read("a b c", "a b"), model.reader.read("a b c", "a zz b zz")
    assert model.spelled_words([known]) == [[]]
    first, second = model.spelled_words([known, unknown])
    assert (first, len(second)) == ([], 2)
    assert model.spelled_words([]) == model.attention_of([]) == []


def spelling_problem():
    """A decoder of characters, 6 vectors, and what it attends to."""
    model = untrained(seed=3, hidden=6, dim=4)
    decoder = model.module.speller
    generator = torch.Generator().manual_seed(1)
    source = torch.randn(6, 5, 6, generator=generator), torch.rand(6, 5, generator=generator).log()
    return decoder, torch.randn(6, 10, generator=generator), source


def test_searches_over_characters_find_the_best():
    decoder, vectors, source = spelling_problem()
    for row, word in enumerate(spelled(decoder, vectors, source, beams=1)):
        one, best, before = slice(row, row + 1), "", BEGIN
        state = decoder.start(vectors[one], [x[one] for x in source])
        for place in range(decoder.spelling.longest):
            scores, state = decoder.step(torch.tensor([before]), state)
            allowed = [code for code in range(decoder.spelling.codes) if code > 3 or (code == END and place)]
            before = max(allowed, key=lambda code: scores[0, code].item())
            if before == END:
                break
            best += decoder.spelling.text([before])
        assert word == best

    def losses(words):
        return decoder.loss(vectors, decoder.spelling.character_ids(words), source).detach()

    greedy = spelled(decoder, vectors, source, beams=1)
    assert (losses(spelled(decoder, vectors, source, beams=8)) <= losses(greedy) + 1e-5).all()
    assert spelled(decoder, vectors[:0], [x[:0] for x in source]) == []


@pytest.mark.parametrize("beams", [1, 5])
def test_known_words_are_not_spelled(beams):
    """They go on, or others are spelled."""
    decoder, vectors, source = spelling_problem()
    with torch.no_grad():
        decoder.out.bias[END] += 3.0
    best = spelled(decoder, vectors, source, beams=beams)
    assert max(map(len, best)) < decoder.spelling.longest
    others = spelled(decoder, vectors, source, vocabulary=set(best), beams=beams)
    assert not set(best) & set(others)
    assert spelled(decoder, vectors, source, vocabulary=set(others), beams=beams) == best


def test_a_word_that_was_cut_is_not_a_known_one():
    """A decoder that never ends is cut at the longest length; where the best word is known, another beam's is taken."""
    torch.manual_seed(0)
    decoder = CharacterDecoder(["ab"], width_in=3, char_dim=3, hidden=4, longest=3).eval()
    with torch.no_grad():
        decoder.out.bias[END] = -50.0
    (best,) = spelled(decoder, torch.zeros(1, 3))
    (other,) = spelled(decoder, torch.zeros(1, 3), vocabulary={best})
    assert len(best) == len(other) == 3
    assert other != best
    every = {"".join(word) for word in itertools.product("ab", repeat=3)}
    for word in every:
        assert spelled(decoder, torch.zeros(2, 3), vocabulary=every - {word}, beams=16) == [word] * 2
    assert spelled(decoder, torch.zeros(1, 3), vocabulary=every)[0] in every, "no other word is there"


def test_words_are_spelled_in_bf16():
    found = untrained().translate(TEXTS, options=SHORT, precision="bf16")
    assert any(each.tokens for each in found)
    assert not any("<unk>" in each.tokens for each in found)


@pytest.mark.parametrize(("spelling", "wanted"), [("all", ["a", "b", "c", "￭!", "ba"]), ("unknown", ["￭!", "ba"])])
def test_words_are_spelled_from_their_own_steps(spelling, wanted):
    """Known words once a batch."""
    model = untrained(spelling=spelling)
    batch = model.collator.pairs([model.reader.read("a", "a b c!"), model.reader.read("b", "ba a")])
    words = [model.module.speller.spelling.text(codes) for codes in batch.spelled.codes.tolist()]
    assert words == [word.strip("￭") for word in wanted]
    _, targets = model.module(batch)
    assert targets[batch.spelled.steps].tolist() == model.target.ids(wanted).tolist()


def task_of(model, pairs):
    batches = model.reader.batches(pairs, 8, shuffle=False)
    tokens = sum(len(pair.target) for pair in pairs)
    return translation_task(model.module, batches, batches, predictions=tokens, spelling_weight=0.5), batches


@pytest.mark.parametrize(("spelling", "copying"), [("all", False), ("unknown", False), ("all", True)])
def test_the_gradient_equals_differences(spelling, copying):
    model = untrained(spelling=spelling, spelling_copying=copying, dropout=0.0, hidden=2, dim=2, spelling_hidden=2)
    model.module.double().train()
    task, batches = task_of(model, [model.reader.read(*pair) for pair in itertools.pairwise(TEXTS)])
    (batch,) = batches.epoch(0)

    def loss():
        return task.step(batch, None, TrainingProgress(0, 1, 0.0, 0.0)).loss

    check_parameters(model.module, loss, without=("source_embedding.characters.weight",))


def test_the_loss_is_that_of_words_and_of_their_characters():
    model = untrained()
    pairs = [model.reader.read(*pair) for pair in itertools.pairwise(TEXTS)]
    task, batches = task_of(model, pairs)
    (batch,) = batches.epoch(0)
    with torch.no_grad():
        figures = task.evaluate()
        hidden, targets = model.module(batch)
        words = -model.module.output.log_prob_of(hidden, targets).mean().item()
        vectors, characters = model.module.spelled_from(batch, batch.spelled.steps)
        assert torch.equal(vectors[:, : hidden.shape[1]], hidden[batch.spelled.steps])
        lost = model.module.speller.loss(vectors, batch.spelled.codes, characters).sum().item() / len(targets)
        assert 0 < (targets[batch.spelled.steps] == 0).sum() < len(batch.spelled.steps)
    assert figures["spelling_loss"] == pytest.approx(lost)
    assert figures["loss"] == pytest.approx(words + 0.5 * lost)


def test_a_batch_without_unknown_words_has_no_loss_of_characters():
    model = untrained(spelling="unknown")
    batch = model.collator.pairs([model.reader.read("a", "a b")])
    assert batch.spelled is None
    loss = model.module.losses(batch).spelling
    loss.backward()
    assert loss.item() == 0
    assert all((each.grad == 0).all() for each in model.module.speller.parameters())


def test_a_reward_leaves_the_speller_in_training():
    """Without a weight of the reward, an update is that of ordinary training, of the speller too."""
    model, pairs = untrained(), [("a b", "a xy"), ("b", "b"), ("c", "zz c")]
    how = firth.TrainingOptions(epochs=1, batch_size=3, lr=0.01)
    after = reinforce(model, pairs, mixture=0.0, held_out=pairs, training=how, progress=False)
    before = dict(model.module.named_parameters())
    moved = {name for name, one in after.module.named_parameters() if not torch.equal(one, before[name])}
    assert any(name.startswith("speller.") for name in moved)


@pytest.mark.parametrize("copying", [False, True])
def test_folders_keep_the_speller_and_ensembles_use_the_first(tmp_path, copying):
    model = untrained(seed=2, spelling_copying=copying)
    model.save(tmp_path / "it.firth")
    other = firth.load(tmp_path / "it.firth")
    found = [each.tokens for each in model.translate(TEXTS, options=SHORT)]
    assert [each.tokens for each in other.translate(TEXTS, options=SHORT)] == found
    both = firth.TranslationEnsemble([other, model])
    assert [each.tokens for each in both.translate(TEXTS, options=SHORT)] == found


def names(n, seed):
    """Made-up names of six letters with a word before them that says nothing."""
    draw = random.Random(seed)
    return [
        (f"{draw.choice('abc')} {name}", name) for name in ("".join(draw.choices("defghijk", k=6)) for _ in range(n))
    ]


@pytest.mark.filterwarnings("ignore:.* tokens of the .* are unknown")  # names that nothing but letters can give
@pytest.mark.parametrize("copying", [False, True])
def test_names_that_training_does_not_have_are_copied(copying):
    """300 names are enough to learn to write the letters of the source word in turn, and too few to learn spelling."""
    how = {"source_units": "characters", "target_units": "words", "target_size": 1, "min_count": 1, "hidden": 32}
    translator = firth.Translator(
        **how, dropout=0.0, label_smoothing=0.0, spelling="all", spelling_hidden=48, spelling_copying=copying
    )
    training = firth.TrainingOptions(epochs=4, batch_size=32, lr=0.01, warmup=20, clip_norm=1, schedule="linear")
    model = translator.train(names(300, 0), held_out=names(20, 1), training=training, progress=False)
    sources, expected = zip(*names(40, 2), strict=True)
    pairs = [model.reader.read(*pair) for pair in zip(sources, expected, strict=True)]
    found = [word for words in model.spelled_words(pairs) for word in words]
    right = sum(one == other for one, other in zip(found, expected, strict=True))
    assert right >= 32 if copying else right <= 4


def test_models_that_do_not_spell_say_so():
    with pytest.raises(OptionError, match="unknown='spelled': the model does not spell words"):
        untrained(spelling="none").translate("a", unknown="spelled")
    with pytest.raises(OptionError, match="spelling='all' with target_units='subwords'"):
        firth.Translator(spelling="all")
    with pytest.raises(OptionError, match="spelling='all' with copying"):
        firth.Translator(spelling="all", target_units="words", source_units="words", copying=True, label_smoothing=0.0)
    for how in ({"spelling": "none"}, {"source_units": "words"}, {"attention": "none"}, {"decoder": "transformer"}):
        with pytest.raises(OptionError, match="spelling_copying needs source_units='characters'"):
            untrained(spelling_copying=True, **how)
    table = dict.fromkeys("abc", "known")
    found = untrained(unknown=100.0).translate("a b c", dictionary=table, options=SHORT)
    assert set(found.tokens) == {"known"}  # a dictionary goes first


def language():
    """Words of a made-up language, and their translations: letter by letter, with other endings."""
    letters, endings = str.maketrans("ktsmaoulnr", "bdzpeiywgh"), {"it": "esh", "ov": "an", "en": "uk", "a": "o"}
    stems = ["".join(each) for each in itertools.product("ktsm", "aou", "lnr")]
    forms = [(stem + ending, stem.translate(letters) + endings[ending]) for stem in stems for ending in endings]
    random.Random(0).shuffle(forms)
    return forms


TRANSFORMER = {"encoder": "transformer", "decoder": "transformer", "hidden": 128, "ffn_dim": 128, "heads": 2}


@pytest.mark.slow
@pytest.mark.parametrize(("network", "epochs", "lr"), [({"hidden": 64}, 12, 0.01), (TRANSFORMER, 20, 0.003)])
def test_new_words_of_an_inflected_language_are_spelled_exactly(tmp_path, network, epochs, lr):
    forms = language()
    new, known = forms[:15], forms[15:]
    units = {"source_units": "characters", "target_units": "words", "target_size": 10, "min_count": 1}
    translator = firth.Translator(
        **units, **network, dropout=0.0, label_smoothing=0.0, spelling="all", spelling_hidden=64
    )
    training = firth.TrainingOptions(epochs=epochs, batch_size=32, lr=lr, warmup=30, clip_norm=1, schedule="linear")
    model = translator.train(known * 5, held_out=known, training=training, seed=0)
    sources = [source for source, _ in forms]
    found = [each.text for each in model.translate(sources)]
    wrong = {target for one, (_, target) in zip(found, forms, strict=True) if one != target}
    assert wrong <= set(model.target.words)  # the small LSTM has not learned which words it need not spell
    assert not set(found[: len(new)]) & set(model.target.words)
    assert [model.translate(source).text for source in sources[:15]] == found[:15]
    model.save(tmp_path / "hybrid.firth")
    assert [each.text for each in firth.load(tmp_path / "hybrid.firth").translate(sources)] == found
