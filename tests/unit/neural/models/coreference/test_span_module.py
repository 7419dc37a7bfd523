"""End-to-end coreference: vectors of spans, pruning, antecedents."""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.documents.document import Document
from firth.neural.models.coreference import span_module
from firth.neural.models.coreference.span_data import collate, read_document
from firth.neural.models.coreference.spans import SpanCoreference
from firth.neural.models.tokens.reader import learn_token_reader
from firth.readers.conllu import DependencySentence

TEXTS = ("Ann met the old king .", "She liked him .", '" I like Ann " , said the king .')
L = 3


def build(**options):
    document = Document([DependencySentence.of(text.split()) for text in TEXTS])
    reader = learn_token_reader(document.sentences)
    torch.manual_seed(1)
    chosen = SpanCoreference(hidden=4, ffnn=6, max_width=L, dim=5, char_dim=3, char_width=4, **options)
    module = chosen.build(reader, 1).eval()
    for parameter in module.parameters():  # tables of features begin at zero
        with torch.no_grad():
            parameter.add_(0.3 * torch.randn_like(parameter))
    read = read_document(document, reader, L)
    return module, collate(read, reader, L), document, read, reader


def span_vectors(module, layer, spans, inputs):
    """W g for each valid span by the definition: the attention over its own words, one span at a time."""
    alpha = module.attention(spans.h).squeeze(1)
    vectors = {}
    for start, width in inputs.valid.nonzero().tolist():
        words = slice(start, start + width + 1)
        head = alpha[words].softmax(0) @ spans.x[words]
        vectors[start, width] = (
            layer.start(spans.h[start]) + layer.end(spans.h[start + width]) + layer.head(head) + layer.widths[width]
        )
    return vectors


def test_sums_of_all_spans_are_those_of_each():
    module, inputs, *_ = build()
    spans = module.spans(inputs)
    expected = span_vectors(module, module.mention, spans, inputs)
    found = module.mention.all_spans(spans.x, spans.h, spans.weights)
    for (start, width), vector in expected.items():
        torch.testing.assert_close(found[start, width], vector, atol=1e-5, rtol=1e-4)
    starts, widths = inputs.valid.nonzero(as_tuple=True)
    some = module.mention.some_spans(spans, starts, widths)
    torch.testing.assert_close(some, torch.stack(list(expected.values())), atol=1e-5, rtol=1e-4)


def test_spans_stay_in_their_sentence():
    """Sentences of 6, 4 and 10 words have 15, 9 and 27 spans of up to three words."""
    module, inputs, *_ = build()
    assert int(inputs.valid.sum()) == 15 + 9 + 27
    assert (module.spans(inputs).scores > -torch.inf).eq(inputs.valid).all()


def test_words_of_other_sentences_change_no_span():
    """Groups of sentences are padded; what a sentence says stays its own."""
    module, inputs, document, _, reader = build()
    alone = Document(document.sentences[1:2])
    inside = module.spans(collate(read_document(alone, reader, L), reader, L)).scores
    torch.testing.assert_close(module.spans(inputs).scores[6:10], inside, atol=1e-5, rtol=1e-4)


def test_pruning_keeps_the_best_in_the_order_of_the_document():
    module, inputs, *_ = build(spans_per_token=0.4)
    spans = module.spans(inputs)
    starts, widths = module.pruned(spans)
    scores = sorted(spans.scores[inputs.valid].tolist(), reverse=True)
    assert len(starts) == 8  # 0.4 of 20 tokens
    assert sorted(spans.scores[starts, widths].tolist(), reverse=True) == pytest.approx(scores[:8])
    assert list(zip(starts.tolist(), widths.tolist(), strict=True)) == sorted(
        zip(starts.tolist(), widths.tolist(), strict=True)
    )


def pair_score(module, candidates, codes, i, j):
    """s(i, j) by its formula."""
    g, h = candidates.vectors[i], candidates.vectors[j]
    table = module.codes
    layer = module.later(g) + module.earlier(h) + module.both(g * h) + table.vectors[codes].sum(0)
    rough = g @ module.bilinear.weight.t() @ h + table.weights[codes].sum() + candidates.scores[[i, j]].sum()
    return module.pair_score(torch.relu(layer)) + rough, rough


def test_scores_of_pairs_are_those_of_the_formula_and_the_best_by_the_rough_score_are_kept():
    module, inputs, *_ = build(spans_per_token=0.5, antecedents=3)
    _, candidates, links = module(inputs)
    count = len(candidates.starts)
    everything = slice(0, count)
    codes = module.codes.of(candidates.starts, candidates.widths, inputs, everything, everything)
    for i in range(count):
        scores = {j: pair_score(module, candidates, codes[i, j], i, j) for j in range(i)}
        best = sorted(sorted(scores, key=lambda j: scores[j][1].item())[-3:])
        real = links.scores[i] > -torch.inf
        assert links.antecedents[i][real].tolist() == best
        expected = torch.tensor([scores[j][0].item() for j in best])
        torch.testing.assert_close(links.scores[i][real], expected, atol=1e-4, rtol=1e-4)


def test_blocks_change_nothing(monkeypatch):
    module, inputs, *_ = build(spans_per_token=1.0, antecedents=4)
    _, candidates, whole = module(inputs)
    monkeypatch.setattr(span_module, "BLOCK", 5)
    parts = module.links(candidates, inputs)
    torch.testing.assert_close(parts.scores, whole.scores, atol=1e-5, rtol=1e-4)
    real = whole.scores > -torch.inf
    assert parts.antecedents[real].equal(whole.antecedents[real])


def test_features_of_pairs():
    """ "the old king" (2-4), "the king" (17-18): same first and last word, the last of one in the other, no overlap."""
    module, inputs, document, *_ = build()
    starts, widths = torch.tensor([0, 2, 6, 11, 13, 17]), torch.tensor([0, 2, 0, 0, 0, 1])
    assert [" ".join(document.tokens[a : a + b + 1]) for a, b in zip(starts, widths, strict=True)] == [
        "Ann", "the old king", "She", "I", "Ann", "the king",
    ]  # fmt: skip
    everything = slice(0, 6)
    codes = module.codes.of(starts, widths, inputs, everything, everything)
    offsets = dict(zip(module.codes.names, itertools.accumulate((10, 8, 8), initial=0), strict=True))
    value = {name: codes[..., place] - offsets[name] for place, name in enumerate(module.codes.names)}
    assert value["matches"][5, 1] == 0b01110
    assert value["matches"][4, 0] == 0b01111
    assert value["matches"][4, 3] == 0
    assert value["sentences"][5, 1] == 2  # two sentences apart
    assert value["spans"][5, 0] == 4  # five spans apart
    assert [int(value["quotations"][i, j]) for i, j in ((4, 3), (3, 0), (5, 4), (2, 0))] == [3, 1, 2, 0]


def test_matches_may_be_left_out():
    module, *_ = build(matches=False)
    assert module.codes.names == ("spans", "sentences", "quotations")
