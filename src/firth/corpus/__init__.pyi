from firth.corpus.as_corpus import derive as derive

__all__: list[str]
