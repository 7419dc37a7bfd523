"""Dependency trees turned into trees of constituents, for algorithms that walk through phrases.

What
    Each word projects a phrase: nouns and pronouns an NP, verbs and predicates with a subject an S with a VP. Words
    before the subject and the subject stand in the S, what follows in its VP; prepositions make a PP of their NP;
    conjuncts stand side by side in a phrase of their kind.
Objective
    A tree of constituents over the same words in the same order: NP, PP, VP, S, SBAR, ADJP, ADVP, WHNP, and the tags of
    the words (UPOS; PRP$ for possessive pronouns).
Source
    The inverse of the head rules behind Universal Dependencies; Xia and Palmer 2001, "Converting dependency structures
    to phrase structures", section 3, for projections from the words' tags.
Departures
    Infinitives without a subject (xcomp) and conjunct verbs without one are VPs, not clauses: a pronoun in them is
    bound by the subject of the verb above. Noun phrases are flat. Arcs that cross others are lifted to the head of the
    head until none does.
Cost
    A pass over the words; T^2 for a sentence whose arcs cross.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firth.errors import ArgumentTypeError, brief
from firth.parsing.projective import projective
from firth.readers.conllu import DependencySentence
from firth.readers.tree import ROOT, Tree

_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_VERBS = frozenset({"VERB", "AUX"})
_ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "nmod", "appos", "vocative", "dislocated"})
_CLAUSES = frozenset({"ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis", "root", "conj"})
_SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
_WORDS = frozenset(  # relations of what stands in its head's phrase word by word
    {"det", "compound", "flat", "fixed", "goeswith", "nummod", "clf", "aux", "cop", "mark", "cc", "case", "punct"}
)
_INSIDE = frozenset({"det", "amod", "nummod", "nmod", "compound", "flat", "fixed", "appos", "acl", "clf", "case"})
_BETWEEN = frozenset({"cc", "punct"})  # relations of what stands between conjuncts
_QUESTION = frozenset({"who", "whom", "whose", "which", "what", "whoever", "whatever"})


@dataclass
class _Phrase:
    """A phrase: a word, or a label over phrases in order."""

    label: str
    parts: list["_Phrase"] = field(default_factory=list)
    word: str = ""
    relation: str = ""


def phrase_tree(sentence: DependencySentence) -> Tree:
    """Return the tree of constituents of a sentence with a dependency tree in Universal Dependencies.

    Args:
        sentence: with tags, heads and relations.

    Raises:
        ArgumentTypeError: it is not a sentence.
        ShapeError: the sentence has no heads.
    """
    if not isinstance(sentence, DependencySentence):
        raise ArgumentTypeError(
            f"{brief(sentence)}: expected a DependencySentence with a tree, one of document.sentences"
        )
    heads = [head - 1 for head in projective([parent + 1 for parent in sentence.tree.parents])]
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head != ROOT:
            children[head].append(word)
    built: dict[int, list[_Phrase]] = {}
    for word in reversed(_from_the_root(children, heads.index(ROOT))):
        sides = (
            [part for child in children[word] if (child < word) == left for part in built[child]] for left in (1, 0)
        )
        built[word] = _projection(sentence, word, *sides)
    top = built[heads.index(ROOT)]
    return _numbered(top[0] if len(top) == 1 else _Phrase("FRAG", top))


def _from_the_root(children: Sequence[list[int]], root: int) -> list[int]:
    order = [root]
    for word in order:
        order.extend(children[word])
    return order


def _projection(
    sentence: DependencySentence, word: int, left: Sequence[_Phrase], right: Sequence[_Phrase]
) -> list[_Phrase]:
    """Return the phrase of a word with what is below it; around it, what stands beside it in its head's phrase."""
    relation, tag = sentence.relations[word].partition(":")[0], sentence.tags[word]
    own = _Phrase(_label_of(sentence, word), word=sentence.words[word], relation="head")
    items, before, after = [*left, own, *right], list[_Phrase](), list[_Phrase]()
    outside = () if relation == "root" else _BETWEEN if relation == "conj" else ("punct",)
    while items[0].relation in outside:
        before.append(items.pop(0))
    while items[-1].relation in outside:
        after.insert(0, items.pop())
    below = {item.relation for item in items}
    if (tag in _VERBS and relation in _CLAUSES) or below & {"nsubj", "csubj", "cop"}:
        phrase = _clause(items, sentence.relations[word], tag)
    elif relation in _WORDS:
        return [*before, *(replace(item, relation=relation) for item in items), *after]
    elif own.label == "WHNP":
        phrase = own if len(items) == 1 else _nominal(items, "WHNP")
    elif tag in _NOUNS or relation in _ARGUMENTS or "det" in below:
        possessive = own.label == "PRP$" and len(items) == 1
        phrase = own if possessive else _nominal(items, "NP")
    else:
        phrase = own if len(items) == 1 else _coordinated(items, {"ADJ": "ADJP", "ADV": "ADVP"}.get(tag, "XP"))
    return [*before, replace(phrase, relation=relation), *after]


def _label_of(sentence: DependencySentence, word: int) -> str:
    """Return the tag of a word; WHNP for relative and interrogative pronouns, PRP$ for possessive ones."""
    tag, form, features = sentence.tags[word], sentence.words[word].lower(), sentence.features[word]
    head = sentence.heads[word]
    relative = form == "that" and head > 0 and sentence.relations[head - 1] == "acl:relcl"
    if tag == "PRON" and (form in _QUESTION or relative or "PronType=Rel" in features or "PronType=Int" in features):
        return "WHNP"
    if tag in ("PRON", "DET") and sentence.relations[word] in ("nmod:poss", "det:poss"):
        return "PRP$"
    return "EX" if sentence.relations[word] == "expl" else tag


def _nominal(items: Sequence[_Phrase], label: str) -> _Phrase:
    """Return a noun phrase; in a PP after the prepositions before its head."""
    head = _head(items)
    start = max((i + 1 for i in range(head) if items[i].relation == "case"), default=0)
    phrase = _coordinated(items[start:], label)
    return _Phrase("PP", [*items[:start], phrase]) if start else phrase


def _coordinated(items: Sequence[_Phrase], label: str) -> _Phrase:
    """Return a phrase; with conjuncts, a phrase of the first one and the others side by side."""
    head = _head(items)
    first = next((i for i in range(head + 1, len(items)) if items[i].relation == "conj"), None)
    if first is None:
        return _Phrase(label, list(items))
    cut = _before_conjunction(items, first, head)
    return _Phrase(label, [_Phrase(label, list(items[:cut])), *items[cut:]])


def _clause(items: Sequence[_Phrase], relation: str, tag: str) -> _Phrase:
    """Return a clause; a VP for an infinitive or a conjunct without a subject."""
    head, end = _head(items), len(items)
    while end - 1 > head and items[end - 1].relation == "punct":
        end -= 1
    other = next((i for i in range(head + 1, end) if items[i].relation == "conj" and items[i].label != "VP"), end)
    cut = _before_conjunction(items, other, head) if other < end else end
    subject = max((i for i in range(head) if items[i].relation in _SUBJECTS), default=-1)
    start = subject + 1
    while start < head and items[start].relation in (("mark", *_BETWEEN) if subject < 0 else ("punct",)):
        start += 1
    verb = _coordinated(_predicate(items[start:cut], tag), "VP")
    if subject < 0 and relation.partition(":")[0] in ("xcomp", "conj"):
        whole = [*items[:start], verb, *items[cut:]]
        return verb if len(whole) == 1 else _Phrase("VP", whole)
    marks = next((i for i in range(start) if items[i].relation != "mark"), start)
    clause = _Phrase("S", [*items[marks:start], verb])
    if cut < end:
        clause = _Phrase("S", [clause, *items[cut:end]])
    clause.parts.extend(items[end:])
    return _Phrase("SBAR", [*items[:marks], clause]) if marks or relation == "acl:relcl" else clause


def _predicate(items: Sequence[_Phrase], tag: str) -> list[_Phrase]:
    """Return the parts of a VP, including the phrase of a predicate that is not a verb."""
    if tag in _VERBS:
        return list(items)
    head = _head(items)
    first, last = head, head + 1
    while first and items[first - 1].relation in _INSIDE:
        first -= 1
    while last < len(items) and items[last].relation in _INSIDE:
        last += 1
    part = items[first:last]
    phrase = _nominal(part, "NP") if tag in _NOUNS else part[0] if len(part) == 1 else _Phrase("ADJP", list(part))
    return [*items[:first], replace(phrase, relation="head"), *items[last:]]


def _head(items: Sequence[_Phrase]) -> int:
    return next(i for i, item in enumerate(items) if item.relation == "head")


def _before_conjunction(items: Sequence[_Phrase], conjunct: int, head: int) -> int:
    while conjunct - 1 > head and items[conjunct - 1].relation in _BETWEEN:
        conjunct -= 1
    return conjunct


def _numbered(top: _Phrase) -> Tree:
    """Return a phrase as a tree whose nodes are numbered as their brackets open."""
    parents, labels, words = list[int](), list[str](), list[str]()
    stack = [(top, ROOT)]
    while stack:
        phrase, parent = stack.pop()
        parents.append(parent)
        labels.append(phrase.label)
        words.append(phrase.word)
        stack.extend((part, len(parents) - 1) for part in reversed(phrase.parts))
    return Tree(tuple(parents), tuple(labels), tuple(words))
