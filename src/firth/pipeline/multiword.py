"""Multiword tokens: which tokens of a text are several words, and which words (French `du`: `de` `le`).

What: forms of the treebank are expanded as there. A form that is a multiword token in some places only, or that the
    treebank does not have, is decided by a logistic regression over the form, its first and last letters and the
    tokens on both sides; its words are those of the form, or by the rule of the known form with the longest common end
    (or beginning). A rule says where to cut, or which letters to replace.
Source: Straka, Hajic and Strakova 2016, "UDPipe: trainable pipeline for processing CoNLL-U files", section 3.1, where
    known forms are expanded by a dictionary and others by rules of their ends; Cox 1958 for the regression.
Cost: some microseconds a token: only forms and ends that a multiword token of the treebank has are decided.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from firth.evaluation.linear import LogisticRegression, logistic_path
from firth.pipeline.raw_text import RawText
from firth.readers.conllu import FORM
from firth.storage.model_folder import ModelFolder

LONGEST = 5  # letters of an end or a beginning that rules are looked up by
PENALTY = 1e-5
Rule = tuple[Any, ...]  # ("cut", lengths before, lengths after) or ("replace", letters, first word, other words)
Split = tuple[str, ...]


def rule_of(token: str, words: Sequence[str]) -> Rule:
    """Return a rule by which the words follow from the token.

    >>> rule_of("don't", ["do", "n't"])
    ('cut', (), (3,))
    >>> rule_of("du", ["de", "le"])
    ('replace', 1, 'e', ('le',))
    """
    if "".join(words) == token:
        longest = max(range(len(words)), key=lambda number: len(words[number]))
        lengths = tuple(map(len, words))
        return "cut", lengths[:longest], lengths[longest + 1 :]
    token, words = token.lower(), [word.lower() for word in words]
    common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(token, words[0], strict=False)))
    return "replace", len(token) - common, words[0][common:], tuple(words[1:])


def words_by(rule: Rule, token: str) -> Split:
    """Return the words of a token by a rule; () if it does not fit.

    >>> words_by(("replace", 1, "e", ("le",)), "Du")
    ('De', 'le')
    """
    if rule[0] == "cut":
        lengths = (*rule[1], len(token) - sum(rule[1]) - sum(rule[2]), *rule[2])
        if min(lengths) < 1:
            return ()
        ends = list(itertools.accumulate(lengths, initial=0))
        return tuple(token[start:end] for start, end in itertools.pairwise(ends))
    _, letters, first, further = rule
    if letters > len(token):
        return ()
    start = token[: len(token) - letters]
    words = [start + first, *further]
    if len(token) > 1 and token.isupper():
        words = [word.upper() for word in words]
    elif token[:1].isupper() and not start:
        words[0] = words[0][:1].upper() + words[0][1:]
    return tuple(words) if all(words) else ()


def _parts(form: str) -> Iterator[str]:
    """Yield the ends and beginnings of a form, the longest first."""
    for size in range(min(LONGEST, len(form)), 0, -1):
        yield f"-{form[-size:]}"
        yield f"{form[:size]}-"


def _features(tokens: Sequence[str], position: int) -> Iterator[str]:
    """Yield the features of a token in its sentence."""
    form = tokens[position].lower()
    before = tokens[position - 1].lower() if position else "<"
    after = tokens[position + 1].lower() if position + 1 < len(tokens) else ">"
    yield f"form {form}"
    yield f"before {before} {form}"
    yield f"after {form} {after}"
    yield f"ends {form} {before[-3:]} {after[-3:]}"
    yield f"near {before} {after[-2:]}"
    shape = "upper" if tokens[position].isupper() else "title" if tokens[position][0].isupper() else "lower"
    yield f"shape {shape} {position == 0}"
    yield from _parts(form)


@dataclass(frozen=True)
class MultiwordTokens:
    """Decides which tokens are several words, and which.

    Attributes:
        forms: of forms in lower case that are multiword tokens, their rule.
        ends: rules by end ("-er") or beginning ("un-").
        single: forms that are multiword tokens nowhere.
        always: forms that are multiword tokens everywhere.
        features: columns of features.
        regression: of the others; None where there is nothing to decide.
    """

    forms: dict[str, Rule]
    ends: dict[str, Rule]
    single: frozenset[str]
    always: frozenset[str]
    features: dict[str, int]
    regression: LogisticRegression | None

    @classmethod
    def learn(cls, raw: RawText) -> "MultiwordTokens":
        """Learn from a treebank."""
        rules, by_end = defaultdict[str, Counter[Rule]](Counter), defaultdict[str, Counter[Rule]](Counter)
        counts: Counter[str] = Counter()
        texts = [[raw.text[start:end] for start, end in spans] for spans in raw.tokens]
        for tokens, rows in zip(texts, raw.rows, strict=True):
            for token, words in zip(tokens, rows, strict=True):
                form = token.lower()
                counts[form] += 1
                if len(words) > 1:
                    rules[form][rule_of(token, [row[FORM] for row in words])] += 1
        for form, of_form in rules.items():
            for part in _parts(form):
                by_end[part].update(of_form.keys())
        forms = {form: of_form.most_common(1)[0][0] for form, of_form in rules.items()}
        ends = {part: of_part.most_common(1)[0][0] for part, of_part in by_end.items()}
        always = frozenset(form for form in forms if rules[form].total() == counts[form] > 1)
        single = frozenset(form for form in counts if form not in forms and counts[form] > 1)
        if not forms:
            return cls(forms, ends, single, always, {}, None)
        examples, split = list[list[str]](), list[int]()
        for tokens, of_tokens in zip(texts, raw.rows, strict=True):
            for position, token in enumerate(tokens):
                form = token.lower()
                if form in forms or (counts[form] < 20 and any(part in ends for part in _parts(form))):
                    examples.append(list(_features(tokens, position)))
                    split.append(int(len(of_tokens[position]) > 1))
        frequent = Counter(feature for row in examples for feature in row)
        columns = {feature: number for number, feature in enumerate(f for f, n in frequent.items() if n > 1)}
        matrix = _matrix(examples, columns)
        regression = logistic_path(matrix, np.array(split, np.int64), [PENALTY])[0]
        return cls(forms, ends, single, always, columns, regression)

    def words(self, tokens: Sequence[str]) -> list[Split]:
        """Return the words of each token of a sentence: one, or several."""
        result: list[Split] = [(token,) for token in tokens]
        undecided, rows = list[int](), list[list[str]]()
        for position, token in enumerate(tokens):
            form = token.lower()
            if form in self.single:
                continue
            if form in self.always:
                result[position] = self._expanded(token) or result[position]
            elif form in self.forms or any(part in self.ends for part in _parts(form)):
                undecided.append(position)
                rows.append(list(_features(tokens, position)))
        if undecided and self.regression is not None:
            several = self.regression.predict(_matrix(rows, self.features))
            for position, is_several in zip(undecided, several.tolist(), strict=True):
                if is_several:
                    result[position] = self._expanded(tokens[position]) or result[position]
        return result

    def _expanded(self, token: str) -> Split:
        form = token.lower()
        if form in self.forms:
            return words_by(self.forms[form], token)
        return next(filter(None, (words_by(self.ends[part], token) for part in _parts(form) if part in self.ends)), ())

    def saved(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return arrays and JSON values that `restored` reads."""
        texts = {
            "forms": self.forms,
            "ends": self.ends,
            "single": sorted(self.single),
            "always": sorted(self.always),
            "features": list(self.features),
        }
        if self.regression is None:
            return {}, texts
        arrays = {"coefficients": self.regression.coefficients, "intercepts": self.regression.intercepts}
        return {**arrays, "classes": self.regression.classes}, texts

    @classmethod
    def restored(cls, content: ModelFolder) -> "MultiwordTokens":
        """Return those of a folder.

        Raises:
            FormatError: the folder is damaged.
        """
        try:
            facts = content.texts["tokens"]
            forms, ends = ({str(key): _rule(rule) for key, rule in facts[name].items()} for name in ("forms", "ends"))
            single, always, features = (_strings(facts[name]) for name in ("single", "always", "features"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise content.damaged(f"tokens.json holds no rules of multiword tokens ({error})") from error
        regression = None
        if "classes" in content.arrays:
            classes = content.numbers("classes", (None,), 2)
            rows = len(classes) - 1 if len(classes) == 2 else 0
            columns = max(len(features), 1)
            coefficients = content.array("coefficients", (rows, columns), dtype=np.float64)
            regression = LogisticRegression(
                classes, coefficients, content.array("intercepts", (rows,), dtype=np.float64)
            )
        columns_of = {feature: number for number, feature in enumerate(features)}
        return cls(forms, ends, frozenset(single), frozenset(always), columns_of, regression)


def _strings(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("expected a list of strings")
    return values


def _rule(value: Any) -> Rule:
    """Return a rule from JSON."""
    kind, first, second, *rest = value
    if kind == "cut" and not rest:
        lengths = [tuple(map(int, side)) for side in (first, second)]
        if min((length for side in lengths for length in side), default=1) > 0:
            return kind, *lengths
    elif kind == "replace" and len(rest) == 1 and isinstance(first, int) and first >= 0 and isinstance(second, str):
        return kind, first, second, tuple(_strings(rest[0]))
    raise ValueError(f"a rule {value!r}")


def _matrix(rows: Sequence[Sequence[str]], columns: dict[str, int]) -> Any:
    numbers = [[columns[feature] for feature in row if feature in columns] for row in rows]
    ends = np.cumsum([0, *map(len, numbers)])
    flat = np.array([column for row in numbers for column in row], np.int32)
    return csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(rows), max(len(columns), 1)))
