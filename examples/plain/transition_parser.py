"""A transition parser in one file: dependency trees, action by action, chosen by a network with one hidden layer.

    python examples/plain/transition_parser.py [TREEBANK.conllu]

Without TREEBANK it makes sentences of a small language. A state has a stack, with the root at its bottom, and a buffer
of the words to come. Three actions (arc-standard) build the tree:

    SHIFT    the next word goes from the buffer onto the stack
    LEFT     the top of the stack becomes the head of the word below it, which leaves the stack
    RIGHT    the word below the top becomes the head of the top, which leaves the stack

A state is read as 20 features: words and tags of the top three nodes of the stack, the next three of the buffer, and
the outermost children of the top two. The vectors of all are x. The cube lets any three features count together:

    h = (W x + b)^3,   s = U h + d,   p(a) = softmax of s over the allowed actions,   loss = mean of -log p(right a)

Source: Chen and Manning 2014, "A fast and accurate dependency parser using neural networks"; Nivre 2008. Labels of arcs
(a LEFT and a RIGHT for each) and more children are left out; `firth.TransitionParser`, the fast one, has them.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import torch

Tree = tuple[list[str], list[str], list[int]]  # words, tags and heads; node 0 is the root
SHIFT, LEFT, RIGHT, NONE, ROOT, UNKNOWN = 0, 1, 2, "<none>", "<root>", "<unknown>"


class State:
    """Stack, buffer, and the heads so far."""

    def __init__(self, words: list[str], tags: list[str]) -> None:
        self.words, self.tags, self.heads = words, tags, [-1] * len(words)
        self.stack, self.buffer = [0], list(range(1, len(words)))

    def allowed(self) -> list[bool]:
        """Return whether SHIFT, LEFT and RIGHT are possible. The root takes one word, the last."""
        arcs, root_is_below = len(self.stack) > 1, len(self.stack) == 2
        return [bool(self.buffer), arcs and not root_is_below, arcs and not (root_is_below and self.buffer)]

    def act(self, action: int) -> None:
        """Carry out an action."""
        if action == SHIFT:
            self.stack.append(self.buffer.pop(0))
        else:
            head, child = (-1, -2) if action == LEFT else (-2, -1)
            self.heads[self.stack[child]] = self.stack[head]
            del self.stack[child]

    def right_action(self, gold: list[int]) -> int:
        """Return the action that leads to the tree with these heads: the oracle."""
        below, top = [-1, *self.stack][-2:]
        if below > 0 and gold[below] == top:
            return LEFT
        waits = top in [gold[word] for word in self.buffer]  # for children that are still to come
        return RIGHT if gold[top] == below >= 0 and not waits else SHIFT

    def features(self, ids: dict[str, int]) -> list[int]:
        """Return the numbers of 10 words and 10 tags."""
        nodes = [*self.stack[:-4:-1], -1, -1][:3] + [*self.buffer[:3], -1, -1, -1][:3]  # -1 where there is none
        for node in nodes[:2]:
            children = [word for word, head in enumerate(self.heads) if head == node >= 0]
            nodes += [[*(c for c in children if c < node), -1][0], [-1, *(c for c in children if c > node)][-1]]
        names = [("word ", self.words[i] if i >= 0 else NONE) for i in nodes]
        names += [("tag ", self.tags[i] if i >= 0 else NONE) for i in nodes]
        return [ids.get(kind + name, ids[kind + UNKNOWN]) for kind, name in names]


class Parser(torch.nn.Module):
    """The network, for the words and tags that are seen twice in trees."""

    def __init__(self, trees: list[Tree], D: int = 32, H: int = 100) -> None:
        super().__init__()
        names = [f"word {w}" for tree in trees for w in tree[0]] + [f"tag {t}" for tree in trees for t in tree[1]]
        names += 2 * [kind + name for kind in ("word ", "tag ") for name in (NONE, ROOT, UNKNOWN)]
        names = sorted(name for name, count in Counter(names).items() if count > 1)
        self.ids = {name: number for number, name in enumerate(names)}
        self.E, self.W, self.U = torch.nn.Embedding(len(names), D), torch.nn.Linear(20 * D, H), torch.nn.Linear(H, 3)

    def forward(self, features: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        """Return (M, 3) log-probabilities of actions in M states: (M, 20) features, and (M, 3) whether each may be."""
        h = self.W(self.E(features).flatten(1)) ** 3  # (M, 20, D), (M, 20 D), (M, H)
        return torch.where(allowed, self.U(h), -torch.inf).log_softmax(1)

    @torch.no_grad()
    def parse(self, words: list[str], tags: list[str]) -> list[int]:
        """Return heads: the best allowed action again and again."""
        state = State(words, tags)
        while any(state.allowed()):
            log_p = self(torch.tensor([state.features(self.ids)]), torch.tensor([state.allowed()]))
            state.act(int(log_p.argmax()))
        return state.heads


def train(trees: list[Tree], epochs: int = 6) -> Parser:
    """Return a parser trained on the states on the way to trees, each with its right action."""
    torch.manual_seed(0)
    parser, rows = Parser(trees), []
    for words, tags, heads in trees:
        state = State(words, tags)
        while state.allowed()[action := state.right_action(heads)]:  # arcs that cross end the way early
            rows.append((state.features(parser.ids), state.allowed(), action))
            state.act(action)
    features, allowed, right = (torch.tensor(column) for column in zip(*rows, strict=True))
    optimiser = torch.optim.Adam(parser.parameters(), lr=0.002)
    for epoch in range(epochs):
        for batch in torch.tensor_split(torch.randperm(len(right)), len(right) // 100 + 1):
            loss = torch.nn.functional.nll_loss(parser(features[batch], allowed[batch]), right[batch])
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f} nats an action, in the last batch")
    return parser


def small_language() -> Tree:
    """Return a sentence such as "the old cat sees fish": words before a noun depend on it, nouns on the verb."""
    first, second = (random.choice(["the cat", "the old cat", "fish", "my old old dog"]).split() for _ in range(2))
    verb, last = len(first) + 1, len(first) + 1 + len(second)
    heads = [-1, *[verb - 1] * (verb - 2), verb, 0, *[last] * (last - verb - 1), verb]
    tags = [ROOT, *["DET"] * (verb - 2), "NOUN", "VERB", *["DET"] * (last - verb - 1), "NOUN"]
    return [ROOT, *first, random.choice(["sees", "likes"]), *second], tags, heads


def read_conllu(path: str) -> Iterator[Tree]:
    """Yield the sentences of a CoNLL-U file."""
    for block in Path(path).read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [row for line in block.splitlines() if (row := line.split("\t"))[0].isdecimal()]
        yield [ROOT, *(r[1].lower() for r in rows)], [ROOT, *(r[3] for r in rows)], [-1, *(int(r[6]) for r in rows)]


def main(arguments: list[str]) -> None:
    """Train on nine tenths of a treebank's first 1,000 sentences, parse the rest, and show a tree."""
    trees = list(read_conllu(arguments[0]))[:1000] if arguments else [small_language() for _ in range(200)]
    parser = train([tree for number, tree in enumerate(trees) if number % 10])
    right = [a == b for w, t, heads in trees[::10] for a, b in zip(heads[1:], parser.parse(w, t)[1:], strict=True)]
    print(f"right heads in held-out sentences (UAS): {sum(right) / len(right):.1%}")
    words, tags, _ = trees[0]
    print(
        "\n".join(f"{word:>15} <- {words[head]}" for word, head in zip(words, parser.parse(words, tags), strict=True))
    )


if __name__ == "__main__":
    main(sys.argv[1:])
