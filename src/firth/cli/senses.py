"""`firth senses`: the senses of words, and which of them is meant."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.output import AsJson, complain, note, print_json
from firth.errors import OptionError
from firth.text.tokenise import tokeniser
from firth.vectors.io import load
from firth.vectors.sense_vectors import SenseVectors

SenseFile = Annotated[
    Path,
    typer.Argument(
        help="Senses: a folder of firth train sense-clusters or another model of senses.",
        show_default=False,
        metavar="SENSES",
    ),
]


def senses(
    vectors: SenseFile,
    words: Annotated[list[str], typer.Argument(help="Words to ask for.", show_default=False, metavar="WORD")],
    context: Annotated[
        str | None,
        typer.Option(help="Text around the word: which sense is meant there? The word itself may stand in it."),
    ] = None,
    number: Annotated[int, typer.Option("--number", "-n", help="Neighbours of each sense to show.")] = 6,
    json: AsJson = False,
) -> None:
    """Show the senses of words: how often each is meant, its neighbours, and which one is meant in a context."""
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
    found = load_senses(vectors)
    for word in words:
        if word not in found:
            continue
        told = _told(found, word, context, number)
        if json:
            print_json(told)
        else:
            _print(told, found)
        if len(told["senses"]) == 1 and (reason := _too_few(found, word)):
            note(reason)
    unknown = [word for word in words if word not in found]
    if unknown:
        for word in unknown[:-1]:
            complain(str(found.lexicon.unknown(word)))
        raise found.lexicon.unknown(unknown[-1])


def load_senses(path: Path) -> SenseVectors:
    """Read vectors of senses.

    Raises:
        OptionError: the path holds something else.
    """
    found = load(path)
    if not isinstance(found, SenseVectors):
        raise OptionError(
            f"{path} holds {type(found).__name__}, expected senses; firth train sense-clusters TEXT -o OUT finds some"
        )
    return found


def _told(found: SenseVectors, word: str, context: str | None, number: int) -> dict[str, Any]:
    told = []
    chances = None if context is None else _chances(found, word, context)
    for sense in found.senses(word):
        near = found.sense_neighbors(word, sense.number, number)
        one: dict[str, Any] = {"number": sense.number, "prior": sense.prior}
        if sense.label is not None:
            one["label"] = sense.label
        if chances is not None:
            one["probability"] = chances[sense.number]
        one["neighbours"] = [{"word": other, "number": i, "score": cosine} for (other, i), cosine in near]
        told.append(one)
    return {"word": word, **({} if context is None else {"context": context}), "senses": told}


def _chances(found: SenseVectors, word: str, context: str) -> list[float]:
    tokens = list(tokeniser("unicode")(context))
    place = tokens.index(word) if word in tokens else None
    chances: list[float] = found.disambiguate(word, tokens, place=place).tolist()
    return chances


def _print(told: dict[str, Any], found: SenseVectors) -> None:
    several = len(told["senses"]) > 1
    print(f"{told['word']}: {len(told['senses'])} senses" if several else f"{told['word']}: one sense")
    for sense in told["senses"]:
        meant = f"  meant here {sense['probability']:6.1%}" if "probability" in sense else ""
        label = f"  {sense['label']}" if "label" in sense else ""
        near = ", ".join(_name(found, near["word"], near["number"]) for near in sense["neighbours"])
        print(f"  {sense['number']}  {sense['prior']:6.1%}{meant}{label}  {near}")


def _name(found: SenseVectors, word: str, number: int) -> str:
    """A sense's word, with its number where the word has others too."""
    own = found.rows(word)
    return word if own.stop - own.start == 1 else f"{word}#{number}"


def _too_few(found: SenseVectors, word: str) -> str | None:
    """Why a word has one sense, where the model did not look for more."""
    least = found.metadata.get("training", {}).get("options", {}).get("least_contexts")
    count = None if found.counts is None else int(found.counts[found.lexicon.rows[word]])
    if least is None or count is None or count >= least:
        return None
    return f"{word!r} stands {count:,} times in the text: senses were looked for from {least:,} times on"
