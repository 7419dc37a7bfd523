"""Sense vectors: several vectors per word, learned from contexts, from vectors, or from WordNet."""
