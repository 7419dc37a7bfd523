"""Texts, or pairs of texts, with labels: classifiers whose encoder is a slot."""
