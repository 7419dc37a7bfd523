"""Models whose weights are finite and huge: numbers that leave them are refused, with the text and the model."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from firth.readers.conllu import DependencySentence

TRAINING = firth.TrainingOptions(epochs=1, batch_size=8, device="cpu")
TEXTS = ["the cat sat on the mat", "a dog ran", "the dog sat on a cat", "cats and dogs ran"] * 3
SENTENCES = [
    DependencySentence.of(["the", "cat", "sat"]).annotated(
        tags=["D", "N", "V"], heads=[2, 3, 0], relations=["det", "nsubj", "root"]
    )
] * 12
QUIET = {"training": TRAINING, "progress": False}


def huge(model, modules=("module",)):
    """The model with weights near the largest number that single precision holds."""
    with torch.no_grad():
        for name in modules:
            for parameter in getattr(model, name).parameters():
                parameter.copy_(torch.where(parameter < 0, -3e38, 3e38))
    return model


def refused(call, where):
    with pytest.raises(FormatError, match=rf"{where}.*NaN or infinity from .*weights are damaged or too large"):
        call()


def test_language_models():
    model = huge(firth.RecurrentLM(dim=4, hidden=4, layers=1).train(TEXTS, min_count=1, **QUIET))
    refused(lambda: model.score(["the cat", "a dog"]), r"sentence 0, token 0 \('the'\)")
    refused(lambda: model.log_probs(model.token_ids(TEXTS)), "sentence 0, token 0")
    for search in ("sample", "greedy", firth.BeamSearch(beams=2)):
        refused(lambda search=search: model.generate("the", search=search), "the next word of text 0 of the batch")


def test_encoders_and_classifiers():
    labelled = [(text, "xy"[number % 2]) for number, text in enumerate(TEXTS)]
    model = firth.CNNClassifier(dim=4, widths=(1, 2), filters=2, min_count=1).train(labelled, **QUIET)
    huge(model)
    for call in (model.encode, model.probabilities, model.predict):
        refused(lambda call=call: call(["zebra", "the cat"]), r"text 1 \('the cat'\)")


def test_sentence_encoders():
    model = huge(firth.SimCSE(dim=8, heads=2, layers=1).train(TEXTS, min_count=1, **QUIET))
    refused(lambda: model.encode(["the cat sat", "a dog"]), "text ")


def test_taggers_and_parsers():
    tagger = huge(firth.Tagger(dim=4, hidden=4, characters="none", min_count=1).train(SENTENCES, **QUIET))
    sentence = ["the", "cat"]
    for call in (tagger.predict, tagger.marginals, tagger.n_best):
        refused(lambda call=call: call([sentence]), r"sentence 0 \('the cat'\)")
    sizes = {"dim": 4, "min_count": 1, "hidden": 4}
    pair = (sentence, ["D", "N"])
    parser = huge(firth.TransitionParser(**sizes).train(SENTENCES, **QUIET))
    refused(lambda: parser.predict([pair]), "a batch of 1 sentences")
    biaffine = firth.BiaffineParser(**sizes, characters="none", arc_width=4, label_width=4, layers=1)
    parser = huge(biaffine.train(SENTENCES, **QUIET))
    refused(lambda: parser.predict([pair]), r"sentence of the batch 0 \('the cat'\)")


def test_translators():
    pairs = [("a b", "c d"), ("b a", "d c")] * 6
    options = firth.Translator(source_units="words", target_units="words", dim=4, hidden=4, min_count=1)
    model = huge(options.train(pairs, held_out=pairs[:2], **QUIET))
    refused(lambda: model.score(pairs[:1]), r"target 0 \('c d'\)")
    refused(lambda: model.translate(["a b"]), "the next word of text 0")
