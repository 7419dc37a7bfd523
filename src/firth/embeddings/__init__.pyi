from firth.embeddings.compositional import additive as additive
from firth.embeddings.compositional import multiplicative as multiplicative
from firth.embeddings.compositional import reciprocal_ranks as reciprocal_ranks
from firth.embeddings.ngram import characters as characters

__all__: list[str]
