"""`firth senses`."""

from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import AsJson, Quiet, Words, flag, names, number
from firth.cli.output import note, print_json, working
from firth.cli.vectors import refuse_unknown
from firth.loading import load_as
from firth.text.tokenise import tokeniser
from firth.text.word_rules import NAME
from firth.vectors.sense_vectors import SenseVectors

SenseFile = Annotated[
    Path, names("Folder of sense vectors, from firth train sense-clusters or another sense model.", "SENSES")
]


def senses(
    vectors: SenseFile,
    words: Words,
    context: Annotated[
        str | None, flag("Text around the word, to find the sense meant there. It may contain the word itself.")
    ] = None,
    number: Annotated[int, number("Neighbours to show per sense.")] = 6,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the senses of words: how frequent each is, its neighbours, and which one a context means."""
    with working(f"reading {vectors}", quiet):
        space = open_senses(vectors)
    for word in words:
        if word not in space:
            continue
        with working("searching neighbours", quiet):
            facts = _facts(space, word, context, number)
        if json:
            print_json(facts)
        else:
            _print(facts, space)
        if len(facts["senses"]) == 1 and (reason := _too_few(space, word)):
            note(reason)
    refuse_unknown(words, space)


def open_senses(path: Path) -> SenseVectors:
    """Read sense vectors."""
    return load_as(path, SenseVectors, "sense vectors; train some with `firth train sense-clusters TEXT -o OUT`")


def _facts(space: SenseVectors, word: str, context: str | None, number: int) -> dict[str, Any]:
    rows = []
    probabilities = None if context is None else _probabilities(space, word, context)
    for sense in space.senses(word):
        row: dict[str, Any] = {"number": sense.number, "prior": sense.prior}
        if sense.label is not None:
            row["label"] = sense.label
        if probabilities is not None:
            row["probability"] = probabilities[sense.number]
        near = space.sense_neighbours(word, sense.number, number)
        row["neighbours"] = [{"word": other, "number": i, "score": cosine} for (other, i), cosine in near]
        rows.append(row)
    return {"word": word, **({} if context is None else {"context": context}), "senses": rows}


def _probabilities(space: SenseVectors, word: str, context: str) -> list[float]:
    tokens = list(tokeniser(space.lexicon.tokens or NAME)(context))
    word_form = _as_known(space, word)
    position = tokens.index(word_form) if word_form in tokens else None
    probabilities: list[float] = space.disambiguate(word, tokens, place=position).tolist()
    return probabilities


def _print(facts: dict[str, Any], space: SenseVectors) -> None:
    several = len(facts["senses"]) > 1
    print(f"{facts['word']}: {len(facts['senses'])} senses" if several else f"{facts['word']}: one sense")
    for sense in facts["senses"]:
        meant = f"  meant here {sense['probability']:6.1%}" if "probability" in sense else ""
        label = f"  {sense['label']}" if "label" in sense else ""
        near = ", ".join(_name(space, near["word"], near["number"]) for near in sense["neighbours"])
        print(f"  {sense['number']}  {sense['prior']:6.1%}{meant}{label}  {near}")


def _name(space: SenseVectors, word: str, number: int) -> str:
    """A word, with the number of its sense if it has several."""
    rows = space.rows(word)
    return word if rows.stop - rows.start == 1 else f"{word}#{number}"


def _as_known(space: SenseVectors, word: str) -> str:
    """The word of the vocabulary that the user means, which may be in another form."""
    row = space.lexicon.row_of(word)
    return word if row is None else space.lexicon.words[row]


def _too_few(space: SenseVectors, word: str) -> str | None:
    """Why a word has one sense, if the model did not look for more."""
    training = space.metadata.get("training")
    options = training.get("options") if isinstance(training, dict) else None
    least = options.get("min_contexts") if isinstance(options, dict) else None
    count = None if space.counts is None else int(space.counts[space.lexicon.rows[_as_known(space, word)]])
    if not isinstance(least, int) or count is None or count >= least:
        return None
    return f"{word!r} occurs {count:,} times in the text; the model looks for senses from {least:,} times on"
