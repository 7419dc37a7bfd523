from firth.comparison.models import trainer as trainer
from firth.comparison.saved import read_comparison as read_comparison

__all__: list[str]
