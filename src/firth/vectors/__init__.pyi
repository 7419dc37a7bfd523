from firth.vectors.index.trial import hold_out_words as hold_out_words
from firth.vectors.index.trial import try_indexes as try_indexes

__all__: list[str]
