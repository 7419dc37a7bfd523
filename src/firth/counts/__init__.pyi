from firth.counts.association import correlation as correlation
from firth.counts.association import pmi as pmi
from firth.counts.collocations import Collocation as Collocation
from firth.counts.frequencies import Frequency as Frequency
from firth.counts.keywords import Keyword as Keyword
from firth.counts.ranked_words import RankedWords as RankedWords

__all__: list[str]
