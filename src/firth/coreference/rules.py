"""Coreference by a rule: equal strings, and pronouns of one group.

What
    Mentions with the same words, in lower case, are one chain; so are the personal pronouns of a group, such as "she",
    "her" and "herself", wherever they stand in the document. It is the baseline that a trained model has to beat.
Source
    The string match of every system since Soon, Ng and Lim 2001, section 3.
Cost
    One pass over the mentions.
"""

from collections.abc import Iterable

from firth.coreference import word_lists
from firth.coreference.mentions import read_mentions
from firth.documents.document import Document, Span


def link_by_string(document: Document, spans: Iterable[Span] | None = None) -> Document:
    """Return the document with chains by the rule.

    Args:
        spans: of the mentions; None for those of the document's own chains.
    """
    chains: dict[str, list[Span]] = {}
    for mention in read_mentions(document, spans):
        key = mention.group if mention.group in word_lists.PERSONAL else mention.text
        chains.setdefault(key, []).append(mention.span)
    return document.annotated(clusters=chains.values())
