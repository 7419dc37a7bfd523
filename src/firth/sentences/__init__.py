"""Texts as vectors: the interface of encoders, and what is done with the vectors of many texts."""
