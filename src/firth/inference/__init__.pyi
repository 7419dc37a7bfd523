from firth.inference.constraints import Constraints as Constraints
from firth.inference.ensemble import Ensemble as Ensemble
from firth.inference.scorer import Scorer as Scorer
from firth.inference.search import beam_search as beam_search

__all__: list[str]
