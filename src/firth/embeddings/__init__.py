"""Corpus to vectors: one algorithm a file."""
