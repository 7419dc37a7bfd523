"""Lemmas as a target of taggers: edit scripts are the tags, and a dictionary knows the words of training.

What
    A lemma is learned as the edit script that makes it from its form (`firth.text.edit_scripts`), so that new words
    have lemmas, too. A script fits a word if it deletes what it has deleted in training, such as an ending; of the
    likeliest scripts the first that fits is taken. If upos is a target, a form with a part of speech that has one lemma
    in training keeps that one.
Objective
    That of the tagger, over the scripts.
Source
    Straka 2018, "UDPipe 2.0 prototype at CoNLL 2018 UD shared task", section 4.3.
Departures
    The dictionary, and that a script must fit, as in UDPipe 1, whose candidates are rules of endings. Words whose
    script is a lemma of its own that occurs once do not train the head of lemmas: no other form could use it.
Cost
    A look-up or an edit a word, and the deletions of its likeliest scripts up to one that fits.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from firth.neural.models.tagging.data import LEMMA, TaggedExamples
from firth.neural.models.tagging.tag_set import TagSet
from firth.neural.models.tokens.reader import words_of
from firth.neural.saved import Field, Saved
from firth.readers.conllu import NONE
from firth.storage.model_folder import ModelFolder
from firth.text.edit_scripts import SAME, apply, check_script, is_whole, removed, script

DICTIONARY, REMOVALS = "lemmas", "removals"  # the JSON files
LIKELIEST = 16  # scripts of a word among which one that fits is looked for
NOTHING = "|"  # is what scripts of forms that are their own lemma delete
UPOS = "upos"
Key = tuple[str, str]  # a form and its part of speech


@dataclass(frozen=True, eq=False)
class Lemmas:
    """Edit scripts to lemmas.

    Attributes:
        dictionary: the lemma of each form with a part of speech that had one in training; empty without upos.
        removals: what each script has deleted from forms in training (`firth.text.edit_scripts.removed`); empty for
            taggers from before they were kept, whose scripts all fit.
    """

    dictionary: Mapping[Key, str]
    removals: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def fitting(self, scores: torch.Tensor, sentences: Sequence[Sequence[str]], names: Sequence[str]) -> torch.Tensor:
        """Return scores without the scripts that do not fit, as far as they are likelier than the first that does.

        Args:
            scores: (B, T, K) of the scripts of words.
            sentences: B of up to T words.
            names: K scripts.
        """
        if not self.removals:
            return scores
        likeliest = scores.topk(min(LIKELIEST, len(names)), dim=2).indices.tolist()
        misfits = []
        for row, words in enumerate(sentences):
            for column, word in enumerate(words):
                ranked = likeliest[row][column]
                rank = next((rank for rank, k in enumerate(ranked) if self._fits(names[k], word)), 0)
                misfits += [(row, column, k) for k in ranked[:rank]]
        if not misfits:
            return scores
        scores = scores.clone()
        scores[tuple(torch.tensor(misfits, device=scores.device).T)] = -torch.inf
        return scores

    def _fits(self, code: str, word: str) -> bool:
        return is_whole(code) or removed(code, word) in self.removals.get(code, ())

    def decoded(self, words: Sequence[str], tags: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return the lemmas of words.

        Args:
            tags: of the words, by target; those of the target lemma are scripts.
        """
        upos = tags[UPOS] if self.dictionary else (NONE,) * len(words)
        return tuple(
            self.dictionary.get((word, tag)) or apply(code, word)
            for word, tag, code in zip(words, upos, tags[LEMMA], strict=True)
        )


def learn_lemmas(examples: TaggedExamples) -> Lemmas | None:
    """Return how scripts of these sentences become lemmas; None if lemmas are no target."""
    if LEMMA not in examples.tags:
        return None
    removals: defaultdict[str, set[str]] = defaultdict(set)
    for sentence, column in zip(examples.sentences, examples.tags[LEMMA], strict=True):
        for word, lemma in zip(words_of(sentence), column, strict=True):
            if not is_whole(code := script(word, lemma)):
                removals[code].add(str(removed(code, word)))
    for code in SAME:
        removals[code].add(NOTHING)
    lemmas: defaultdict[Key, set[str]] = defaultdict(set)
    if UPOS in examples.tags:
        for sentence, tags, column in zip(examples.sentences, examples.tags[UPOS], examples.tags[LEMMA], strict=True):
            for word, tag, lemma in zip(words_of(sentence), tags, column, strict=True):
                lemmas[word, tag].add(lemma)
    return Lemmas(
        {key: next(iter(values)) for key, values in lemmas.items() if len(values) == 1},
        {code: frozenset(parts) for code, parts in removals.items()},
    )


def with_scripts(examples: TaggedExamples) -> TaggedExamples:
    """Return sentences with edit scripts in place of lemmas, if these are a target."""
    if LEMMA not in examples.tags:
        return examples
    columns = zip(examples.sentences, examples.tags[LEMMA], strict=True)
    scripts = [tuple(map(script, words_of(sentence), lemmas)) for sentence, lemmas in columns]
    return replace(examples, tags={**examples.tags, LEMMA: scripts})


def learn_scripts(sentences: Sequence[Sequence[str]], *, all_known: bool) -> TagSet:
    """Return the scripts of training sentences, and those of forms that are their own lemma.

    Args:
        all_known: whether each script must be among them; else those that no other word could use are left out.
    """
    counts = Counter(code for codes in sentences for code in codes)
    kept = [code for code, count in counts.items() if all_known or count > 1 or not is_whole(code)]
    kept.sort(key=lambda code: (-counts[code], code))
    return TagSet([*kept, *(code for code in SAME if code not in counts)])


def _written(lemmas: Lemmas | None) -> Saved:
    if lemmas is None:
        return Saved()
    by_tag: dict[str, dict[str, str]] = {}
    for (form, tag), lemma in lemmas.dictionary.items():
        by_tag.setdefault(tag, {})[form] = lemma
    return Saved(texts={DICTIONARY: by_tag, REMOVALS: {code: sorted(parts) for code, parts in lemmas.removals.items()}})


def _read(content: ModelFolder, options: Any) -> Lemmas | None:
    if DICTIONARY not in content.texts:  # none, or of a tagger from before edit scripts, which learned lemmas as tags
        return None
    by_tag = content.texts[DICTIONARY]
    if not isinstance(by_tag, dict) or not all(isinstance(lemmas, dict) for lemmas in by_tag.values()):
        raise ValueError("expected the lemmas of forms by their part of speech")
    dictionary = {(form, tag): lemma for tag, lemmas in by_tag.items() for form, lemma in lemmas.items()}
    if not all(isinstance(lemma, str) for lemma in dictionary.values()):
        raise ValueError("a lemma that is no text")
    if LEMMA not in options.target_names or (dictionary and UPOS not in options.target_names):
        raise ValueError(f"a dictionary of lemmas beside the targets {options.targets}")
    return Lemmas(dictionary, _read_removals(content.texts.get(REMOVALS, {})))


def _read_removals(listed: Any) -> dict[str, frozenset[str]]:
    if not isinstance(listed, dict) or not all(
        isinstance(parts, list) and all(isinstance(part, str) for part in parts) for parts in listed.values()
    ):
        raise ValueError(f"{REMOVALS}.json: expected lists of what edit scripts delete")
    return {code: frozenset(parts) for code, parts in listed.items()}


def check_scripts(sets: Mapping[str, TagSet]) -> None:
    """Check that the tags of the target lemma are edit scripts.

    Raises:
        ValueError: one is none.
    """
    for code in sets[LEMMA].names:
        check_script(code)


LEMMAS_FIELD = Field("lemmas", _written, _read, optional=True)
