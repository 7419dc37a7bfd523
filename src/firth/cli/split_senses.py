"""`firth split-senses`: ready vectors of words to vectors of their senses."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.flags import Flags, with_flags
from firth.cli.output import AsJson, Quiet, note, print_json
from firth.cli.queries import Vectors
from firth.cli.targets import check_folder_target
from firth.errors import OptionError
from firth.senses.atoms import FLOOR
from firth.senses.sparse_coding import DiscourseAtoms
from firth.senses.wordnet import WordNetSenses
from firth.vectors.io import load_vectors
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

WAYS = ("atoms", "wordnet")
FLAGS = (Flags(DiscourseAtoms, "By atoms"), Flags(WordNetSenses, "By wordnet", frozenset({"rounds"})))


def _split_senses(
    vectors: Vectors,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write.", show_default=False, metavar="OUT")],
    by: Annotated[
        str,
        typer.Option(
            help="What senses are: atoms that vectors are sums of, or WordNet's synsets.", metavar="|".join(WAYS)
        ),
    ] = "atoms",
    wordnet: Annotated[
        Path | None,
        typer.Option(help="Open English WordNet in YAML, a folder or .tar.gz, with --by wordnet.", metavar="PATH"),
    ] = None,
    floor: Annotated[
        float | None, typer.Option(help=f"Least share of an atom that is a sense, with --by atoms; {FLOOR} by default.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the atoms.")] = 0,
    threads: Annotated[
        int | None, typer.Option(help="Threads, with --by atoms; by default one a processor.", show_default=False)
    ] = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Make vectors of senses from vectors of words, without the text that they were trained on.

    By atoms, every vector is written as a sum of a few of 2,000 directions, which are its senses. By wordnet, a word
    has the senses that WordNet lists, each drawn towards the words of its synset and of those above and below.
    """
    given = {name: value for name, value in options.items() if value is not None}
    _check(by, given, {"wordnet": wordnet, "floor": floor, "threads": threads})
    check_folder_target(output)
    space = _words_of(vectors)
    if by == "atoms":
        chosen = {} if floor is None else {"floor": floor}
        atoms = DiscourseAtoms(**given).fit(space, seed=seed, threads=threads, progress=False if quiet else None)
        made = atoms.sense_vectors(**chosen)
    else:
        made = WordNetSenses(**given).fit(space, str(wordnet))
    made.save(output)
    _tell(made, output, json)


split_senses = with_flags(_split_senses, FLAGS)


def _check(by: str, options: dict[str, Any], named: dict[str, Any]) -> None:
    if by not in WAYS:
        raise OptionError(f"--by {by}: expected {' or '.join(WAYS)}")
    if by == "wordnet" and named["wordnet"] is None:
        raise OptionError(
            "--by wordnet without --wordnet PATH: give Open English WordNet in YAML; after `git clone "
            "https://github.com/globalwordnet/english-wordnet` it is the folder english-wordnet/src/yaml"
        )
    kind, foreign = (DiscourseAtoms, {"wordnet"}) if by == "atoms" else (WordNetSenses, {"floor", "threads"})
    known = set(kind.__dataclass_fields__)
    for name in (*options, *(name for name in foreign if named[name] is not None)):
        if name not in known:
            raise OptionError(f"--{name.replace('_', '-')} with --by {by}: it belongs to the other way; leave it out")


def _words_of(path: str) -> WordVectors:
    space: WordVectors | SubwordVectors = load_vectors(path)
    if isinstance(space, SubwordVectors):
        note(f"{path}: its n-grams are left behind; the senses are those of the {len(space):,} known words")
        return space.known
    return space


def _tell(made: SenseVectors, output: Path, json: bool) -> None:
    several = int((made.num_senses > 1).sum())
    if json:
        facts = {"senses": len(made.vectors), "words": len(made), "words_of_several_senses": several, "dim": made.dim}
        print_json({"vectors": str(output), **facts, "made": made.metadata["senses"]})
        return
    print(f"{output}: {len(made):,} words, {several:,} of several senses; {len(made.vectors):,} senses x {made.dim}")
