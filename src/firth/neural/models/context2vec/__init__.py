"""Vectors of contexts: models of the place in which a word stands."""
