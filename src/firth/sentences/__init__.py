"""Texts as vectors: the interface of encoders, and search, clusters and duplicates of many texts."""
