"""DeCLUTR: how spans are drawn, the loss by hand, documents."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from firth.neural.layers.contrastive import InfoNCE
from firth.neural.models.sentences.declutr import DeCLUTRModule, Documents, sample_spans
from firth.randomness import generator
from tests.unit.neural.models.sentences.encoders import masked, sentences, training

SMALL = {"min_span": 3, "max_span": 9}


def documents(count=12):
    texts = sentences(160)
    return [" ".join(texts[i::count]) for i in range(count)]


def test_spans_lie_within_the_document_and_touch_their_anchor():
    random = generator(0, "spans")
    drawn = [sample_spans(100, random, positives=2, min_span=10, max_span=30) for _ in range(2000)]
    anchors = np.array([one.anchor for one in drawn])
    positives = np.array([span for one in drawn for span in one.positives])
    for spans, mean in ((anchors, 10 + 20 * 4 / 6 - 0.5), (positives, 10 + 20 * 2 / 6 - 0.5)):  # whole tokens: - 1/2
        lengths = spans[:, 1] - spans[:, 0]
        assert spans.min() >= 0
        assert spans.max() <= 100
        assert (lengths.min() >= 10, lengths.max() <= 30) == (True, True)
        assert lengths.mean() == pytest.approx(mean, abs=0.4)
    own = np.repeat(anchors, 2, axis=0)
    assert (positives[:, 0] <= own[:, 1]).all()
    assert (positives[:, 1] >= own[:, 0]).all()
    inside = (positives[:, 0] >= own[:, 0]) & (positives[:, 1] <= own[:, 1])
    beside = (positives[:, 0] == own[:, 1]) | (positives[:, 1] == own[:, 0])
    assert inside.any()
    assert beside.any()
    assert (~inside & ~beside).any()
    before, after = (positives[:, 0] < own[:, 0]).mean(), (positives[:, 1] > own[:, 1]).mean()
    assert before == pytest.approx(after, abs=0.05)


def test_anchors_of_a_document_do_not_overlap():
    """Tokens are their places in documents of two or three times the longest span; anchors are in their order."""
    for anchors in (2, 3):
        module = DeCLUTRModule(masked(), firth.DeCLUTR(**SMALL, anchors=anchors))
        found = module._spans(Documents([np.arange(9 * anchors + 1)] * 40))[0]
        firsts = found.ids[:, 0].view(40, anchors)
        assert (firsts[:, 1:] >= firsts[:, :-1] + found.lengths.view(40, anchors)[:, :-1]).all()
        assert len(set(firsts[:, 0].tolist())) > 1


def test_the_loss_is_nt_xent_over_anchors_and_means_of_positives_and_that_of_words(monkeypatch):
    """The contrastive part against a loop over 2 N vectors; the words' part against the head."""
    options = firth.DeCLUTR(**SMALL, mask_rate=1e-9, temperature=0.5)
    module = DeCLUTRModule(masked(), options).eval()
    rows = masked().ids_of(documents()[:2])
    torch.manual_seed(0)
    found = module.losses(Documents(rows)).detach().numpy()
    torch.manual_seed(0)
    anchors, positives = module._spans(Documents(rows))
    ids, hidden = module.masking(anchors.ids, anchors.lengths)
    assert len(anchors) == 4
    assert len(positives) == 8
    assert hidden.sum() == 1
    x = module.encoder(ids, anchors.lengths)
    y = module.encoder(positives.ids, positives.lengths).view(4, 2, -1).mean(1)
    z = torch.nn.functional.normalize(torch.cat((x, y)), dim=1).detach().double().numpy()
    scores = np.exp(z @ z.T / 0.5)
    expected = [-np.log(scores[i, (i + 4) % 8] / (scores[i].sum() - scores[i, i])) for i in range(8)]
    states = module.encoder.hidden(ids, anchors.lengths)
    words = module.encoder.prediction.loss(states[hidden], anchors.ids[hidden]).mean()
    np.testing.assert_allclose(found, np.array(expected) + words.item(), atol=1e-4)
    assert isinstance(module.loss, InfoNCE)


def test_training_on_documents():
    model = firth.DeCLUTR(**SMALL).train(
        [*documents(), "Too short."], start=masked(), sentences="text", training=training(batch_size=4, epochs=2)
    )
    facts = model.metadata["training"]
    assert facts["documents"] + facts["set_aside"] == 12
    assert facts["short"] == 1
    assert facts["rows"][-1]["held_out_alignment"] > 0 > facts["rows"][-1]["held_out_uniformity"]
    assert model.encode(["The cat"]).shape == (1, 16)
    assert model.module.prediction is not None


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"min_span": 9, "max_span": 8}, OptionError, "min_span=9: expected at most max_span=8"),
        ({"max_span": 200}, CorpusError, "0 of 12 documents have 400 tokens"),
    ],
)
def test_errors(options, error, message):
    with pytest.raises(error, match=message):
        firth.DeCLUTR(**options).train(documents(), start=masked(), training=training())
