from firth.runs.estimates import Estimate as Estimate
from firth.runs.runs import Neighbour as Neighbour
from firth.runs.runs import Runs as Runs
from firth.runs.stability import Band as Band
from firth.runs.training import bootstrap as bootstrap

__all__: list[str]
