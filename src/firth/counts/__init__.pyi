from firth.counts.association import correlation as correlation
from firth.counts.association import pmi as pmi

__all__: list[str]
