"""Hobbs' algorithm: the antecedent of a pronoun by a walk through trees of constituents.

What
    From the pronoun the walk climbs to the noun phrases and clauses above it and searches what stands left of its path,
    level by level; then the trees of the sentences before, the last one first. Each noun phrase on the way is a
    proposal; the first that agrees with the pronoun is the antecedent.
Objective
    The nine steps, X a node and p the path to it:

        1  begin at the noun phrase of the pronoun
        2  climb to the first NP or S: X, by the path p
        3  search below X, left of p; propose each NP that has an NP or S between it and X
        4  if X is the highest S, search the sentences before, the last first: propose each NP
        5  climb from X to the next NP or S: X, by the path p
        6  if X is an NP, and p does not come from the nominal (N-bar) right below it, propose X
        7  search below X, left of p: propose each NP
        8  if X is an S, search right of p, but not below any NP or S: propose each NP
        9  go on with 4

    Every search goes breadth first, from left to right.
Source
    Hobbs 1978, "Resolving pronoun references", Lingua 44, section 2.
Departures
    - Hobbs' grammar has an N-bar, which holds the complements of a noun. A treebank without one: a phrase with "of"
      below the NP counts as such a complement, others as adjuncts.
    - A possessive pronoun is a noun phrase of its own, as in his grammar, also where a treebank has it as a mere word
      of the phrase that it determines.
    - For a reflexive pronoun step 3 proposes each NP *without* an NP or S between: the antecedent of "himself" is in
      its own clause.
    - A tree without an S ends at its highest NP. Empty elements of the Penn Treebank are no noun phrases.
    - There are no selectional constraints, such as that dates do not move.
Cost
    The nodes of the trees that are searched.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from firth.arguments import explained
from firth.errors import ArgumentTypeError, OptionError, brief, brief_repr
from firth.readers.tree import ROOT, Tree

CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})
NOMINALS = frozenset({"NOMINAL", "NOM", "NBAR", "N'", "N-BAR", "NX"})
POSSESSIVE = frozenset({"my", "your", "his", "her", "its", "our", "their", "thy"})
REFLEXIVE = ("self", "selves")
EMPTY = "-NONE-"


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase of a sentence.

    Attributes:
        sentence: number of its sentence, from 0.
        node: number of its node in the tree.
        words: of the phrase.
        start: number of its first word in the sentence, from 0.
        head: number of its head in the sentence.
        tree: of the sentence.
    """

    sentence: int
    node: int
    words: tuple[str, ...]
    start: int
    head: int
    tree: Tree

    __repr__ = brief_repr

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Proposal:
    """A noun phrase that the algorithm proposes.

    Attributes:
        phrase: the noun phrase.
        step: of the nine, that proposed it.
        agrees: whether it agrees with the pronoun.
    """

    phrase: NounPhrase
    step: int
    agrees: bool

    def __str__(self) -> str:
        return f"step {self.step}: {self.phrase}" + ("" if self.agrees else " (does not agree)")


@dataclass(frozen=True)
class Resolution:
    """A pronoun with its proposed antecedents.

    Attributes:
        antecedent: the first proposal that agrees, or None.
        proposals: in order: up to the antecedent, or all of them.
    """

    antecedent: NounPhrase | None
    proposals: tuple[Proposal, ...]

    __repr__ = brief_repr

    def __str__(self) -> str:
        return "\n".join(map(str, self.proposals)) or "no proposal"


Agreement = Callable[[str, NounPhrase], bool]


@explained
def hobbs(
    trees: Sequence[Tree], word: int, *, sentence: int = -1, agrees: Agreement | None = None, every: bool = False
) -> Resolution:
    """Return the antecedent of a pronoun by Hobbs' algorithm, with the proposals in order.

    Args:
        trees: of constituents, of consecutive sentences, such as `firth.readers.read_bracketed` reads or
            `firth.coreference.phrases.phrase_tree` makes of a dependency tree.
        word: number of the pronoun in its sentence, from 0.
        sentence: number of its sentence; -1 for the last.
        agrees: whether a noun phrase may be the antecedent of a pronoun, such as `firth.coreference.agreement.agrees`
            for English; None if all may.
        every: whether the walk continues after the antecedent, to show all proposals.

    Raises:
        ArgumentTypeError: `trees` holds something else, or an index is not a number.
        OptionError: there is no such sentence or word.
    """
    trees, at, word = _checked(trees, sentence, word, agrees)
    leaf = [node for node, leaf_words in enumerate(trees[at].words) if leaf_words][word]
    pronoun = trees[at].words[leaf]
    steps = (
        (step, noun_phrase(trees[number], node, number)) for step, number, node in _proposals(trees[: at + 1], leaf)
    )
    return _resolved(pronoun, steps, agrees, every)


@explained
def most_recent(
    trees: Sequence[Tree], word: int, *, sentence: int = -1, agrees: Agreement | None = None, every: bool = False
) -> Resolution:
    """Return the most recent noun phrase before a pronoun that agrees with it: the baseline of Hobbs' algorithm.

    Noun phrases are proposed by the position of their head, from the last, without those that contain the pronoun; the
    step is 0.

    Args:
        trees: of constituents, of consecutive sentences.
        word: number of the pronoun in its sentence, from 0.
        sentence: number of its sentence; -1 for the last.
        agrees: whether a noun phrase may be the antecedent of a pronoun.
        every: whether all proposals are shown.

    Raises:
        ArgumentTypeError: `trees` holds something else, or an index is not a number.
        OptionError: there is no such sentence or word.
    """
    trees, at, word = _checked(trees, sentence, word, agrees)

    def before() -> Iterator[tuple[int, NounPhrase]]:
        for number in range(at, -1, -1):
            phrases = sorted(
                noun_phrases(trees[number], number), key=lambda phrase: (phrase.head, phrase.start), reverse=True
            )
            for phrase in phrases:
                if number < at or phrase.start + len(phrase.words) <= word:
                    yield 0, phrase

    return _resolved(trees[at].sentence[word], before(), agrees, every)


def _resolved(
    pronoun: str, steps: Iterable[tuple[int, NounPhrase]], agrees: Agreement | None, every: bool
) -> Resolution:
    antecedent, made = None, []
    for step, phrase in steps:
        made.append(Proposal(phrase, step, agrees is None or agrees(pronoun, phrase)))
        if made[-1].agrees and antecedent is None:
            antecedent = phrase
            if not every:
                break
    return Resolution(antecedent, tuple(made))


def noun_phrases(tree: Tree, sentence: int = 0) -> list[NounPhrase]:
    """Return the noun phrases of a tree in the order in which they begin, the longer of two first.

    Args:
        tree: of constituents.
        sentence: its number, which the phrases bear.

    Raises:
        ArgumentTypeError: it is not a tree.
    """
    if not isinstance(tree, Tree):
        raise _no_tree(f"tree: found {brief(tree)}; expected a tree of constituents")
    layout = _Layout(tree)
    return [noun_phrase(tree, node, sentence) for node in range(len(tree)) if layout.is_phrase(node)]


def noun_phrase(tree: Tree, node: int, sentence: int = 0) -> NounPhrase:
    """Return the noun phrase at a node."""
    layout = _Layout(tree)
    leaves = layout.leaves(node)
    first = sum(1 for word in tree.words[: leaves[0]] if word)
    head = leaves.index(layout.head(node))
    return NounPhrase(sentence, node, tuple(tree.words[leaf] for leaf in leaves), first, first + head, tree)


def category(label: str) -> str:
    """Return a label without functions and indices: NP of NP-SBJ-1."""
    if label.startswith("-"):
        return label
    for mark in "-=|":
        label = label.split(mark)[0] if label.upper() not in NOMINALS else label
    return label.upper()


def _checked(trees: Any, sentence: Any, word: Any, agrees: Any) -> tuple[list[Tree], int, int]:
    """Return the trees with the numbers of a sentence and of a word of it, from 0."""
    checked = list(trees) if isinstance(trees, Iterable) and not isinstance(trees, str | Tree) else [trees]
    odd = [trees] if isinstance(trees, Tree) else [item for item in checked if not isinstance(item, Tree)]
    if odd:
        raise _no_tree(
            f"trees: found {brief(odd[0])}; expected trees of constituents of consecutive sentences, in a list"
        )
    if agrees is not None and not callable(agrees):
        raise ArgumentTypeError(
            f"agrees={brief(agrees)}: expected a function of a pronoun and a NounPhrase, such as "
            "firth.coreference.agreement.agrees"
        )
    at = _number(sentence, "sentence", len(checked), "trees")
    return checked, at, _number(word, "word", len(checked[at].sentence), "words in its sentence")


def _no_tree(problem: str) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{problem}: those of firth.readers.read_bracketed, or, for parsed sentences, "
        "[firth.coreference.phrases.phrase_tree(sentence) for sentence in document.sentences]"
    )


def _number(value: Any, name: str, count: int, of: str) -> int:
    try:
        number = index(value)
    except TypeError:
        raise ArgumentTypeError(
            f"{name}={brief(value)}: expected a number, from 0 for the first of the {count} {of}"
        ) from None
    if not -count <= number < count:
        raise OptionError(f"{name}={number}: there are {count} {of}; expected a number below {count}, from 0")
    return number % count


def _proposals(trees: Sequence[Tree], leaf: int) -> Iterator[tuple[int, int, int]]:
    """Yield (step, sentence, node) of each proposal in order; the pronoun is the leaf of the last tree."""
    at = len(trees) - 1
    yield from ((step, at, node) for step, node in _within(_Layout(trees[at]), leaf))
    for sentence in reversed(range(at)):
        layout = _Layout(trees[sentence])
        searched = layout.search(trees[sentence].root, [])
        yield from ((4, sentence, node) for node in (trees[sentence].root, *searched) if layout.is_phrase(node))


def _within(layout: "_Layout", leaf: int) -> Iterator[tuple[int, int]]:
    """Yield (step, node) of each proposal in the pronoun's own sentence."""
    reflexive = layout.tree.words[leaf].lower().endswith(REFLEXIVE)
    x, path = layout.climb(layout.start(leaf))  # steps 1 and 2
    if x == ROOT:
        return
    for node in layout.search(x, path):
        if layout.is_phrase(node) and layout.separated(node, x) != reflexive:
            yield 3, node
    while True:
        above, path = layout.climb(x)  # step 5, unless step 4 ends the sentence
        if above == ROOT:
            return
        x = above
        if layout.is_phrase(x) and not layout.is_complement(path[-1]):
            yield 6, x
        yield from ((7, node) for node in layout.search(x, path) if layout.is_phrase(node))
        if layout.kinds[x] in CLAUSES:
            searched = layout.search(x, path, right=True)
            yield from ((8, node) for node in searched if layout.is_phrase(node))


class _Layout:
    """A tree with the lookups that the walk needs.

    Attributes:
        tree: the syntax tree.
        kinds: category of each node.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree, self.children = tree, tree.children()
        self.kinds = [category(label) for label in tree.labels]

    def is_phrase(self, node: int) -> bool:
        """Return whether a node is a noun phrase with a word that is not empty."""
        return self.kinds[node] == "NP" and any(self.kinds[leaf] != EMPTY for leaf in self.leaves(node))

    def start(self, leaf: int) -> int:
        """Return the node that the pronoun is a noun phrase by: the NP above it, or itself."""
        parent = self.tree.parents[leaf]
        if parent == ROOT or self.kinds[parent] != "NP":
            return leaf
        siblings = self.children[parent]
        possessive = self.tree.labels[leaf].endswith("$") or self.tree.words[leaf].lower() in POSSESSIVE
        return leaf if possessive and siblings[-1] != leaf else parent

    def climb(self, node: int) -> tuple[int, list[int]]:
        """Return the first NP or S above a node, -1 for none, and the path to it from the node on."""
        path = [node]
        while (above := self.tree.parents[path[-1]]) != ROOT:
            if self.kinds[above] == "NP" or self.kinds[above] in CLAUSES:
                return above, path
            path.append(above)
        return ROOT, path

    def search(self, x: int, path: Sequence[int], *, right: bool = False) -> Iterator[int]:
        """Yield what is below X and left of a path to it, breadth first; without a path, all that is below X.

        With `right` it is what is right of the path, without what is below an NP or S.
        """
        on_path, queue = set(path), deque([x])
        while queue:
            node = queue.popleft()
            if node in on_path:
                if node == path[0]:
                    continue
            elif node != x:
                yield node
                if right and (self.kinds[node] == "NP" or self.kinds[node] in CLAUSES):
                    continue
            queue.extend(self._beside(node, on_path, right))

    def _beside(self, node: int, on_path: set[int], right: bool) -> list[int]:
        """Return the children of a node up to the path, or from it on; all of them where the path does not pass."""
        children = self.children[node]
        index = next((i for i, child in enumerate(children) if child in on_path), None)
        if index is None:
            return children
        return children[index:] if right else children[: index + 1]

    def separated(self, node: int, x: int) -> bool:
        """Return whether an NP or S is between a node and X."""
        return self.climb(node)[0] != x

    def is_complement(self, node: int) -> bool:
        """Return whether a child of a noun phrase is its nominal, or a complement with "of"."""
        first = self.tree.words[self.leaves(node)[0]].lower()
        return self.kinds[node] in NOMINALS or (self.kinds[node] == "PP" and first == "of")

    def leaves(self, node: int) -> list[int]:
        """Return the nodes with words at or below a node, from left to right."""
        leaves, stack = [], [node]
        while stack:
            node = stack.pop()
            if self.tree.words[node]:
                leaves.append(node)
            stack.extend(reversed(self.children[node]))
        return leaves

    def head(self, node: int) -> int:
        """Return the leaf that is the head of a noun phrase: its last noun or pronoun before what follows the noun."""
        while self.children[node]:
            children = self.children[node]
            before = next((i for i, child in enumerate(children) if i and self.kinds[child] in _AFTER), len(children))
            nouns = [child for child in children[:before] if self._is_noun(child)]
            phrases = [child for child in children if self.kinds[child] == "NP" or self.kinds[child] in NOMINALS]
            node = nouns[-1] if nouns else phrases[0] if phrases else children[:before][-1]
        return node

    def _is_noun(self, node: int) -> bool:
        kind = self.kinds[node]
        if not self.tree.words[node]:
            return kind in NOMINALS
        return kind.startswith(("NN", "NOUN", "N", "PROPN", "PRP", "PRON")) and not kind.endswith("$")


_AFTER = frozenset({"PP", "SBAR", "S", "VP", ",", "PUNCT", ":", "CC", "CCONJ", "ADJP", "RRC"})
