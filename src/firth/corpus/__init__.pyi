from firth.corpus.derived import derive as derive

__all__: list[str]
