import pytest

from firth.cli.flag_messages import in_flags

FLAGS = {
    "top_k": "--top-k",
    "search": "--search",
    "tie_weights": "--tie-weights",
    "lr": "--lr",
    "output": "--output-layer",
}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("top_k=0: expected at least 1", "--top-k 0: expected at least 1"),
        ("search='a b': expected one of x", "--search 'a b': expected one of x"),
        ("tie_weights=True with lr=1e-05: no", "--tie-weights with --lr 1e-05: no"),
        ("tie_weights=False: no", "--no-tie-weights: no"),
        ("lr=-0.5, top_k=3: no; use search='greedy'", "--lr -0.5, --top-k 3: no; use --search greedy"),
        ("dim=3: no flag of that name", "dim=3: no flag of that name"),
        ("call train(text, lr=0.1) in Python", "call train(text, lr=0.1) in Python"),
        ("output='tree:tree=learned': no", "--output-layer tree:tree=learned: no"),
        ("no column 'a'; name it with top_k=", "no column 'a'; name it with --top-k"),
        ("labels in tie_weights= and text in dim=", "labels in --tie-weights and text in dim="),
        ("text without options", "text without options"),
        ("'lr=x' in 'reduce:lr=x': no", "'lr=x' in 'reduce:lr=x': no"),
    ],
)
def test_options_are_named_by_their_flags(message, told):
    assert in_flags(message, FLAGS) == told
