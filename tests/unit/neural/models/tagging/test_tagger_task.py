"""Tags of words as a task: loss per word, errors of several targets."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tagging.data import encoded, read_tagged, tag_batches
from firth.neural.models.tagging.tag_set import learn_tag_set
from firth.neural.models.tagging.tagger import tag_task
from firth.neural.models.tokens.reader import learn_token_reader
from firth.neural.training.devices import new_module
from firth.neural.training.schedules import TrainingProgress
from tests.unit.neural.models.tagging.tiny import SIZES, sentences

PROGRESS = TrainingProgress(step=0, total_steps=1, epoch=0.0, fraction=0.0)


def test_losses_per_word_and_the_mean_error():
    examples = read_tagged(sentences(5), ["pos", "ner"])
    sets = [learn_tag_set(tags, "bioes") for tags in examples.tags.values()]
    reader = learn_token_reader(examples.sentences)
    read = [reader.read(each) for each in examples.sentences]
    module = new_module(0, firth.Tagger(targets="pos,ner", **SIZES).build, reader, sets).eval()
    batches = tag_batches(reader, read, encoded(examples, sets), batch_size=2, shuffle=False)
    task = tag_task(module, batches, batches, gold=list(examples.tags.values()), sets=sets)
    with torch.no_grad():
        steps = [task.step(batch, None, PROGRESS) for batch in batches.epoch(0)]
        figures = task.evaluate()
    words = sum(map(len, examples.sentences))
    assert sum(step.predictions for step in steps) == words == task.eval_predictions
    assert figures["loss"] == pytest.approx(sum(float(step.nats) for step in steps) / words)
    model = firth.neural.models.tagging.predict.TaggerModel(
        module, firth.Tagger(targets="pos,ner", **SIZES), reader, sets
    )
    scores = model.test(sentences(5))
    assert figures["error"] == pytest.approx(1 - (scores["pos"].score + scores["ner"].score) / 2)


@pytest.mark.parametrize(
    ("targets", "weights"),
    [("upos,feats", (1, 0.5)), ("feats,lemma,upos", (0.5, 1, 1)), ("feats,xpos", (1, 1)), ("pos,ner", (1, 1))],
)
def test_features_beside_parts_of_speech_weigh_half_in_the_loss(targets, weights):
    names = targets.split(",")
    tags = [learn_tag_set([("A", "B")], "bioes")] * len(names)
    reader = learn_token_reader([("a", "b")])
    module = new_module(0, firth.Tagger(targets=targets, **SIZES).build, reader, tags).eval()
    (batch,) = tag_batches(reader, [reader.read(("a", "b"))], [([0, 1],) * len(names)], batch_size=1).epoch(0)
    with torch.no_grad():
        heads = zip(module.target_heads, module(batch.inputs), batch.tags, strict=True)
        each = [float(head.loss(scores, gold, batch.inputs.lengths)) for head, scores, gold in heads]
        loss = float(module.losses(batch.inputs, batch.tags))
    assert loss == pytest.approx(sum(weight * part for weight, part in zip(weights, each, strict=True)))
