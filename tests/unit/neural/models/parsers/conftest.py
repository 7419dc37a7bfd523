import pytest


@pytest.fixture(scope="session")
def transition_parser():
    import firth
    from tests.unit.neural.models.parsers.tiny import SIZES, treebank

    training = firth.TrainingOptions(epochs=6, batch_size=4, lr=0.01)
    options = firth.TransitionParser(**SIZES)
    return options.train(treebank(60), held_out=treebank(20, 1), training=training, progress=False)
