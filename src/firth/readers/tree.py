"""A tree over a sentence in arrays: of constituents, or of dependencies."""

from collections.abc import Sequence
from dataclasses import dataclass

from firth.errors import FormatError, ShapeError, brief_repr

ROOT = -1  # the parent of a root


@dataclass(frozen=True)
class Tree:
    """An ordered tree with labels at its nodes.

    The children of a node are in the order of their numbers. In a tree of constituents nodes are numbered as their
    brackets open, and only leaves have words. In a tree of dependencies node i is word i of the sentence.

    Attributes:
        parents: number of each node's parent, from 0; -1 for the root.
        labels: label of each node: a category, or the relation to the parent; "" for none.
        words: word of each node; "" for a node without a word.

    Raises:
        ShapeError: the lengths differ, or the parents do not form one tree.
    """

    parents: tuple[int, ...]
    labels: tuple[str, ...]
    words: tuple[str, ...]

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        if not len(self.parents) == len(self.labels) == len(self.words):
            raise ShapeError(
                f"a tree of {len(self.parents):,} parents, {len(self.labels):,} labels and {len(self.words):,} words; "
                "expected one each per node"
            )
        problem = tree_problem(self.parents)
        if problem:
            raise ShapeError(f"{problem}; expected one tree")

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def root(self) -> int:
        """Number of the root."""
        return self.parents.index(ROOT)

    @property
    def sentence(self) -> tuple[str, ...]:
        """The words in the order of their nodes."""
        return tuple(word for word in self.words if word)

    def children(self) -> list[list[int]]:
        """Return the numbers of the children of each node, in order."""
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent != ROOT:
                children[parent].append(node)
        return children


def tree_problem(parents: Sequence[int]) -> str:
    """Return what keeps parents from forming one tree, with nodes numbered from 1 as in CoNLL-U; "" if they form one.

    Args:
        parents: number of each node's parent, from 0; -1 for a root.
    """
    nodes = len(parents)
    roots = [node for node, parent in enumerate(parents) if parent == ROOT]
    odd = next((node for node, parent in enumerate(parents) if not ROOT <= parent < nodes), None)
    if odd is not None:
        return f"the head of word {odd + 1} is {parents[odd] + 1}, beyond the {nodes} words"
    if len(roots) != 1:
        shown = f" ({', '.join(str(root + 1) for root in roots[:4])})" if roots else ""
        return f"{len(roots)} roots{shown}"
    if all(parent < node for node, parent in enumerate(parents)):
        return ""
    cycle = _cycle(parents)
    return f"a cycle of the words {' -> '.join(str(node + 1) for node in cycle)}" if cycle else ""


def _cycle(parents: Sequence[int]) -> list[int]:
    """Nodes of a cycle, or []."""
    reaches_root = [parent == ROOT for parent in parents]
    for start in range(len(parents)):
        node, path = start, list[int]()
        visited = set[int]()
        while not reaches_root[node]:
            if node in visited:
                return [*path[path.index(node) :], node][:6]
            visited.add(node)
            path.append(node)
            node = parents[node]
        for passed in path:
            reaches_root[passed] = True
    return []


def check_words(tree: Tree, words: Sequence[str], where: str) -> None:
    """Check that a tree is of a sentence.

    Args:
        tree: to check.
        words: of the sentence, however it was split: white space is ignored.
        where: file and line, for the message.

    Raises:
        FormatError: its words differ; the message shows the first that does.
    """
    of_tree, of_sentence = ("".join("".join(parts).split()) for parts in (tree.sentence, words))
    if of_tree == of_sentence:
        return
    same = next((i for i, (a, b) in enumerate(zip(of_tree, of_sentence, strict=False)) if a != b), None)
    same = min(len(of_tree), len(of_sentence)) if same is None else same
    raise FormatError(
        f"{where}: the words of the tree differ from those of the sentence: {of_tree[same : same + 20]!r} and "
        f"{of_sentence[same : same + 20]!r} after {of_tree[max(0, same - 20) : same]!r}; expected a tree of the "
        f"sentence {' '.join(words)[:60]!r}"
    )
