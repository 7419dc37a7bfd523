"""`firth split-senses`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Overwrite, Quiet, Seed, Threads, Vectors, flag, output
from firth.cli.flags import Flags, with_flags
from firth.cli.output import print_json, working
from firth.cli.targets import check_folder_target
from firth.cli.vectors import open_word_vectors
from firth.errors import OptionError
from firth.senses.atoms import FLOOR
from firth.senses.sparse_coding import DiscourseAtoms
from firth.senses.wordnet import WordNetSenses
from firth.vectors.sense_vectors import SenseVectors

METHODS = ("atoms", "wordnet")
FLAGS = (Flags(DiscourseAtoms, "With --by atoms"), Flags(WordNetSenses, "With --by wordnet", frozenset({"rounds"})))


def _split_senses(
    vectors: Vectors,
    output: Annotated[Path, output("Folder to write.")],
    method: Annotated[
        str,
        typer.Option(
            "--by",
            help="Senses are atoms (directions that the vectors are sums of), or the synsets of WordNet.",
            metavar="|".join(METHODS),
        ),
    ] = "atoms",
    wordnet: Annotated[
        Path | None, flag("Open English WordNet in YAML, a folder or .tar.gz, with --by wordnet.", "PATH")
    ] = None,
    floor: Annotated[
        float | None, flag(f"Smallest share of an atom that counts as a sense, with --by atoms. Default: {FLOOR}.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Turn word vectors into sense vectors, without the text that they were trained on.

    With atoms, each vector is written as a sum of a few of 2,000 directions, which are its senses. With wordnet, a word
    has the senses that WordNet lists; each is drawn towards the words of its synset and of related synsets.
    """
    method_options = {name: value for name, value in options.items() if value is not None}
    _check(method, method_options, {"wordnet": wordnet, "floor": floor, "threads": threads})
    check_folder_target(output, overwrite=overwrite)
    space = open_word_vectors(vectors, quiet)
    if method == "atoms":
        atoms = DiscourseAtoms(**method_options).fit(
            space, seed=seed, threads=threads, progress=False if quiet else None
        )
        senses = atoms.sense_vectors(**({} if floor is None else {"floor": floor}))
    else:
        with working("fitting senses to WordNet", quiet):
            senses = WordNetSenses(**method_options).fit(space, str(wordnet))
    senses.save(output)
    _print(senses, output, json)


split_senses = with_flags(_split_senses, FLAGS)


def _check(method: str, options: dict[str, Any], own: dict[str, Any]) -> None:
    if method not in METHODS:
        raise OptionError(f"--by {method}: expected {' or '.join(METHODS)}")
    if method == "wordnet" and own["wordnet"] is None:
        raise OptionError(
            "--by wordnet without --wordnet PATH: give Open English WordNet in YAML; after `git clone "
            "https://github.com/globalwordnet/english-wordnet` it is the folder english-wordnet/src/yaml"
        )
    kind, foreign = (DiscourseAtoms, {"wordnet"}) if method == "atoms" else (WordNetSenses, {"floor", "threads"})
    fields = set(kind.__dataclass_fields__)
    for name in (*options, *(name for name in foreign if own[name] is not None)):
        if name not in fields:
            raise OptionError(
                f"--{name.replace('_', '-')} with --by {method}: it belongs to the other method; leave it out"
            )


def _print(model: SenseVectors, output: Path, json: bool) -> None:
    several = int((model.num_senses > 1).sum())
    if json:
        facts = {
            "senses": len(model.vectors),
            "words": len(model),
            "words_of_several_senses": several,
            "dim": model.dim,
        }
        print_json({"vectors": str(output), **facts, "made": model.metadata["senses"]})
        return
    print(
        f"{output}: {len(model):,} words, {several:,} with several senses; {len(model.vectors):,} senses x {model.dim}"
    )
