"""Text classification: fastText's classifier, from labelled texts to predictions."""
