import pytest


@pytest.fixture(scope="session")
def sentiment_model():
    import firth
    from tests.unit.neural.models.trees.tiny import SIZES, TRAINING, sentiments

    options = firth.TreeLSTMClassifier(**SIZES, merge="bad=0,1 good=3,4")
    return options.train(sentiments(60), held_out=sentiments(20, 1), training=TRAINING, progress=False)
