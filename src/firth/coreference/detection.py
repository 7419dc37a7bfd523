"""Mentions of a document that has dependency trees: its noun phrases.

What
    A phrase for each noun, name and pronoun: all that depends on it, from the first word to the last, without what
    comes before or after a gap, and without marks, prepositions and conjunctions at its ends. Relative clauses
    belong to it; appositions and conjuncts do not, and are phrases of their own. Relative pronouns are none.
Source
    The mention detection of Lee et al. 2013, "Deterministic coreference resolution based on entity-centric,
    precision-ranked rules", section 3.1, with trees of Universal Dependencies.
Departures
    Named entities that are no phrases are not added, and numbers and pleonastic "it" are not taken out.
Cost
    One pass over the words of each subtree.
"""

from collections.abc import Sequence

from firth.coreference.word_lists import PRONOUNS
from firth.documents.document import Document, Span, check_document
from firth.errors import OptionError
from firth.readers.conllu import DependencySentence

HEADS = frozenset(("NOUN", "PROPN", "PRON"))
CUT = frozenset(("appos", "conj", "parataxis", "dep", "orphan", "discourse", "vocative", "cop"))
LEFT_OUT = frozenset(("punct", "case", "cc", "mark", "cop", "nsubj", "aux", "expl", "csubj", "advcl", "ccomp"))
OF_NAMES = frozenset(("flat", "compound", "fixed", "goeswith", "expl"))


def find_mentions(document: Document) -> list[Span]:
    """Return the noun phrases of a document in order.

    Args:
        document: with universal tags and trees.

    Raises:
        OptionError: a sentence has no tree.
        ArgumentTypeError: it is not a document.
    """
    check_document(document)
    spans: set[Span] = set()
    for number, (start, sentence) in enumerate(zip(document.sentence_starts, document.sentences, strict=True), 1):
        if not sentence.heads or all(tag == "_" for tag in sentence.tags):
            raise OptionError(
                f"sentence {number:,} of the document has no tree or no tags: expected trees to find mentions in; "
                "parse the document first, or give the spans of its mentions"
            )
        spans.update((start + first, start + end) for first, end in _phrases(sentence))
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def _phrases(sentence: DependencySentence) -> list[Span]:
    children: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
    for word, head in enumerate(sentence.heads, 1):
        children[head].append(word)
    spans = []
    for word, (form, tag, relation) in enumerate(
        zip(sentence.words, sentence.tags, sentence.relations, strict=True), 1
    ):
        relative = "PronType=Rel" in sentence.features[word - 1]
        if relative or relation.partition(":")[0] in OF_NAMES:
            continue
        possessive = tag == "DET" and form.lower() in PRONOUNS and relation == "nmod:poss"
        if tag in HEADS or possessive:
            words = sorted(_below(word, children, sentence.relations))
            spans.append((_edge(words, word, -1) - 1, _edge(words, word, 1)))
    return spans


def _below(word: int, children: Sequence[Sequence[int]], relations: Sequence[str]) -> list[int]:
    """Return the words of the phrase of a head."""
    descendants, stack = [word], []
    for child in children[word]:
        relation = relations[child - 1]
        if relation not in CUT and relation.partition(":")[0] not in LEFT_OUT | CUT:
            stack.append(child)
    while stack:
        descendants.append(stack.pop())
        stack.extend(child for child in children[descendants[-1]] if relations[child - 1] != "punct")
    return descendants


def _edge(words: Sequence[int], head: int, step: int) -> int:
    """Return the last word of a phrase from its head in one direction; a mark may be missing between."""
    present, at = set(words), head
    while at + step in present or at + 2 * step in present:
        at += step if at + step in present else 2 * step
    return at
