"""Trees, or pairs of trees, with labels: Tree-LSTM classifiers."""
