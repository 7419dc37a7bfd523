"""Agreement of English pronouns with noun phrases of a tree that may be their antecedents."""

from functools import lru_cache

from firth.coreference import word_lists as lists
from firth.coreference.hobbs import NounPhrase, category
from firth.coreference.mentions import Mention, agree, read_mentions
from firth.documents.document import Document
from firth.readers.conllu import DependencySentence

_TAGS = {"NNP": "PROPN", "NNPS": "PROPN", "PROPN": "PROPN", "NN": "NOUN", "NNS": "NOUN", "NOUN": "NOUN"}
_CONJUNCTIONS = frozenset({"CC", "CCONJ"})


def agrees(pronoun: str, phrase: NounPhrase) -> bool:
    """Return whether a noun phrase agrees with a pronoun in person, number, gender and animacy.

    Unknown properties agree, such as the gender of most names; only "he" and "she" need more: a common noun that is
    not known to be a person (`firth.coreference.word_lists`), a number, a month or a day does not agree. A pronoun
    agrees with those of its own group: "his" with "he". Words that are not pronouns agree with everything.

    Args:
        pronoun: a word.
        phrase: a noun phrase, as `firth.hobbs` proposes it.
    """
    wanted = lists.PRONOUNS.get(pronoun.lower())
    if wanted is None:
        return True
    mention = _mention(phrase)
    if mention.kind == "pronoun":
        return mention.group == wanted.group
    if wanted.person in (1, 2):
        return False
    if wanted.gender in ("male", "female") and mention.animacy != "animate":
        is_known = mention.kind == "noun" or mention.head in lists.TIMES
        return not is_known and agree(_pronoun(pronoun.lower()), mention)
    return agree(_pronoun(pronoun.lower()), mention)


@lru_cache(maxsize=64)
def _pronoun(word: str) -> Mention:
    return read_mentions(Document((DependencySentence.of([word]),)), [(0, 1)])[0]


def _mention(phrase: NounPhrase) -> Mention:
    """Return a noun phrase as a mention: up to its head, or as a whole if it has conjuncts."""
    tree = phrase.tree
    children = tree.children()[phrase.node]
    leaves = [node for node, word in enumerate(tree.words) if word]
    conjoined = any(category(tree.labels[child]) in _CONJUNCTIONS for child in children)
    size = len(phrase.words) if conjoined else phrase.head - phrase.start + 1
    here = leaves[phrase.start : phrase.start + size]
    tags = [_TAGS.get(category(tree.labels[leaf]), "_" if conjoined else "X") for leaf in here]
    # The word before keeps the first one from being written with a capital for its place alone.
    sentence = DependencySentence.of([".", *(tree.words[leaf] for leaf in here)]).annotated(tags=["PUNCT", *tags])
    return read_mentions(Document((sentence,)), [(1, size + 1)])[0]
