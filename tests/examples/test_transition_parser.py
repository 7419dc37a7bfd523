"""The plain file of transition parsing: gradients, the oracle, and the states, scores and trees of firth's parser."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from examples.plain import transition_parser as plain
from firth.neural.models.parsers.transition import oracle_states
from firth.neural.models.parsers.transition_data import collate, read_item
from firth.readers.conllu import DependencySentence
from tests.examples.differences import check_directions

D, H = 5, 7
SLOTS = [0, 1, 2, 3, 4, 5, 6, 7, 12, 13]  # where firth's 18 nodes have the 10 that the plain file reads


@pytest.fixture(scope="module")
def trees():
    random.seed(0)
    return [plain.small_language() for _ in range(30)]


def states_of(parser, trees):
    rows = []
    for words, tags, heads in trees:
        state = plain.State(words, tags)
        while state.allowed()[action := state.right_action(heads)]:
            rows.append((state.features(parser.ids), state.allowed(), action))
            state.act(action)
        assert state.heads == heads
    return [torch.tensor(column) for column in zip(*rows, strict=True)]


def test_gradients(trees):
    torch.manual_seed(0)
    parser = plain.Parser(trees, D, H).double()
    features, allowed, right = states_of(parser, trees[:3])
    check_directions(parser, lambda: torch.nn.functional.nll_loss(parser(features, allowed), right))


@pytest.fixture(scope="module")
def both(trees):
    """The plain parser, and firth's with the same parameters: one label, which is not read, and no other children."""
    torch.manual_seed(0)
    sentences = [
        DependencySentence.of(words[1:]).annotated(tags=tags[1:], heads=heads[1:], relations=["dep"] * len(heads[1:]))
        for words, tags, heads in trees
    ]
    options = firth.TransitionParser(dim=D, tag_dim=D, hidden=H, dropout=0.0)
    module = options.build(options.vocabulary(sentences, None), None).eval()
    parser = plain.Parser(trees, D, H)
    names = [plain.NONE, plain.ROOT, plain.UNKNOWN]
    with torch.no_grad():
        module.label_weights.zero_()
        for kind, table, weights, known, columns in (
            ("word", module.words, module.word_weights, module.vocabulary.words, range(10)),
            ("tag", module.tags, module.tag_weights, module.vocabulary.tags, range(10, 20)),
        ):
            for row, name in enumerate([*names, *known]):
                if f"{kind} {name}" in parser.ids:
                    table.weight[row] = parser.E.weight[parser.ids[f"{kind} {name}"]]
            weights.zero_()
            for column, slot in zip(columns, SLOTS, strict=True):
                weights[:, slot * H : (slot + 1) * H] = parser.W.weight[:, column * D : (column + 1) * D].T
        module.bias.copy_(parser.W.bias)
        module.output.weight[[0, 2, 3]], module.output.bias[[0, 2, 3]] = parser.U.weight, parser.U.bias  # 1 is REDUCE
    return parser, module, sentences


def test_agrees_with_firth(both, trees):
    """The oracle's states and actions exactly; scores to 1e-5, sums of some 100 float32 products of numbers near 1."""
    parser, module, sentences = both
    features, allowed, right = states_of(parser, trees)
    batch = collate([read_item(sentence, module.vocabulary) for sentence in sentences], 1)
    states = oracle_states(module, batch)
    with torch.no_grad():
        scores = module(states.features, module.first_layer(batch))[:, [0, 2, 3]]
        log_p = scores.masked_fill(~allowed, -torch.inf).log_softmax(1)
        np.testing.assert_allclose(parser(features, allowed).numpy(), log_p.numpy(), atol=1e-5)
    assert states.targets[:, 0].tolist() == [[0, 2, 3][action] for action in right]
    assert np.array_equal(np.stack([states.kinds >> kind & 1 for kind in (0, 2, 3)], 1), allowed.numpy())


def test_parses_as_firth(both, trees):
    parser, module, sentences = both
    for (words, tags, _), (heads, _) in zip(trees, module.parse(sentences), strict=True):
        assert parser.parse(words, tags)[1:] == heads.tolist()


def test_crossing_arcs_end_the_way_early():
    tree = [plain.ROOT, *"abcd"], [plain.ROOT, *"XXXX"], [-1, 3, 4, 0, 3]  # 3 -> 1 crosses 4 -> 2
    parser = plain.train([tree], epochs=1)
    assert sorted(parser.parse(*tree[:2]))[:2] == [-1, 0]


def test_reads_a_treebank_and_learns(tmp_path, capsys):
    random.seed(0)
    rows = [
        "\n".join(f"{i}\t{words[i].upper()}\t_\t{tags[i]}\t_\t_\t{heads[i]}\tdep\t_\t_" for i in range(1, len(words)))
        for words, tags, heads in (plain.small_language() for _ in range(60))
    ]
    path = tmp_path / "small.conllu"
    path.write_text("# text = a comment\n" + "\n\n".join(rows) + "\n\n")
    plain.main([str(path)])
    printed = capsys.readouterr().out
    assert "(UAS): 100.0%" in printed
    assert printed.splitlines()[-1].split()[-1] in ("sees", "likes")
