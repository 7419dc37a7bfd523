"""Scheduled sampling: what is fed, how its share falls, and where gradients go."""

import math

import pytest
from scipy.stats import chisquare

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.scheduled_sampling import (
    FeedingOptions,
    exponential_share,
    inverse_sigmoid_share,
    linear_share,
    scheduled_scores,
    true_share,
)
from firth.neural.layers.transformer import TransformerConfig
from firth.neural.layers.transformer_stack import TransformerStack

V, D = 7, 8


class Gated(torch.nn.Module):
    """A small recurrent reader; it keeps what it was fed."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.rnn, self.scores, self.inputs = torch.nn.GRU(D, 12, batch_first=True), torch.nn.Linear(12, V), []

    def forward(self, x, state):
        self.inputs.append(x)
        hidden, state = self.rnn(x, state)
        return self.scores(hidden), state


class Causal(torch.nn.Module):
    """The same around the causal stack, whose state is a cache."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        shape = TransformerConfig(width=D, heads=2, dropout=0.0)
        self.stack, self.scores = TransformerStack(shape, 2, context=20, positions="rotary"), torch.nn.Linear(D, V)

    def forward(self, x, state):
        hidden, state = self.stack(x, state)
        return self.scores(hidden), state


def data(batch=5, steps=9):
    torch.manual_seed(1)
    return torch.randn(V, D), torch.randint(V, (batch, steps))


@pytest.mark.parametrize("reader", [Gated, Causal])
@pytest.mark.parametrize("own", ["draw", "soft", "gumbel"])
def test_true_words_alone_are_teacher_forcing_bit_for_bit(reader, own):
    """Scores, gradients and the random numbers that follow are those of a model that knows of no sampling."""
    model, (words, ids) = reader(), data()
    torch.manual_seed(2)
    expected, _ = model(torch.nn.functional.embedding(ids, words), None)
    expected.square().sum().backward()
    wanted, following = [p.grad.clone() for p in model.parameters()], torch.rand(3)
    model.zero_grad()
    torch.manual_seed(2)
    scores, _ = scheduled_scores(model, words, ids, None, FeedingOptions(share=1.0, own=own))
    scores.square().sum().backward()
    assert torch.equal(scores, expected)
    assert all(torch.equal(p.grad, want) for p, want in zip(model.parameters(), wanted, strict=True))
    assert torch.equal(torch.rand(3), following)


@pytest.mark.parametrize("reader", [Gated, Causal])
def test_step_by_step_is_the_same_sequence(reader):
    """A share so near to 1 that every coin falls for the truth: the steps give what one pass gives."""
    model, (words, ids) = reader(), data()
    whole, _ = scheduled_scores(model, words, ids, None, FeedingOptions())
    steps, _ = scheduled_scores(model, words, ids, None, FeedingOptions(share=1 - 1e-12))
    torch.testing.assert_close(steps, whole, atol=1e-6, rtol=0)


def gradient_before(own):
    """How the last step's scores change with the scores of the step before, of a reader without memory.

    Without memory, nothing but what is fed can carry a gradient from step to step.
    """
    words, ids = data(2, 3)
    torch.manual_seed(0)
    matrix, seen = torch.randn(D, V, requires_grad=True), []

    def read(x, state):
        scores = x @ matrix
        seen.append(scores)
        return scores, state

    scores, _ = scheduled_scores(read, words, ids, None, FeedingOptions(share=0.0, own=own))
    (gradient,) = torch.autograd.grad(scores[:, -1].square().sum(), seen[-2])
    return gradient


def test_a_draw_carries_no_gradient_to_the_step_before():
    assert gradient_before("draw").abs().max() == 0


@pytest.mark.parametrize("own", ["soft", "gumbel"])
def test_a_soft_word_carries_it(own):
    assert gradient_before(own).abs().min(-1).values.min() > 0


def test_a_soft_word_is_the_mean_of_all_words_by_hand():
    """Scores 0 and ln 3 are probabilities 1/4 and 3/4: of word vectors 0 and 4 that feeds 3.

    At temperature 1/2 the scores are twice as far apart, 0 and ln 9: 9/10 of 4 is 3.6.
    """
    words, inputs = torch.tensor([[0.0], [4.0]]), []

    def read(x, state):
        inputs.append(x.item())
        return torch.tensor([[[0.0, math.log(3)]]]), state

    scheduled_scores(read, words, torch.tensor([[0, 0]]), None, FeedingOptions(share=0.0, own="soft"))
    scheduled_scores(read, words, torch.tensor([[0, 0]]), None, FeedingOptions(share=0.0, own="soft", temperature=0.5))
    assert inputs == pytest.approx([0, 3, 0, 3.6], abs=1e-6)


def test_what_is_drawn_follows_the_model_and_is_not_its_first_choice():
    """20,000 sequences fed with a draw from softmax(0, 1, 2): chi-square; the first choice alone would be word 2."""
    words, inputs, scores = torch.arange(3.0)[:, None], [], torch.tensor([0.0, 1.0, 2.0])

    def read(x, state):
        inputs.append(x)
        return scores.expand(len(x), 1, 3), state

    scheduled_scores(
        read,
        words,
        torch.zeros(20_000, 2).long(),
        None,
        FeedingOptions(share=0.0),
        generator=torch.Generator().manual_seed(0),
    )
    counts = torch.bincount(inputs[1].flatten().long(), minlength=3).numpy()
    assert chisquare(counts, 20_000 * scores.softmax(0).double().numpy()).pvalue > 0.01


def test_the_share_is_of_sequences_by_themselves():
    """Share 0.3 of 20,000 sequences: 6,000 true ones, standard deviation 65; the coins of two steps differ."""
    words, inputs = torch.tensor([[0.0], [1.0]]), []

    def read(x, state):
        inputs.append(x.flatten())
        return torch.tensor([-torch.inf, 0.0]).expand(len(x), 1, 2), state  # its own word is always word 1

    generator = torch.Generator().manual_seed(0)
    scheduled_scores(read, words, torch.zeros(20_000, 3).long(), None, FeedingOptions(share=0.3), generator=generator)
    assert (inputs[0] == 0).all()  # the first is always true
    true = [step == 0 for step in inputs[1:]]
    assert [step.sum().item() for step in true] == pytest.approx([6000, 6000], abs=300)
    assert (true[0] & true[1]).sum().item() == pytest.approx(1800, abs=200)


def test_shares_fall_as_their_formulas_say():
    """Linear: 1 - 30 / 40. Exponential: 0.9^2. Inverse sigmoid, k = 10: 10 / (10 + e^3) at 30, a half at 10 ln 10."""
    assert linear_share(30, span=40) == pytest.approx(0.25)
    assert linear_share(60, span=40, least=0.1) == 0.1
    assert exponential_share(2, k=0.9) == pytest.approx(0.81)
    assert inverse_sigmoid_share(30, k=10) == pytest.approx(10 / (10 + math.exp(3)))
    assert inverse_sigmoid_share(23, k=10) == pytest.approx(0.5, abs=0.01)
    assert inverse_sigmoid_share(0, k=10) == pytest.approx(10 / 11)
    assert inverse_sigmoid_share(10**6, k=10) == 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"share": 1.1}, "share=1.1: expected a number from 0 to 1"),
        ({"share": math.nan}, "share=nan: expected a number from 0 to 1"),
        ({"own": "argmax"}, "own='argmax': expected one of draw, soft, gumbel"),
        ({"temperature": 0.0}, "temperature=0.0: expected a finite number above 0"),
    ],
)
def test_what_cannot_be_fed(wrong, sentence):
    with pytest.raises(OptionError, match=sentence):
        FeedingOptions(**wrong)


def test_shares_over_a_run():
    """The share of own words rises from 0 to the rate; it is there from the start where it is constant."""
    assert true_share("constant", 0.3, 0.0) == pytest.approx(0.7)
    assert [true_share("linear", 0.4, each) for each in (0, 0.5, 1)] == pytest.approx([1, 0.8, 0.6])
    assert [true_share("exponential", 1, each) for each in (0, 0.231, 1)] == pytest.approx([1, 0.5, 0.05], abs=1e-3)
    assert [true_share("inverse_sigmoid", 1, each) for each in (0, 0.5, 1)] == pytest.approx(
        [0.99, 0.5, 0.01], abs=1e-2
    )
