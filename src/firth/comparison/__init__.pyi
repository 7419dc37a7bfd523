from firth.comparison.models import trainer as trainer
from firth.comparison.saved import read_comparison as read_comparison
from firth.comparison.tagger_curve import tagging_curve as tagging_curve

__all__: list[str]
