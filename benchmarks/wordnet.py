"""Open English WordNet read by firth and by wn.

    pip install wn
    python -m benchmarks.wordnet english-wordnet/src/yaml

wn reads WN-LMF, not the YAML of the project's repository, so the same words, senses and hypernyms are first written as
WN-LMF. wn then fills its database once, from which each later run reads all senses and hypernyms, as the senses of a
vocabulary need them. Seconds are of processor time.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import quoteattr

import wn

from firth.readers.wordnet import WordNet, read_wordnet

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="oewn" label="x" language="en" email="a@b" license="x" version="1" url="x">
"""


def main() -> None:
    """Print the seconds of each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yaml", help="folder of YAML files, or a .tar.gz of them")
    path = parser.parse_args().yaml
    _say("firth, YAML", lambda: read_wordnet(path))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wordnet.xml"
        file.write_text(_lmf(read_wordnet(path)), encoding="utf-8")
        wn.config.data_directory = folder
        _say("wn, fills its database", lambda: wn.add(file, progress_handler=None))
        _say("wn, reads all senses and hypernyms", _read_all)


def _say(what: str, run: Callable[[], object]) -> None:
    began = time.process_time()
    run()
    print(f"{what}: {time.process_time() - began:.1f} s")


def _read_all() -> None:
    net = wn.Wordnet("oewn:1")
    for word in net.words():
        _ = [sense.synset().id for sense in word.senses()]
    for synset in net.synsets():
        _ = [parent.id for parent in synset.get_related("hypernym")]


def _lmf(net: WordNet) -> str:
    lines, number = [_HEAD], 0
    for word, senses in net.senses.items():
        for part in dict.fromkeys(part for part, _ in senses):
            number += 1
            synsets = [synset for own, synset in senses if own == part]
            lines.append(
                f'<LexicalEntry id="oewn-w{number}"><Lemma writtenForm={quoteattr(word)} partOfSpeech="{part}"/>'
                + "".join(f'<Sense id="oewn-s{number}-{i}" synset="oewn-{each}"/>' for i, each in enumerate(synsets))
                + "</LexicalEntry>\n"
            )
    for synset, parents in net.hypernyms.items():
        relations = "".join(f'<SynsetRelation relType="hypernym" target="oewn-{each}"/>' for each in parents)
        lines.append(f'<Synset id="oewn-{synset}" ili="" partOfSpeech="{synset[-1]}">{relations}</Synset>\n')
    return "".join([*lines, "</Lexicon></LexicalResource>\n"])


if __name__ == "__main__":
    main()
