from firth.coreference.agreement import agrees as agrees
from firth.coreference.hobbs import most_recent as most_recent
from firth.coreference.phrases import phrase_tree as phrase_tree
from firth.coreference.rules import link_by_string as link_by_string
from firth.coreference.word_lists import PRONOUNS as PRONOUNS

__all__: list[str]
