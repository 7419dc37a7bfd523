from firth.corpus.as_corpus import derive as derive
from firth.corpus.kwic import Occurrence as Occurrence
from firth.corpus.occurrences import Concordance as Concordance

__all__: list[str]
