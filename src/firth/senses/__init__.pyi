from firth.senses.occurrences import contexts_at as contexts_at
from firth.senses.occurrences import find_occurrences as find_occurrences

__all__: list[str]
